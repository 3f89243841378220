import { jsonrepair } from 'jsonrepair'
import { z } from 'zod'
import { messageOf } from '../errors/errors.js'
import type { ModelReply } from '../ports/model.js'
import type { Message } from '../task/task.js'

export type Answer<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly problem: string }

export interface JsonQuestion<T> {
  readonly messages: readonly Message[]
  readonly schema: z.ZodType<T>
  /** Writes the message to the model when its first reply is unusable. */
  repair(problem: string): string
  /** Calls the model. `round` is 0 for the first call and 1 for the repair. */
  call(messages: readonly Message[], round: number): Promise<ModelReply>
}

/** Asks for JSON. An unusable reply gets one repair round; after that a failure is returned. */
export async function askForJson<T>({ messages, schema, repair, call }: JsonQuestion<T>): Promise<Answer<T>> {
  const first = await call(messages, 0)
  const answer = readJson(first, schema)
  if (answer.ok) return answer
  const said: Message = { role: 'assistant', text: first.text }
  const second = await call([...messages, said, { role: 'user', text: repair(answer.problem) }], 1)
  return readJson(second, schema)
}

function readJson<T>(reply: ModelReply, schema: z.ZodType<T>): Answer<T> {
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

/**
 * Parses the outermost object of the reply, ignoring the text around it, and repairs small errors such as a
 * trailing comma.
 */
export function parseJson(text: string): Answer<unknown> {
  const start = text.indexOf('{')
  const end = text.lastIndexOf('}')
  if (start === -1) return { ok: false, problem: 'it holds no JSON object' }
  const candidate = end > start ? text.slice(start, end + 1) : text.slice(start)
  try {
    return { ok: true, value: JSON.parse(candidate) as unknown }
  } catch {
    // Invalid JSON is repaired below or reported.
  }
  try {
    return { ok: true, value: JSON.parse(jsonrepair(candidate)) as unknown }
  } catch (error) {
    return { ok: false, problem: `it is not valid JSON (${messageOf(error)})` }
  }
}

/**
 * JSON schema for providers with strict schemas, which need every property to be required and allow no
 * others. Optional properties become nullable.
 */
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
