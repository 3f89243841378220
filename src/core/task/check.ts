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
/** Every `op`. */
export const allChecks = [...wordChecks, ...lengthChecks, 'no_refusal']

/** What a program can look for in a reply, and in the calls of tools that led to it. */
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

/** Looks at headings and lengths, not at what is said: a reply can pass it without being right. */
export const isShapeCheck = ({ op }: Check): boolean => shapeChecks.has(op)
