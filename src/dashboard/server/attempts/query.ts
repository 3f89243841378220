import { z } from 'zod'
import { InputError } from '../../../core/errors/errors.js'
import { stageNames } from '../../../core/log/event.js'
import { attemptOutcomes, attemptSorts, taskChanges } from '../../contract/attempts.js'

/** Validation of query strings. Unknown or malformed values are rejected with an error message. */

const whole = z
  .string()
  .regex(/^\d{1,10}$/, 'must be a whole number that is not negative')
  .transform(Number)
const name = z.string().min(1).max(2000)

const filters = {
  q: z.string().max(200, 'may have 200 characters at most').optional(),
  task: name.optional(),
  outcome: z.enum(attemptOutcomes).optional(),
  failure: name.optional(),
  stop: name.optional(),
  /** May be empty, because attempts that failed for external reasons may have no type. */
  type: z.string().max(2000).optional(),
  stage: z.enum(stageNames).optional(),
  split: z.enum(['train', 'val', 'test']).optional(),
  step: whole.optional(),
  skill: name.optional(),
  sample: whole.optional(),
  change: z.enum(taskChanges).optional(),
  from: name.optional(),
  to: name.optional(),
  /** Limits the query to the first `until` attempts of the run. */
  until: whole.optional(),
}

const filterSchema = z.strictObject(filters).refine(isPair, {
  path: ['from'],
  message: 'and `to` go together: they name the two skills between which tasks changed',
})

const largestPage = 500
const pageSchema = z
  .strictObject({
    ...filters,
    sort: z.enum(attemptSorts).default('-time'),
    offset: whole.default(0),
    limit: whole.refine(size => size >= 1 && size <= largestPage, `must be 1 to ${largestPage}`).default(100),
  })
  .refine(isPair, { path: ['from'], message: 'and `to` go together' })

function isPair(query: { change?: unknown; from?: unknown; to?: unknown }): boolean {
  const { change, from, to } = query
  return (from === undefined) === (to === undefined) && (change === undefined || from !== undefined)
}

const textSchema = z.strictObject({
  of: z
    .string()
    .regex(
      /^(message\.\d{1,6}|call\.\d{1,6}\.\d{1,6}|vote\.\d{1,4}|feedback|problem|hidden)$/,
      'must be message.0, call.0.0, vote.0, feedback, problem or hidden',
    ),
  from: whole,
})
const messagesSchema = z.strictObject({ from: whole })

export type AttemptFilter = z.output<typeof filterSchema>
export type AttemptQuery = z.output<typeof pageSchema>

type Given = Readonly<Record<string, string>>

export const readFilter = (given: Given): AttemptFilter => read(filterSchema, given)
export const readPage = (given: Given): AttemptQuery => read(pageSchema, given)
export const readTextPlace = (given: Given): z.output<typeof textSchema> => read(textSchema, given)
export const readMessagesPlace = (given: Given): z.output<typeof messagesSchema> =>
  read(messagesSchema, given)

export function readSeq(given: string): number {
  const parsed = whole.safeParse(given)
  if (parsed.success) return parsed.data
  throw new InputError('An attempt is named by its place in the log, which is a whole number.', {
    hint: 'Go to it from the list of attempts.',
  })
}

function read<T>(schema: z.ZodType<T>, given: Given): T {
  const parsed = schema.safeParse(given)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  const problem =
    issue?.code === 'unrecognized_keys'
      ? `there is no such thing to ask for as ${issue.keys.map(key => `"${key.slice(0, 40)}"`).join(', ')}`
      : `\`${issue?.path.join('.') ?? ''}\` ${issue?.message ?? ''}`
  throw new InputError(`The list of attempts cannot be asked this: ${problem}.`, {
    hint: 'Take the filters out of the address and choose them on the page.',
  })
}
