import { useQuery } from '@tanstack/react-query'
import type { RunView } from '../../../../src/core/view/run-view.js'
import type { MiningDetails } from '../../../../src/dashboard/contract/details.js'
import { getJson } from '../../api/client.js'
import { Badge, type BadgeTone } from '../../parts/badge.js'
import { count, plural, visible, visibleLine } from '../../parts/format.js'
import { Failed, Loading } from '../../parts/states.js'
import { useSlowly } from './use-slowly.js'

type MinedTask = MiningDetails['mined'][number]
type DreamedTask = MiningDetails['dreamed'][number]
type Status = MinedTask['status']

const tones: Readonly<Record<Status, BadgeTone>> = { written: 'good', skipped: 'plain', failed: 'warn' }
const words: Readonly<Record<Status, string>> = { written: 'written', skipped: 'left out', failed: 'failed' }

/** Minimum milliseconds between two fetches of the list while tasks are being mined. */
const pauseMs = 2_000

/** Tasks mined from recurring requests. `done` is the number of requests processed so far. */
export function Mined({
  run,
  done,
  mining,
}: {
  readonly run: string
  readonly done: number
  readonly mining: RunView['mining']
}) {
  const known = useSlowly(mining === undefined ? done : -1, pauseMs)
  const { data, error, refetch } = useQuery({
    queryKey: ['mining', run, known],
    queryFn: ({ signal }) => getJson<MiningDetails>(`/api/runs/${encodeURIComponent(run)}/mining`, signal),
    placeholderData: before => before,
  })
  if (error !== null) return <Failed error={error} retry={() => void refetch()} />
  if (data === undefined) return <Loading what="the tasks" />
  const { mined, dreamed, more } = data
  return (
    <section className="stack" aria-labelledby="mined">
      <h2 id="mined">Tasks, the latest first</h2>
      {mined.length + dreamed.length === 0 && (
        <p className="muted">
          {mining === undefined
            ? 'None has been made yet. They appear here by themselves.'
            : 'None was made: nothing recurred often enough.'}
        </p>
      )}
      {mined.length > 0 && (
        <ul className="run-mined">
          {mined.map(task => (
            <MinedItem key={task.cluster} task={task} />
          ))}
        </ul>
      )}
      {dreamed.length > 0 && (
        <>
          <h3>Variants of tasks</h3>
          <ul className="run-mined">
            {dreamed.map(task => (
              <DreamedItem key={task.task} task={task} />
            ))}
          </ul>
        </>
      )}
      {more > 0 && (
        <p className="small muted">
          {plural(more, 'earlier one')} {more === 1 ? 'is' : 'are'} left out here; <code>skillopt show</code>{' '}
          has all.
        </p>
      )}
    </section>
  )
}

function MinedItem({ task }: { readonly task: MinedTask }) {
  return (
    <li className="panel">
      <div className="row">
        <Badge tone={tones[task.status]}>{words[task.status]}</Badge>
        <code className="muted">{visibleLine(task.cluster)}</code>
      </div>
      {task.status === 'written' ? (
        <>
          <p className="run-words">{visible(task.intent)}</p>
          {task.rubric.length > 0 && <Points title="What a good answer does" points={task.rubric} />}
          {task.checks.length > 0 && (
            <Points
              title="What is checked"
              points={task.checks.map(({ op, arg }) => `${op}: ${String(arg)}`)}
            />
          )}
          {task.dropped.length > 0 && (
            <Points
              title={`Checks that were not taken (${count(task.dropped.length)})`}
              points={task.dropped}
            />
          )}
        </>
      ) : (
        <p className="small run-words">{visible(task.status === 'skipped' ? task.reason : task.problem)}</p>
      )}
    </li>
  )
}

function DreamedItem({ task }: { readonly task: DreamedTask }) {
  return (
    <li className="panel">
      <div className="row">
        <Badge tone={tones[task.status]}>{words[task.status]}</Badge>
        <code className="muted">{visibleLine(task.task)}</code>
      </div>
      {task.status === 'written' ? (
        <>
          <Points title={plural(task.variants.length, 'variant')} points={task.variants} />
          {task.dropped.length > 0 && (
            <Points
              title={`Variants that were not taken (${count(task.dropped.length)})`}
              points={task.dropped}
            />
          )}
        </>
      ) : (
        <p className="small run-words">{visible(task.status === 'skipped' ? task.reason : task.problem)}</p>
      )}
    </li>
  )
}

function Points({ title, points }: { readonly title: string; readonly points: readonly string[] }) {
  return (
    <div className="small">
      <strong>{title}</strong>
      <ul className="run-list">
        {[...new Set(points)].map(point => (
          <li key={point} className="run-words">
            {visible(point)}
          </li>
        ))}
      </ul>
    </div>
  )
}
