import { messageOf, PausedError, SkillOptError } from '../../core/errors/errors.js'
import type { Place } from '../../core/log/event.js'
import type { Environment, ScoreContext, Session } from '../../core/ports/environment.js'
import type { Harness } from '../../core/ports/harness.js'
import type { ModelReply } from '../../core/ports/model.js'
import type { AttemptEffect, Run } from '../../core/ports/run.js'
import type { Sandbox } from '../../core/ports/sandbox.js'
import type { SkillFrame } from '../../core/skill/skill-frame.js'
import { keepMessage } from '../../core/task/messages.js'
import type { Taken } from '../../core/task/reward.js'
import type { Attempt, Score, Task } from '../../core/task/task.js'

export interface AttemptParts {
  readonly environment: Environment
  readonly harness: Harness
  readonly sandbox: Sandbox
  readonly frame?: SkillFrame
}

export interface AttemptContext {
  /** The attempt's key in the log, which is also the scope of its calls. */
  readonly key: string
  readonly place: Place
  readonly run: Run
}

/** Connects environment and harness: one attempt, from opening the task to its score. */
export async function attemptTask(
  { environment, harness, sandbox, frame }: AttemptParts,
  effect: AttemptEffect,
  { key, place, run }: AttemptContext,
): Promise<Attempt> {
  const { task, sample } = effect
  const { signal } = run
  const guard = <T>(step: 'open' | 'score' | 'close', work: () => Promise<T>) =>
    pauseOnError(`The environment "${environment.id}" failed to ${step} the task "${task.id}"`, work)
  const open = () => guard('open', () => environment.open(task, { signal, sandbox }))
  const close = () => guard('close', () => session.close())
  const replies: ModelReply[] = []
  let session = await open()
  try {
    const trajectory = await harness.run(
      {
        session,
        skill: frame?.fill(effect.skill) ?? effect.skill,
        call: async (request, turn, worker) => {
          const effect = { kind: 'call', role: 'target', request, scope: key, sample: turn } as const
          const reply = await run.perform(effect, place, { worker })
          replies.push(reply)
          return reply
        },
        reopen: async () => {
          await close()
          session = await open()
          return session
        },
      },
      signal,
    )
    const { workspace } = session
    const score = await guard('score', () =>
      environment.score(task, trajectory, {
        signal,
        judge: judgeOf(run, key, place),
        sandbox,
        workspace,
      }),
    )
    checkScore(environment, task.id, score)
    return {
      task: task.id,
      type: task.type ?? '',
      sample,
      messages: trajectory.messages.map(message => keepMessage(message, run.put)),
      outcome: { status: 'scored', score, stop: trajectory.stop },
      hidden: session.hidden === undefined ? undefined : run.put(session.hidden),
      ...usageOf(replies),
    }
  } finally {
    await close()
  }
}

/** Sum over all calls; undefined if any call does not report its usage. */
function usageOf(replies: readonly ModelReply[]): Taken {
  const tokens = sumIfKnown(replies.flatMap(({ usage }) => [usage.input, usage.output]))
  const ms = sumIfKnown(replies.map(reply => reply.ms))
  return { tokens, ms: ms === undefined ? undefined : Math.round(ms) }
}

function sumIfKnown(values: readonly (number | undefined)[]): number | undefined {
  return values.includes(undefined) ? undefined : values.reduce<number>((sum, value) => sum + (value ?? 0), 0)
}

/** The judge's calls are numbered within the attempt, so that each vote on an answer is a separate call. */
function judgeOf(run: Run, key: string, place: Place): ScoreContext['judge'] {
  let next = 0
  return (request, vote) =>
    run.perform({ kind: 'call', role: 'judge', request, scope: key, sample: vote ?? next++ }, place)
}

/** Opens a session without running it, to inspect its instructions, its prompt and its limits. */
export async function previewSession(
  { environment, sandbox }: Pick<AttemptParts, 'environment' | 'sandbox'>,
  task: Task,
): Promise<Session> {
  const { signal } = new AbortController()
  const session = await environment.open(task, { sandbox, signal, isLook: true })
  await session.close()
  return session
}

/**
 * A run does not resume after a change of the environment's code, since scores of two versions must not mix.
 */
const environmentHint =
  'This attempt was not scored. If the cause is outside the environment, fix it and rerun the same command to resume. If its code has to change, start a new run with --new.'

/** An error in the environment's code never becomes a score: the run pauses until someone has fixed it. */
async function pauseOnError<T>(what: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof SkillOptError) throw error
    throw new PausedError(`${what}: ${messageOf(error)}`, { hint: environmentHint, cause: error })
  }
}

function checkScore(environment: Environment, task: string, score: Score): void {
  for (const part of ['hard', 'soft'] as const) {
    const value = score[part]
    if (typeof value === 'number' && value >= 0 && value <= 1) continue
    throw new PausedError(
      `Invalid score from the environment "${environment.id}": ${part} = ${String(value)} for task "${task}". Expected a number from 0 to 1.`,
      { hint: environmentHint },
    )
  }
}
