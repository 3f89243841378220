import { z } from 'zod'

const words = z.string().min(1)
const wholeNumber = 'must be a whole number of at least 0'
const characters = z.number(wholeNumber).int(wholeNumber).nonnegative(wholeNumber)

const wordChecks = [
  'contains',
  'not_contains',
  'regex',
  'section_present',
  'section_contains',
  'tool_called',
] as const
const lengthChecks = ['max_chars', 'min_chars'] as const
export const allChecks = [...wordChecks, ...lengthChecks, 'no_refusal']

/** A programmatic check of a reply and of the tool calls that led to it. */
export const checkSchema = z.discriminatedUnion(
  'op',
  [
    z.strictObject({ op: z.enum(wordChecks), arg: words }),
    z.strictObject({ op: z.enum(lengthChecks), arg: characters }),
    z.strictObject({
      op: z.literal('no_refusal'),
      arg: z.literal(true, 'must be true, or left out').default(true),
    }),
  ],
  { error: ({ code }) => (code === 'invalid_union' ? `must be one of ${allChecks.join(', ')}` : undefined) },
)
export const checksSchema = z.array(checkSchema)

export type Check = z.infer<typeof checkSchema>

const shapeChecks: ReadonlySet<Check['op']> = new Set<Check['op']>([
  'section_present',
  'section_contains',
  'max_chars',
  'min_chars',
  'no_refusal',
])

/** Whether the check looks only at headings and lengths, so that a wrong reply can pass it. */
export const isShapeCheck = ({ op }: Check): boolean => shapeChecks.has(op)
