import type { EventBody, Place } from '../../core/log/event.js'
import type { Gate, GateFactory, GateSettings, Seen, Verdict, Wanted } from '../../core/ports/gate.js'
import type { Run } from '../../core/ports/run.js'
import { skillHash } from '../../core/skill/skill.js'
import { missingAttempts } from '../../core/task/metric.js'
import type { Row, Scores, Task } from '../../core/task/task.js'
import { mapConcurrently } from './concurrency.js'
import { rowOf, summarize } from './rollout.js'

interface ValidateInput {
  /** Texts of both skills. */
  readonly current: string
  readonly candidate: string
  readonly bestScore: number
  readonly what: EventBody<'gate.decided'>['what']
  readonly place: Place
}

export interface ValidateOptions {
  readonly gate: GateFactory
  readonly settings: GateSettings
  readonly score: (summary: Scores) => number
  readonly tasks: readonly Task[]
  readonly concurrency: number
  /**
   * Scope for separate attempts. Without it, the attempts are shared with other evaluations of the same
   * skill.
   */
  readonly scope?: string
}

/**
 * Runs the paired attempts that the gate requests until it can decide. Most of the current skill's attempts
 * are already in the log. The result is recorded once under the candidate's hash, so a verdict never changes.
 */
export function validate(
  run: Run,
  input: ValidateInput,
  options: ValidateOptions,
): Promise<EventBody<'gate.decided'>> {
  const { candidate, bestScore, what, place } = input
  const hash = skillHash(candidate)
  return run.once('gate.decided', `${what} ${place.step} ${hash}`, async () => {
    await run.emit(
      'stage.started',
      { ...place, total: options.tasks.length },
      `${what} ${place.step} ${hash}`,
    )
    const gate = options.gate({
      tasks: options.tasks.map(task => task.id),
      score: options.score,
      settings: options.settings,
    })
    const { seen, verdict } = await runGate(run, { ...input, gate }, options)
    const rows = firstRows(seen, 'candidate', options.tasks)
    const score = gate.score(verdict.complete ? summarize(rows) : upperBound(rows, options.tasks.length))
    const currentScore = gate.score(summarize(firstRows(seen, 'current', options.tasks)))
    if (verdict.complete) {
      const body = { ...place, skill: hash, split: 'val', ...summarize(rows), score } as const
      await run.emit('evaluation.finished', { ...body, rows: run.put(serializeRows(rows)) }, `val ${hash}`)
    }
    return {
      epoch: place.epoch,
      step: place.step,
      what,
      candidate: hash,
      current: currentScore,
      score,
      best: bestScore,
      action: actionOf(verdict, score, bestScore),
      verdict,
      rows: run.put(serializeRows(rows)),
    }
  })
}

/**
 * Writes one row per line, so that readers can stream the file. Rows are joined a thousand at a time, since
 * there may be 100,000.
 */
export function serializeRows(rows: readonly Row[]): string {
  const parts: string[] = []
  for (let start = 0; start < rows.length; start += 1000) {
    const some = rows.slice(start, start + 1000)
    parts.push(some.map(row => JSON.stringify(row)).join('\n'))
  }
  return parts.join('\n')
}

/** Makes the attempts that the gate requests until it returns a verdict. */
async function runGate(
  run: Run,
  { gate, current, candidate, place }: ValidateInput & { readonly gate: Gate },
  options: ValidateOptions,
): Promise<{ seen: readonly Seen[]; verdict: Verdict }> {
  const tasks = new Map(options.tasks.map(task => [task.id, task]))
  const skills = { current, candidate }
  const attempt = async ({ side, task: id, sample }: Wanted): Promise<Seen> => {
    const task = tasks.get(id)
    if (task === undefined) throw new Error(`The gate "${gate.id}" asked for the unknown task "${id}".`)
    const effect = { kind: 'attempt', skill: skills[side], task, sample, scope: options.scope ?? '' } as const
    return { side, row: rowOf(await run.perform(effect, place)) }
  }
  const seen: Seen[] = []
  for (;;) {
    const step = gate.next(seen)
    if (!('run' in step)) return { seen, verdict: step }
    if (missingAttempts(seen, step.run).length < Math.max(1, step.run.length))
      throw new Error(`The gate "${gate.id}" asked for nothing, or for an attempt that it has seen.`)
    seen.push(...(await mapConcurrently(step.run, options.concurrency, attempt)))
  }
}

/**
 * The first sample of each task. Repeats are made to resolve doubts and would weigh some tasks more than
 * others. Rows are in task order for every gate, so that the same scores always give the same sum.
 */
function firstRows(seen: readonly Seen[], side: Seen['side'], tasks: readonly Task[]): Row[] {
  const first = seen.filter(one => one.side === side && one.row.sample === 0)
  const rows = new Map(first.map(({ row }) => [row.task, row]))
  return tasks.flatMap(({ id }) => rows.get(id) ?? [])
}

/** Upper bound on the score of an evaluation that stopped early, perhaps before its first scored attempt. */
function upperBound(rows: readonly Row[], tasks: number): Scores {
  if (rows.every(({ hard }) => hard === undefined)) return { hard: 1, soft: 1, reward: 1 }
  const { hard, soft, reward, scored } = summarize(rows)
  const open = tasks - rows.length
  const bound = (mean: number) => (mean * scored + open) / (scored + open)
  return { hard: bound(hard), soft: bound(soft), reward: reward === undefined ? undefined : bound(reward) }
}

/** The action for a verdict. Only a complete evaluation can make an accepted candidate the best. */
function actionOf(verdict: Verdict, score: number, best: number): EventBody<'gate.decided'>['action'] {
  if (verdict.decision === 'abstain') return 'abstain'
  if (verdict.decision !== 'accept') return 'reject'
  return verdict.complete && score > best ? 'accept_new_best' : 'accept'
}
