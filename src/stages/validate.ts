import type { EventBody, Place } from '../core/event.js'
import type { Gate, GateFactory, Pair, Run, Verdict } from '../core/ports.js'
import { skillHash } from '../core/skill.js'
import type { Row, Task } from '../core/task.js'
import { inLanes } from './concurrency.js'
import { rowOf, summarize } from './rollout.js'

export interface ValidateOptions {
  readonly gate: GateFactory
  readonly score: (summary: { readonly hard: number; readonly soft: number }) => number
  readonly tasks: readonly Task[]
  readonly lanes: number
}

/**
 * The gate asks for paired attempts until it can decide. The current skill's attempts are mostly in the log already.
 * The result is recorded once under the candidate's hash, so that a verdict never changes afterwards.
 */
export function validate(
  run: Run,
  current: string,
  candidate: string,
  bestScore: number,
  what: EventBody<'gate.decided'>['what'],
  options: ValidateOptions,
  place: Place,
): Promise<EventBody<'gate.decided'>> {
  const hash = skillHash(candidate)
  return run.once('gate.decided', `${what} ${place.step} ${hash}`, async () => {
    await run.emit(
      'stage.started',
      { ...place, total: options.tasks.length },
      `${what} ${place.step} ${hash}`,
    )
    const gate = options.gate({ tasks: options.tasks.map(task => task.id), score: options.score })
    const { pairs, verdict } = await comparePairs(run, gate, current, candidate, options, place)
    const rows = { current: pairs.map(pair => pair.current), candidate: pairs.map(pair => pair.candidate) }
    const scores = { current: summarize(rows.current), candidate: summarize(rows.candidate) }
    const score = gate.score(scores.candidate)
    const currentScore = gate.score(scores.current)
    if (verdict.complete) {
      const body = { ...place, skill: hash, split: 'val', ...scores.candidate, score } as const
      await run.emit(
        'evaluation.finished',
        { ...body, rows: run.put(rowsText(rows.candidate)) },
        `val ${hash}`,
      )
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
    }
  })
}

/** One row a line: a reader can stream it. A thousand at a time, since there may be 100,000. */
export function rowsText(rows: readonly Row[]): string {
  const parts: string[] = []
  for (let start = 0; start < rows.length; start += 1000) {
    const some = rows.slice(start, start + 1000)
    parts.push(some.map(row => JSON.stringify(row)).join('\n'))
  }
  return parts.join('\n')
}

async function comparePairs(
  run: Run,
  gate: Gate,
  current: string,
  candidate: string,
  options: ValidateOptions,
  place: Place,
): Promise<{ pairs: readonly Pair[]; verdict: Verdict }> {
  const tasks = new Map(options.tasks.map(task => [task.id, task]))
  const row = async (skill: string, id: string, sample: number) => {
    const task = tasks.get(id)
    if (task === undefined) throw new Error(`The gate "${gate.id}" asked for the unknown task "${id}".`)
    return rowOf(await run.perform({ kind: 'attempt', skill, task, sample, scope: '' }, place))
  }
  const pairs: Pair[] = []
  for (;;) {
    const step = gate.next(pairs)
    if (!('run' in step)) return { pairs, verdict: step }
    const answered = await inLanes(step.run, options.lanes, async ({ task, sample }) => {
      const [before, after] = await Promise.all([row(current, task, sample), row(candidate, task, sample)])
      return { task, sample, current: before, candidate: after }
    })
    pairs.push(...answered)
  }
}

/** The gate decides whether to accept; whether that is also the best so far, only a whole evaluation can say. */
function actionOf(verdict: Verdict, score: number, best: number): EventBody<'gate.decided'>['action'] {
  if (verdict.decision === 'abstain') return 'abstain'
  if (verdict.decision !== 'accept') return 'reject'
  return verdict.complete && score > best ? 'accept_new_best' : 'accept'
}
