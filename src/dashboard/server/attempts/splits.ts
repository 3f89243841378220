import type { EventOf, StageName } from '../../../core/log/event.js'
import type { Split } from '../../../core/task/task.js'
import type { RunView } from '../../../core/view/run-view.js'
import { parseRows } from '../../../trainer/loops/evaluation.js'
import type { AttemptRow, LiveRun } from '../runs/types.js'

export type SplitOf = (row: Pick<AttemptRow, 'stage' | 'task'>) => Split | undefined

/** The split that each stage draws its tasks from. Stages not listed draw from several. */
const ofStage: Readonly<Partial<Record<StageName, Split>>> = {
  rollout: 'train',
  'slow-update': 'train',
  'one-shot': 'train',
  baseline: 'val',
  gate: 'val',
  test: 'test',
}

interface Known {
  /** Compared by identity: the array is a new one when the log is replaced. */
  readonly started: readonly EventOf<'run.started'>[]
  readonly measured: string
  readonly splitOf: SplitOf
}

/** Cached until the log adds to it, because an evaluation has many rows. */
const known = new WeakMap<LiveRun, Known>()

/**
 * Finds the split of an attempt by its stage or, if the stage draws from several splits, by its task's
 * evaluation. Returns the same function until the log adds information.
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
