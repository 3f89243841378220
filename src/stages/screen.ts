import type { EventBody, Place, RecordedEdit } from '../core/event.js'
import { scoreOfAttempt } from '../core/metric.js'
import type { Run } from '../core/ports.js'
import { skillHash } from '../core/skill.js'
import type { Attempt, Row, Scores, Task } from '../core/task.js'
import { inLanes } from './concurrency.js'
import { rowOf } from './rollout.js'
import { half, scoresOfTasks, screenPlan, unsettledTasks } from './screen-plan.js'
import { type Batch, type Screened, screenFinding } from './screen-rule.js'

export interface ScreenOptions {
  /** Attempts that may be spent. */
  readonly most: number
  readonly tasks: { readonly train: readonly Task[]; readonly val: readonly Task[] }
  readonly score: (summary: Scores) => number
  readonly lanes: number
}

/** What is known before the candidate is run. */
export interface ScreenEvidence {
  /** Attempts at train tasks under the current skill. */
  readonly parent: readonly Attempt[]
  /** The edits that the candidate consists of, with the tasks that they were proposed for. */
  readonly edits: readonly Pick<RecordedEdit, 'tasks'>[]
  /** What each skill of this run scored on validation tasks, the current one among them. */
  readonly evaluations: readonly (readonly Row[])[]
  readonly current: readonly Row[]
}

/** Fixed, because the outcome must not depend on how many calls run at once. */
const roundSize = 8

/**
 * Runs the candidate on a few tasks of which much is known already, so that a clear loser never pays for validation. It
 * may kill and never accepts. Attempts on validation are those that the gate asks for first, so nothing is paid twice.
 */
export function screen(
  run: Run,
  candidate: string,
  { parent, edits, evaluations, current }: ScreenEvidence,
  { most, tasks, score, lanes }: ScreenOptions,
  place: Place,
): Promise<EventBody<'screen.finished'>> {
  const { epoch, step } = place
  const hash = skillHash(candidate)
  return run.once('screen.finished', `step ${step} ${hash}`, async () => {
    const unsettled = unsettledTasks(evaluations, current, score)
    const plan = screenPlan(parent, edits, unsettled, score, most)
    await run.emit('stage.started', { ...place, total: plan.length }, `screen step ${step} ${hash}`)
    const known = { train: byId(tasks.train), val: byId(tasks.val) }
    const batch = batchOf(parent, score)
    const rounds = Math.max(1, Math.ceil(plan.length / roundSize))
    const seen: Screened[] = []
    for (;;) {
      const rest = plan.slice(seen.length)
      const { verdict, ...finding } = screenFinding(seen, rest, batch, rounds)
      if (verdict !== undefined) return { epoch, step, candidate: hash, tried: seen, verdict, ...finding }
      const round = await inLanes(rest.slice(0, roundSize), lanes, async one => {
        const task = known[one.split].get(one.task)
        if (task === undefined) throw new Error(`The screen has no ${one.split} task "${one.task}".`)
        const scope = one.split === 'val' ? '' : `screen step ${step}`
        const attempt = await run.perform(
          { kind: 'attempt', skill: candidate, task, sample: 0, scope },
          place,
        )
        return { ...one, after: scoreOfAttempt(rowOf(attempt), score) }
      })
      seen.push(...round)
    }
  })
}

const byId = (tasks: readonly Task[]) => new Map(tasks.map(task => [task.id, task]))

function batchOf(parent: readonly Attempt[], score: ScreenOptions['score']): Batch {
  const scores = [...scoresOfTasks(parent, score).values()]
  const failed = scores.filter(value => value < half).length
  return { failed, solved: scores.length - failed }
}
