import type { EventOf, StageName } from '../../../core/log/event.js'
import type { Split } from '../../../core/task/task.js'
import type { RunView } from '../../../core/view/run-view.js'
import { parseRows } from '../../../trainer/loops/evaluation.js'
import type { AttemptRow, LiveRun } from '../runs/types.js'

export type SplitOf = (row: Pick<AttemptRow, 'stage' | 'task'>) => Split | undefined

/** The split that a stage takes its tasks from; what is not here takes them from several. */
const ofStage: Readonly<Partial<Record<StageName, Split>>> = {
  rollout: 'train',
  'slow-update': 'train',
  'one-shot': 'train',
  baseline: 'val',
  gate: 'val',
  test: 'test',
}

interface Known {
  /** The array changes when another log takes the place of this one. */
  readonly started: readonly EventOf<'run.started'>[]
  readonly measured: string
  readonly splitOf: SplitOf
}

/** What was found out stays until the log says more: the rows of an evaluation are many. */
const known = new WeakMap<LiveRun, Known>()

/**
 * The log says the split of an attempt by its stage; where that may be any, by what names its task. It is the same
 * function again as long as it knows no more.
 */
export async function splitsOf(run: LiveRun, view: RunView): Promise<SplitOf> {
  const [started, evaluations] = await Promise.all([
    run.eventsOf('run.started'),
    run.eventsOf('evaluation.finished'),
  ])
  const own = evaluations.filter(({ body }) => body.stage === 'test').map(({ body }) => body)
  const measured = `${view.kind} ${own.map(({ split, rows }) => `${split} ${rows}`).join(' ')}`
  const before = known.get(run)
  if (before?.started === started && before.measured === measured) return before.splitOf

  const splits = new Map<string, Split>()
  for (const { split, rows } of own)
    for (const { task } of parseRows(await run.text(rows))) splits.set(task, split)
  const isMeasured = view.kind === 'eval' || view.kind === 'judge-check'
  const splitOf: SplitOf = ({ stage, task }) =>
    (isMeasured && stage === 'test' ? undefined : ofStage[stage]) ?? splits.get(task)
  known.set(run, { started, measured, splitOf })
  return splitOf
}
