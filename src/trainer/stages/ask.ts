import type { z } from 'zod'
import { PausedError, WorldFailure } from '../../core/errors/errors.js'
import type { Place } from '../../core/log/event.js'
import type { ModelReply } from '../../core/ports/model.js'
import type { CallEffect, Run } from '../../core/ports/run.js'
import { createRedactor } from '../../core/redaction/redact.js'
import type { Message } from '../../core/task/task.js'
import { type Answer, askForJson, wireSchema } from '../../core/text/json-reply.js'
import type { PromptName, Prompts } from './prompts.js'

export interface Question<T> {
  readonly prompt: PromptName
  /** The system message, if it is composed of several prompts. */
  readonly instructions?: string
  /** The user message: the stable part (skill) first, the variable part last. */
  readonly content: string
  readonly schema: z.ZodType<T>
  /** Distinguishes this question from a later one with the same text. */
  readonly scope: string
  /** The skill that the reply changes. Secrets in the reply are redacted unless the skill contains them. */
  readonly skill?: string
  readonly place: Place
}

/**
 * Asks the optimizer for JSON. An unusable reply gets one corrective round; if that fails too, it is
 * reported as a failure, never as an empty answer.
 */
export async function ask<T>(run: Run, prompts: Prompts, question: Question<T>): Promise<Answer<T>> {
  const { place } = question
  const messages: Message[] = [
    { role: 'system', text: question.instructions ?? prompts[question.prompt].text },
    { role: 'user', text: question.content },
  ]
  const schema = { name: question.prompt.replaceAll('-', '_'), schema: wireSchema(question.schema) }
  const { effort } = prompts[question.prompt]
  const answer = await askForJson({
    messages,
    schema: question.schema,
    repair: problem => prompts.repair.text.replace('{{problem}}', () => problem),
    call: (messages, round) => {
      const request = { messages, schema, effort }
      return callOptimizer(
        run,
        { kind: 'call', role: 'optimizer', request, scope: question.scope, sample: round },
        place,
      )
    },
  })
  if (!answer.ok) {
    const message = `The optimizer's reply to "${question.prompt}" was unusable twice: ${answer.problem}`
    await run.emit('optimizer.failed', { ...place, message }, `${question.prompt}:${question.scope}`)
    return answer
  }
  return question.skill === undefined
    ? answer
    : { ...answer, value: withoutSecrets(answer.value, question.skill) }
}

const redactor = createRedactor()

/**
 * Redacts secrets that a reply repeats from attempts. The target of an edit stays unchanged, since it must
 * match the skill.
 */
function withoutSecrets<T>(value: T, skill: string): T {
  const clean = (part: unknown): unknown => {
    if (typeof part === 'string') return redactor.redact(part, skill).text
    if (Array.isArray(part)) return part.map(clean)
    if (typeof part !== 'object' || part === null) return part
    return Object.fromEntries(
      Object.entries(part).map(([key, inner]) => [key, key === 'target' ? inner : clean(inner)]),
    )
  }
  return clean(value) as T
}

/** A step needs its gradient, so the run pauses if the optimizer fails for external reasons. */
async function callOptimizer(run: Run, effect: CallEffect, place: Place): Promise<ModelReply> {
  try {
    return await run.perform(effect, place)
  } catch (error) {
    if (!(error instanceof WorldFailure)) throw error
    throw new PausedError(`The optimizer call failed during ${place.stage}: ${error.message}`, {
      hint: error.hint ?? 'Rerun the same command to resume.',
      cause: error,
    })
  }
}
