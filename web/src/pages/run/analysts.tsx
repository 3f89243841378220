import { useQuery } from '@tanstack/react-query'
import type { StepDetails } from '../../../../src/dashboard/contract/details.js'
import { getJson } from '../../api/client.js'
import { Badge } from '../../parts/badge.js'
import { count, plural, visible, visibleLine } from '../../parts/format.js'
import { Failed, Loading } from '../../parts/states.js'
import { DataTable } from '../../parts/table.js'
import { ProposedEdit, Tasks } from './edit-card.js'

type Patch = StepDetails['patches'][number]

/**
 * The findings and proposed edits of each analyst, before merging. `known` is the number of reports so far;
 * the reports are fetched again when it changes.
 */
export function Analysts({
  run,
  step,
  known,
}: {
  readonly run: string
  readonly step: number
  readonly known: number
}) {
  const { data, error, refetch } = useQuery({
    queryKey: ['step', run, step, known],
    queryFn: ({ signal }) =>
      getJson<StepDetails>(`/api/runs/${encodeURIComponent(run)}/steps/${step}`, signal),
    placeholderData: (before, query) => (query?.queryKey[2] === step ? before : undefined),
  })
  if (error !== null) return <Failed error={error} retry={() => void refetch()} />
  if (data === undefined) return <Loading what="what the analysts wrote" />
  const { patches, rate } = data
  return (
    <div className="run-tight">
      {patches.length === 0 && <p className="muted">No analyst has answered, or it was not recorded.</p>}
      {patches.map((patch, index) => (
        <Analyst key={index} run={run} step={step} patch={patch} number={index + 1} />
      ))}
      {rate !== undefined && <Rate rate={rate} />}
    </div>
  )
}

function Analyst({
  run,
  step,
  patch,
  number,
}: {
  readonly run: string
  readonly step: number
  readonly patch: Patch
  readonly number: number
}) {
  const { from, tasks, reasoning, patterns, edits, reminders = [] } = patch
  return (
    <section className="panel" aria-label={`Analyst ${number} of step ${step}`}>
      <div className="row">
        <strong>Analyst {number}</strong>
        <Badge tone={from === 'failure' ? 'bad' : 'good'}>
          {from === 'failure' ? 'of failures' : 'of successes'}
        </Badge>
        <span className="small muted">
          {plural(edits.length, 'edit')}
          {reminders.length > 0 && `, ${plural(reminders.length, 'reminder')}`}
        </span>
      </div>
      <p className="small muted">
        Read attempts at: <Tasks run={run} step={step} tasks={tasks} total={tasks.length} />
      </p>
      {reasoning !== '' && <p className="run-words">{visible(reasoning)}</p>}
      {patterns.length > 0 && (
        <DataTable
          caption={`Patterns that analyst ${number} found in step ${step}`}
          columns={[
            { key: 'type', name: 'pattern', header: true, cell: pattern => visibleLine(pattern.type) },
            { key: 'count', name: 'count', align: 'end', cell: pattern => count(pattern.count) },
            { key: 'what', name: 'what happens', cell: pattern => visibleLine(pattern.description) },
          ]}
          rows={patterns}
          rowKey={({ type, description }) => `${type} ${description}`}
        />
      )}
      {edits.length + reminders.length > 0 && (
        <ul className="run-edits">
          {[...edits, ...reminders].map(edit => (
            <ProposedEdit key={edit.id} edit={edit} />
          ))}
        </ul>
      )}
    </section>
  )
}

/** The edit budget, if the optimizer chose it itself. */
function Rate({ rate }: { readonly rate: NonNullable<StepDetails['rate']> }) {
  const { budget, scheduled, of, reasoning, confidence, risks } = rate
  return (
    <div className="panel">
      <p>
        The optimizer chose to make {count(budget)} of {plural(of, 'edit')}; the schedule would have allowed{' '}
        {count(scheduled)}
        {confidence === undefined ? '' : ` (its confidence: ${confidence})`}.
      </p>
      {reasoning !== '' && <p className="small run-words">{visible(reasoning)}</p>}
      {risks !== undefined && risks !== '' && <p className="small run-words">Risks: {visible(risks)}</p>}
    </div>
  )
}
