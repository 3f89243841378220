import { asRecord, type JsonRecord } from './values.js'

export interface LineContent {
  readonly record?: JsonRecord
  /** Whether the line contained anything that is not a record. */
  readonly isTorn: boolean
}

const nothing: LineContent = { isTorn: false }
const torn: LineContent = { isTorn: true }

/** Maximum number of positions in a truncated line where a record is looked for. */
const mostBeginnings = 64

/**
 * Parses the record in a line. An agent that is killed while writing leaves half a line, or NUL bytes where
 * the data was never written to disk. The next record then follows in the same line and is recovered.
 */
export function readLine(line: string): LineContent {
  // The line is parsed unchanged first, which is faster than searching every line for NUL bytes. A line with
  // a NUL byte is never valid JSON.
  const whole = parsed(line)
  if (whole === undefined) return readDamaged(line.replaceAll('\0', ''))
  const record = asRecord(whole.value)
  return record === undefined ? torn : { record, isTorn: false }
}

function readDamaged(line: string): LineContent {
  if (line.trim() === '') return nothing
  const record = asRecord(parsed(line)?.value)
  if (record !== undefined) return { record, isTorn: false }
  const rest = afterTheTear(line)
  return rest === undefined ? torn : { record: rest, isTorn: true }
}

/**
 * An object after one of these characters is the value of a field or a list item, so it is part of the
 * truncated record.
 */
const beforeParts = /[:[,]\s*$/

/**
 * The record at the end of a line that begins with half of another record. Within strings quotes are escaped,
 * so `{"` always begins an object and is never text. An object that is nested in a complete one does not
 * reach the end of the line.
 */
function afterTheTear(line: string): JsonRecord | undefined {
  if (!line.trimEnd().endsWith('}')) return undefined
  let begin = line.indexOf('{"', 1)
  for (let tried = 0; begin > 0 && tried < mostBeginnings; tried += 1) {
    const isPart = beforeParts.test(line.slice(Math.max(0, begin - 8), begin))
    const record = isPart ? undefined : asRecord(parsed(line.slice(begin))?.value)
    if (record !== undefined) return record
    begin = line.indexOf('{"', begin + 1)
  }
  return undefined
}

function parsed(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) }
  } catch {
    // The line is truncated; the caller counts it.
    return undefined
  }
}
