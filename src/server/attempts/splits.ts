import type { StageName } from '../../core/event.js'
import type { RunView } from '../../core/run-view.js'
import type { Split } from '../../core/task.js'
import { parseRows } from '../../loops/evaluate.js'
import type { AttemptRow, LiveRun } from '../runs/types.js'

export type SplitOf = (row: Pick<AttemptRow, 'stage' | 'task'>) => Split | undefined

/** The split that a stage takes its tasks from; what is not here takes them from several. */
const ofStage: Readonly<Partial<Record<StageName, Split>>> = {
  rollout: 'train',
  'slow-update': 'train',
  'one-shot': 'train',
  baseline: 'val',
  gate: 'val',
  attribution: 'val',
  test: 'test',
}

interface Known {
  readonly events: number
  readonly splits: ReadonlyMap<string, Split>
}

/** What was found out stays as long as the run: the rows of an evaluation are many. */
const known = new WeakMap<LiveRun, Known>()

/** The log says the split of an attempt by its stage; where that may be any, by what names its task. */
export async function splitsOf(run: LiveRun, view: RunView): Promise<SplitOf> {
  const ofTask = await splitsOfTasks(run)
  const isMeasured = view.kind === 'eval' || view.kind === 'judge-check'
  return ({ stage, task }) =>
    (isMeasured && stage === 'test' ? undefined : ofStage[stage]) ?? ofTask.get(task)
}

async function splitsOfTasks(run: LiveRun): Promise<ReadonlyMap<string, Split>> {
  const [screens, evaluations] = await Promise.all([
    run.eventsOf('screen.finished'),
    run.eventsOf('evaluation.finished'),
  ])
  const measured = evaluations.filter(({ body }) => body.stage === 'test')
  const events = screens.length + measured.length
  const before = known.get(run)
  if (before?.events === events) return before.splits
  const splits = new Map<string, Split>()
  for (const { body } of screens) for (const { task, split } of body.tried) splits.set(task, split)
  for (const { body } of measured)
    for (const { task } of parseRows(await run.text(body.rows))) splits.set(task, body.split)
  known.set(run, { events, splits })
  return splits
}
