import { InputError } from '../../../core/errors/errors.js'
import type { EventBody } from '../../../core/log/event.js'
import { skillHash } from '../../../core/skill/skill.js'
import { readMessage } from '../../../core/task/messages.js'
import type { Attempt, Message, Outcome, WorldFailureKind } from '../../../core/task/task.js'
import { listed } from '../../../core/text/format.js'
import type { RunView } from '../../../core/view/fold.js'
import type { OpenedRun } from '../../inputs/open-run.js'
import { messageBlock, outcomeText } from '../../output/attempt-text.js'
import { type Colors, clean, plural } from '../../output/text.js'

interface ShownAttempt extends Pick<EventBody<'attempt.finished'>, 'stage' | 'epoch' | 'step' | 'sample'> {
  /** Skill version, such as `v1`, or the name of another skill. */
  readonly skill: string
  readonly messages: readonly Message[]
  readonly outcome: Outcome
  /** Reward, tokens and milliseconds of the attempt; absent if the run did not record them. */
  readonly reward?: number
  readonly tokens?: number
  readonly ms?: number
}

/** Returns every attempt of a run at one task with its transcript, in order of completion. */
export async function attemptsAt(
  { reader, view }: OpenedRun,
  task: string,
): Promise<readonly ShownAttempt[]> {
  const found: ShownAttempt[] = []
  const others = new Set<string>()
  for await (const { type, body } of reader.events()) {
    if (type !== 'attempt.finished' && type !== 'attempt.failed') continue
    if (body.task !== task) {
      others.add(body.task)
      continue
    }
    const { stage, epoch, step, sample } = body
    const made = 'messages' in body ? await conversationOf(body as Attempt, reader) : failureOf(body)
    found.push({ stage, epoch, step, sample, skill: skillName(view, body.skill), ...made })
  }
  if (found.length > 0) return found
  throw new InputError(`Run ${view.run} has no attempt at task "${task}".`, {
    hint: others.size === 0 ? 'It has no attempts yet.' : `It has attempts at ${listed([...others])}.`,
  })
}

type Made = Pick<ShownAttempt, 'messages' | 'outcome' | 'reward' | 'tokens' | 'ms'>

async function conversationOf(attempt: Attempt, { get }: OpenedRun['reader']): Promise<Made> {
  const { outcome, reward, tokens, ms } = attempt
  return {
    messages: await Promise.all(attempt.messages.map(stored => readMessage(stored, get))),
    outcome,
    reward,
    tokens,
    ms,
  }
}

/** An attempt that failed for external reasons. The log does not contain its messages. */
function failureOf({ kind, message }: EventBody<'attempt.failed'>): Made {
  return { messages: [], outcome: { status: 'failed', failure: { kind: kind as WorldFailureKind, message } } }
}

/**
 * Formats attempts with their messages. The system message is left out, because it consists of the skill,
 * which `skillopt show --diff` prints.
 */
export function attemptBlocks(task: string, attempts: readonly ShownAttempt[], colors: Colors): string {
  const blocks = attempts.flatMap((attempt, index) => [
    colors.bold(`attempt ${index + 1} of ${attempts.length}: ${placeText(attempt)}`),
    ...attempt.messages.filter(({ role }) => role !== 'system').map(message => messageBlock(message, colors)),
    outcomeText(attempt, colors),
  ])
  return [colors.bold(`task ${clean(task)}, ${plural(attempts.length, 'attempt')}`), ...blocks].join('\n\n')
}

function placeText({ stage, step, skill, sample }: ShownAttempt): string {
  const where = step === 0 ? stage : `${stage} of step ${step}`
  return [where, `with ${skill}`, ...(sample === 0 ? [] : [`sample ${sample + 1}`])].join(', ')
}

function skillName({ versions }: RunView, hash: string): string {
  if (hash === skillHash('')) return 'no skill'
  const version = versions.find(({ skill }) => skill === hash)
  return version === undefined ? `the skill ${hash}` : `v${version.version}`
}
