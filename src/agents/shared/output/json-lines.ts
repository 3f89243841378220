import { z } from 'zod'

/**
 * The records that an agent printed. Other output between records, or a last line cut off by a kill, is not
 * an error.
 */
export interface Records<T> {
  readonly records: readonly T[]
  /** Number of lines and records that are neither known nor listed as irrelevant. */
  readonly skipped: number
}

/**
 * Parses each line of stdout as a record. Records whose type is in `passed` are irrelevant and are dropped.
 */
export function recordsIn<T>(
  stdout: string,
  schema: z.ZodType<T>,
  passed: ReadonlySet<string> = new Set(),
): Records<T> {
  const lines = stdout.split('\n')
  const last = lines.length - 1
  const records: T[] = []
  let skipped = 0
  for (const [index, line] of lines.entries()) {
    if (line.trim() === '') continue
    const value = parsed(line)
    if (value === undefined && index === last) continue
    const known = schema.safeParse(value)
    if (known.success) records.push(known.data)
    else if (!passed.has(typeOf(value))) skipped++
  }
  return { records, skipped }
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    // The line is not a record or is truncated; the caller counts it.
    return undefined
  }
}

function typeOf(value: unknown): string {
  const type = typeof value === 'object' && value !== null && 'type' in value ? value.type : undefined
  return typeof type === 'string' ? type : ''
}

const textBlock = z.object({ type: z.literal('text'), text: z.string() })

/**
 * The text of a message content, which is a string or a list of blocks. An image or a file is represented by
 * its type.
 */
export function textIn(content: unknown): string {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return content === undefined || content === null ? '' : JSON.stringify(content)
  return content.map(blockText).join('\n')
}

function blockText(block: unknown): string {
  const text = textBlock.safeParse(block)
  if (text.success) return text.data.text
  const other = z.object({ type: z.string() }).safeParse(block)
  return other.success ? `[${other.data.type}]` : JSON.stringify(block)
}
