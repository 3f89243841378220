import { jsonrepair } from 'jsonrepair'
import { z } from 'zod'
import { messageOf, PausedError, WorldFailure } from '../core/errors.js'
import type { Place } from '../core/event.js'
import type { ModelReply, ModelRequest, Run } from '../core/ports.js'
import type { Message } from '../core/task.js'
import type { PromptName, Prompts } from './prompts.js'

export interface Question<T> {
  readonly prompt: Exclude<PromptName, 'repair'>
  /** The user message: the stable part (skill) first, what changes last. */
  readonly content: string
  readonly schema: z.ZodType<T>
  /** Tells this question apart from a later one with the same text. */
  readonly scope: string
}

export type Answer<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly problem: string }

/**
 * Asks the optimizer for JSON. A reply that cannot be used gets one corrective round; if that fails too, the failure
 * is reported as one, never as an empty answer.
 */
export async function ask<T>(
  run: Run,
  prompts: Prompts,
  question: Question<T>,
  place: Place,
): Promise<Answer<T>> {
  const messages: Message[] = [
    { role: 'system', text: prompts[question.prompt] },
    { role: 'user', text: question.content },
  ]
  const schema = { name: question.prompt.replaceAll('-', '_'), schema: wireSchema(question.schema) }
  const call = (round: readonly Message[], sample: number) =>
    callOptimizer(run, { messages: round, schema }, question.scope, sample, place)

  const first = await call(messages, 0)
  const answer = read(first, question.schema)
  if (answer.ok) return answer

  const repair = prompts.repair.replace('{{problem}}', () => answer.problem)
  const second = await call(
    [...messages, { role: 'assistant', text: first.text }, { role: 'user', text: repair }],
    1,
  )
  const repaired = read(second, question.schema)
  if (!repaired.ok) {
    const message = `The optimizer's reply to "${question.prompt}" stayed unusable: ${repaired.problem}`
    await run.emit('optimizer.failed', { ...place, message }, `${question.prompt}:${question.scope}`)
  }
  return repaired
}

/** A step without its gradient is not a step: when the world fails the optimizer, the run waits. */
async function callOptimizer(
  run: Run,
  request: ModelRequest,
  scope: string,
  sample: number,
  place: Place,
): Promise<ModelReply> {
  try {
    return await run.perform({ kind: 'call', role: 'optimizer', request, scope, sample }, place)
  } catch (error) {
    if (!(error instanceof WorldFailure)) throw error
    throw new PausedError(`The optimizer could not be reached during ${place.stage}: ${error.message}`, {
      hint: error.hint ?? 'Run the same command again to go on from here.',
      cause: error,
    })
  }
}

function read<T>(reply: ModelReply, schema: z.ZodType<T>): Answer<T> {
  if (reply.stop === 'length') return { ok: false, problem: 'it was cut off at the output limit' }
  if (reply.stop === 'content-filter') return { ok: false, problem: 'the provider filtered it' }
  if (reply.stop === 'context-overflow') return { ok: false, problem: 'the prompt is too long for the model' }
  const found = parseJson(reply.text)
  if (!found.ok) return found
  const checked = schema.safeParse(found.value)
  if (checked.success) return { ok: true, value: checked.data }
  const issue = checked.error.issues[0]
  const where = issue === undefined || issue.path.length === 0 ? 'the object' : `"${issue.path.join('.')}"`
  return { ok: false, problem: `${where} is not as asked for: ${issue?.message ?? 'unknown reason'}` }
}

/** Takes the outermost object of the reply, whatever stands around it, and mends small slips such as a trailing comma. */
export function parseJson(text: string): Answer<unknown> {
  const start = text.indexOf('{')
  const end = text.lastIndexOf('}')
  if (start === -1) return { ok: false, problem: 'it holds no JSON object' }
  const candidate = end > start ? text.slice(start, end + 1) : text.slice(start)
  try {
    return { ok: true, value: JSON.parse(candidate) as unknown }
  } catch {
    // Not JSON as it stands: repaired below, or reported.
  }
  try {
    return { ok: true, value: JSON.parse(jsonrepair(candidate)) as unknown }
  } catch (error) {
    return { ok: false, problem: `it is not valid JSON (${messageOf(error)})` }
  }
}

/** Providers with strict schemas want every property required and none beside them; optional ones are nullable. */
export function wireSchema(schema: z.ZodType): Record<string, unknown> {
  const json = z.toJSONSchema(schema, {
    io: 'input',
    override: ({ jsonSchema }) => {
      if (jsonSchema.type === 'object' && jsonSchema.properties !== undefined) {
        jsonSchema.required = Object.keys(jsonSchema.properties)
        jsonSchema.additionalProperties = false
      }
    },
  })
  const { $schema: _, ...rest } = json
  return rest
}
