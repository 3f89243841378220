import { keepPreviousData, useQuery as useServer } from '@tanstack/react-query'
import { useEffect, useMemo, useRef } from 'react'
import { Link } from 'wouter'
import { comparedAtMost, type RunComparison } from '../../../../src/dashboard/contract/compare.js'
import type { RunSummary } from '../../../../src/dashboard/contract/runs.js'
import { getJson } from '../../api/client.js'
import { useQuery } from '../../parts/address.js'
import { listed, plural, visibleLine } from '../../parts/format.js'
import { PageTitle } from '../../parts/page-title.js'
import { Empty, Failed, Loading } from '../../parts/states.js'
import { AddRun } from './add-run.js'
import { chosenIn, withRuns } from './choice.js'
import { CompareChart } from './compare-chart.js'
import { CompareTable } from './compare-table.js'
import { useRuns } from './runs-store.js'
import { SettingDifferences } from './setting-differences.js'
import { signatureOf } from './staleness.js'
import './runs.css'

/** Compares several runs on one chart and in a table. The URL names the runs. */
export default function Compare() {
  const [query, change] = useQuery()
  const address = query.getAll('run').join('\n')
  const ids = useMemo(
    () => chosenIn(new URLSearchParams(address.split('\n').map(id => ['run', id]))),
    [address],
  )
  const { runs } = useRuns()
  const known = useMemo(() => new Map((runs ?? []).map(run => [run.id, run])), [runs])
  const choose = (chosen: readonly string[]) => change({ run: chosen }, { push: true })
  return (
    <div className="stack">
      <div className="spread">
        <PageTitle>Compare runs</PageTitle>
        <div className="row">
          <Link className="button quiet" href={withRuns('~/', ids)}>
            Choose in the list
          </Link>
          {ids.length < comparedAtMost && (
            <AddRun runs={runs} chosen={ids} add={id => choose([...ids, id])} />
          )}
        </div>
      </div>
      {ids.length === 0 ? <NoneChosen /> : <Comparison ids={ids} known={known} choose={choose} />}
    </div>
  )
}

function NoneChosen() {
  return (
    <Empty title="No run is chosen.">
      <p>
        Add runs here, or tick them in <Link href="~/">the list of runs</Link>.
      </p>
    </Empty>
  )
}

function Comparison({
  ids,
  known,
  choose,
}: {
  readonly ids: readonly string[]
  readonly known: ReadonlyMap<string, RunSummary>
  readonly choose: (ids: readonly string[]) => void
}) {
  const heading = useRef<HTMLHeadingElement>(null)
  const { data, error, refetch, isPlaceholderData } = useServer({
    queryKey: ['compare', ...ids],
    queryFn: ({ signal }) => getJson<RunComparison>(withRuns('/api/compare', ids), signal),
    placeholderData: keepPreviousData,
  })
  useRefetchWhenStale(isPlaceholderData ? undefined : data, known, refetch)
  const remove = (id: string) => {
    choose(ids.filter(other => other !== id))
    // The pressed button no longer exists, so the focus moves to the heading for keyboard users.
    heading.current?.focus()
  }
  if (error !== null) {
    return <Refused {...{ ids, known, choose, error }} retry={() => void refetch()} />
  }
  if (data === undefined) return <Waiting summaries={ids.flatMap(id => known.get(id) ?? [])} />
  const compared = data.runs.filter(({ summary }) => ids.includes(summary.id))
  const summaries = compared.map(({ summary }) => known.get(summary.id) ?? summary)
  return (
    <>
      {compared.length < ids.length && <Loading what="another run" />}
      <Cautions summaries={summaries} />
      <CompareChart runs={compared} />
      <section className="stack runs-section runs-compared">
        <h2 ref={heading} tabIndex={-1}>
          Side by side
        </h2>
        <CompareTable runs={compared} summaries={summaries} remove={remove} />
      </section>
      {data.runs.length === compared.length && compared.length > 1 && (
        <SettingDifferences summaries={summaries} settings={data.settings} />
      )}
    </>
  )
}

/** Fetches the curves again when the run list shows a change that affects them. */
function useRefetchWhenStale(
  data: RunComparison | undefined,
  known: ReadonlyMap<string, RunSummary>,
  refetch: () => unknown,
): void {
  const asked = useRef<string>(undefined)
  useEffect(() => {
    if (data === undefined) return
    const summaries = data.runs.map(({ summary }) => summary)
    const now = signatureOf(summaries.map(({ id }) => known.get(id)))
    if (summaries.some(({ id }) => !known.has(id)) || now === signatureOf(summaries)) return
    if (asked.current === now) return
    asked.current = now
    refetch()
  }, [data, known, refetch])
}

function Waiting({ summaries }: { readonly summaries: readonly RunSummary[] }) {
  const read = summaries.filter(({ reading }) => reading !== undefined).map(({ name }) => visibleLine(name))
  return (
    <>
      <Loading what="the runs" />
      {read.length > 0 && (
        <p className="muted">
          {read.length === 1 ? 'The log' : 'The logs'} of {listed(read)}{' '}
          {read.length === 1 ? 'is being read' : 'are being read'} for the first time, which may take a while.
        </p>
      )}
    </>
  )
}

/** Warnings to read before comparing the runs. */
function Cautions({ summaries }: { readonly summaries: readonly RunSummary[] }) {
  const environments = new Set(summaries.map(({ environment }) => environment))
  const simulated = summaries.filter(run => run.simulated).length
  const cautions = [
    ...(summaries.length === 1 ? ['This is one run only: add another one to compare it with.'] : []),
    ...(environments.size > 1
      ? [
          `These runs are of ${environments.size} environments (${listed([...environments].map(visibleLine))}): their scores are not of the same tasks.`,
        ]
      : []),
    ...(simulated > 0 && simulated < summaries.length
      ? ['Some of these runs are simulated: their scores say nothing about a real model.']
      : []),
  ]
  return cautions.map(caution => (
    <p key={caution} className="runs-caution">
      {caution}
    </p>
  ))
}

/** Lists the runs with a way to remove some, if the server refuses to compare them. */
function Refused({
  ids,
  known,
  choose,
  error,
  retry,
}: {
  readonly ids: readonly string[]
  readonly known: ReadonlyMap<string, RunSummary>
  readonly choose: (ids: readonly string[]) => void
  readonly error: unknown
  readonly retry: () => void
}) {
  const usable = ids.filter(id => (known.get(id)?.state ?? 'unreadable') !== 'unreadable')
  const kept = usable.slice(0, comparedAtMost)
  return (
    <>
      <Failed error={error} retry={retry} />
      <section className="stack runs-section">
        <h2>The runs of this address</h2>
        <ul className="runs-named">
          {ids.map(id => (
            <li key={id} className="row">
              <span>{nameOf(id, known)}</span>
              <button type="button" onClick={() => choose(ids.filter(other => other !== id))}>
                Remove <span className="visually-hidden">{nameOf(id, known)}</span>
              </button>
            </li>
          ))}
        </ul>
        {kept.length > 0 && kept.length < ids.length && (
          <p>
            <button type="button" className="primary" onClick={() => choose(kept)}>
              {kept.length < usable.length
                ? `Go on with the first ${comparedAtMost}`
                : `Go on with the ${kept.length === 1 ? 'run' : plural(kept.length, 'run')} that can be read`}
            </button>
          </p>
        )}
      </section>
    </>
  )
}

function nameOf(id: string, known: ReadonlyMap<string, RunSummary>): string {
  const run = known.get(id)
  if (run === undefined) return `${visibleLine(id)}${known.size === 0 ? '' : ' (not in the list of runs)'}`
  return `${visibleLine(run.name)}${run.state === 'unreadable' ? ' (cannot be read)' : ''}`
}
