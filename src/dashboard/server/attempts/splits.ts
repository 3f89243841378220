import type { EventOf, StageName } from '../../../core/log/event.js'
import type { Split } from '../../../core/task/task.js'
import type { RunView } from '../../../core/view/run-view.js'
import { parseRows } from '../../../trainer/loops/evaluation.js'
import type { AttemptRow, LiveRun } from '../runs/types.js'

export type SplitOf = (row: Pick<AttemptRow, 'stage' | 'task'>) => Split | undefined

/** The split that each stage takes its tasks from. Stages that use several splits are not listed. */
const ofStage: Readonly<Partial<Record<StageName, Split>>> = {
  rollout: 'train',
  'slow-update': 'train',
  'one-shot': 'train',
  baseline: 'val',
  gate: 'val',
  test: 'test',
}

interface Known {
  /** The start events that `splitOf` was built from. A replaced log yields a new array. */
  readonly started: readonly EventOf<'run.started'>[]
  readonly measured: string
  readonly splitOf: SplitOf
}

/**
 * Split functions by run, kept until the log records another evaluation. An evaluation has too many rows to
 * read each time.
 */
const known = new WeakMap<LiveRun, Known>()

/**
 * Returns a function that finds an attempt's split by its stage or, if the stage uses several splits, by the
 * task's evaluation. The same function is returned until the log adds information.
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
