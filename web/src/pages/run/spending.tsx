import { memo, useMemo } from 'react'
import { valueAt } from '../../../../src/core/config/paths.js'
import type { RunState } from '../../../../src/core/view/run-state.js'
import type { RunView } from '../../../../src/core/view/run-view.js'
import { isFree } from '../../../../src/core/view/simulated-mark.js'
import { useNow } from '../../api/live.js'
import { Chart } from '../../parts/chart.js'
import {
  cachedTokens,
  count,
  knownCost,
  knownTokens,
  money,
  plural,
  points,
  shortCount,
  visibleLine,
  workTime,
} from '../../parts/format.js'
import { Stat, Stats } from '../../parts/stat.js'
import { Empty } from '../../parts/states.js'
import { type Column, DataTable } from '../../parts/table.js'
import { wholeSteps } from './axes.js'
import { type Cap, capsOf, costAtEnd } from './caps.js'
import { leftOf, notesOf, type SpentRow, spentByRole, spentByStage, spentBySteps } from './spent.js'
import { Trouble } from './trouble.js'

/** The run's calls, tokens and cost by stage and by model, and what is left of the caps. */
export function SpendingPage({ view, state }: { readonly view: RunView; readonly state: RunState }) {
  const now = useNow(state === 'running')
  const at = state === 'running' ? now : view.lastAt
  const { spending } = view
  if (spending.total.tries + spending.total.calls === 0) {
    return (
      <>
        <Empty title={state === 'running' ? 'No call has been made yet.' : 'No call was made.'}>
          <p>
            {view.attempts.cached > 0
              ? `${plural(view.attempts.cached, 'attempt')} came from other runs, at no cost.`
              : 'What models are asked, and what that takes, appears here by itself.'}
          </p>
        </Empty>
        <Trouble view={view} />
      </>
    )
  }
  return (
    <div className="stack">
      <Totals view={view} at={at} isRunning={state === 'running'} />
      <Caps caps={capsOf(view, at)} />
      <SpentTable of="stage" title="By stage" rows={spentByStage(spending)} view={view} />
      <SpentTable of="model" title="By model" rows={spentByRole(spending)} view={view} />
      <StepChart steps={view.steps} isFree={isFree(view)} />
      <Notes notes={notesOf(view)} />
      <Trouble view={view} />
    </div>
  )
}

function Totals({
  view,
  at,
  isRunning,
}: {
  readonly view: RunView
  readonly at: number
  readonly isRunning: boolean
}) {
  const { total } = view.spending
  const { calls, tries, failedTries, input, output, cachedInput, unknownUsage } = total
  const atEnd = isRunning ? costAtEnd(view, at) : undefined
  return (
    <Stats>
      {isFree(view) ? (
        <Stat label="Cost" value="none" note="all models are simulated" />
      ) : (
        <Stat
          label="Cost"
          value={knownCost(total)}
          note={atEnd === undefined ? 'US dollars' : `about ${money(atEnd)} by the end, at this rate`}
        />
      )}
      <Stat label="Tokens in" value={knownTokens(input, total)} note={cacheNote(view)} />
      <Stat
        label="Tokens out"
        value={knownTokens(output, total)}
        note={unknownUsage > 0 ? `${plural(unknownUsage, 'call')} without usage` : undefined}
      />
      <Stat
        label="Calls"
        value={count(calls)}
        note={
          view.callsInFlight > 0 && isRunning ? `${count(view.callsInFlight)} more in flight` : 'answered'
        }
      />
      <Stat
        label="Retries"
        value={view.importedFrom === undefined ? count(failedTries) : 'unknown'}
        note={view.importedFrom === undefined ? `failed tries, of ${count(tries)}` : 'imported'}
      />
      <Stat label="Time at work" value={workTime(view)} note={plural(view.sessions, 'session')} />
    </Stats>
  )

  function cacheNote({ importedFrom }: RunView): string {
    if (importedFrom !== undefined) return 'from a cache: unknown'
    return input === 0 ? 'none from a cache' : `${points(cachedInput / input)} of them from a cache`
  }
}

function Caps({ caps }: { readonly caps: readonly Cap[] }) {
  const columns: Column<Cap>[] = [
    { key: 'name', name: 'cap', header: true, cell: ({ name }) => name },
    { key: 'used', name: 'used', align: 'end', cell: ({ used, text }) => text(used) },
    { key: 'limit', name: 'limit', align: 'end', cell: ({ limit, text }) => text(limit) },
    { key: 'left', name: 'left', align: 'end', cell: leftOf },
    {
      key: 'bar',
      name: 'share used',
      cell: ({ name, used, limit }) => (
        <progress
          className="run-cap-bar"
          aria-label={`${name} used`}
          max={limit}
          value={Math.min(used, limit)}
        />
      ),
    },
  ]
  return (
    <section className="run-tight" aria-labelledby="caps">
      <h2 id="caps">Caps</h2>
      {caps.length === 0 ? (
        <p className="muted">
          None was set for this session. <code>--max-cost</code>, <code>--max-tokens</code>,{' '}
          <code>--max-calls</code> and <code>--max-time</code> set one; a run that reaches it stops and can be
          resumed.
        </p>
      ) : (
        <DataTable
          caption="Caps and what is left of them"
          columns={columns}
          rows={caps}
          rowKey={({ name }) => name}
        />
      )}
    </section>
  )
}

function SpentTable({
  of,
  title,
  rows,
  view,
}: {
  readonly of: 'stage' | 'model'
  readonly title: string
  readonly rows: readonly SpentRow[]
  readonly view: RunView
}) {
  const { total } = view.spending
  const all: readonly SpentRow[] = [...rows, { name: 'total', spending: total, share: undefined }]
  return (
    <section className="run-tight" aria-label={title}>
      <h2>{title}</h2>
      <DataTable
        caption={`Calls, tokens and cost by ${of}`}
        columns={columnsOf(of, view)}
        rows={all}
        rowKey={({ name }) => name}
        rowClass={({ name }) => (name === 'total' ? 'run-total' : undefined)}
      />
    </section>
  )
}

function columnsOf(of: 'stage' | 'model', view: RunView): Column<SpentRow>[] {
  const isPaid = !isFree(view)
  return [
    {
      key: 'name',
      name: of,
      header: true,
      cell: ({ name }) =>
        of === 'stage' ? name : <RoleName role={name} model={modelOf(view.config, name)} />,
    },
    { key: 'calls', name: 'calls', align: 'end', cell: ({ spending }) => count(spending.calls) },
    {
      key: 'retries',
      name: 'retries',
      align: 'end',
      cell: ({ spending }) => (view.importedFrom === undefined ? count(spending.failedTries) : 'unknown'),
    },
    {
      key: 'input',
      name: 'tokens in',
      align: 'end',
      cell: ({ spending }) => knownTokens(spending.input, spending),
    },
    {
      key: 'cached',
      name: 'of these cached',
      align: 'end',
      cell: ({ spending }) => cachedTokens(spending.cachedInput, spending, view),
    },
    {
      key: 'output',
      name: 'tokens out',
      align: 'end',
      cell: ({ spending }) => knownTokens(spending.output, spending),
    },
    {
      key: 'cost',
      name: 'cost',
      align: 'end',
      cell: ({ spending }) => (isPaid ? knownCost(spending) : 'none'),
    },
    { key: 'share', name: 'share of tokens', cell: ({ share }) => <ShareBar share={share} /> },
  ]
}

function RoleName({ role, model }: { readonly role: string; readonly model: string | undefined }) {
  return (
    <>
      {role}
      {model !== undefined && <span className="small muted"> {visibleLine(model)}</span>}
    </>
  )
}

function modelOf(config: unknown, role: string): string | undefined {
  const named = valueAt(config, ['models', role])
  const model = typeof named === 'string' ? named : valueAt(named, ['model'])
  return typeof model === 'string' ? model : undefined
}

function ShareBar({ share }: { readonly share: number | undefined }) {
  if (share === undefined) return null
  return (
    <span className="run-share">
      <svg className="run-share-bar" aria-hidden="true" width="100%" height="8">
        <rect className="run-share-all" width="100%" height="8" rx="4" />
        <rect className="run-share-part" width={`${Math.round(share * 1000) / 10}%`} height="8" rx="4" />
      </svg>
      <span className="figures small">{points(share)}</span>
    </span>
  )
}

const StepChart = memo(function StepChart({
  steps,
  isFree: free,
}: Pick<RunView, 'steps'> & { readonly isFree: boolean }) {
  const series = useMemo(() => spentBySteps(steps, free), [steps, free])
  if (series.every(({ points: own }) => own.length < 2)) return null
  const isMoney = series.some(({ name }) => name === 'cost')
  return (
    <Chart
      title={isMoney ? 'Cost of each step' : 'Tokens of each step'}
      xName="step"
      yName={isMoney ? 'US dollars' : 'tokens'}
      series={series}
      xText={count}
      xSteps={wholeSteps}
      yText={isMoney ? money : shortCount}
      height={200}
    />
  )
})

function Notes({ notes }: { readonly notes: readonly string[] }) {
  if (notes.length === 0) return null
  return (
    <section className="run-tight" aria-labelledby="notes">
      <h2 id="notes">What the sums leave open</h2>
      <ul className="run-list">
        {notes.map(note => (
          <li key={note}>{note}</li>
        ))}
      </ul>
    </section>
  )
}
