import type { z } from 'zod'

/** What an agent printed, record by record. Notices between the records and a last line torn by a kill are no reason to fail. */
export interface Records<T> {
  readonly records: readonly T[]
  /** Whatever is neither known nor known to be of no use. */
  readonly skipped: number
}

/** `passed` names the records that say nothing about the trajectory. */
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
    // Not a record: counted by the caller, or torn.
    return undefined
  }
}

function typeOf(value: unknown): string {
  const type = typeof value === 'object' && value !== null && 'type' in value ? value.type : undefined
  return typeof type === 'string' ? type : ''
}
