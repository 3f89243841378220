import { asRecord, type JsonRecord } from './values.js'

export interface LineContent {
  readonly record?: JsonRecord
  /** Something was there that is no record. */
  readonly isTorn: boolean
}

const nothing: LineContent = { isTorn: false }
const torn: LineContent = { isTorn: true }

/** So many beginnings are tried in a torn line before it is given up. */
const mostBeginnings = 64

/**
 * The record in a line. An agent that was killed while it wrote leaves half a line, or zeros where the system never
 * wrote what it had promised; the next record then follows in the same line, and is not lost with it.
 */
export function readLine(line: string): LineContent {
  // As it is first: no line with a zero in it is JSON, and to look for one in every line takes time.
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

/** After these, an object is the value of a field or an item of a list: a part of the torn record. */
const beforeParts = /[:[,]\s*$/

/**
 * The record at the end of a line that begins with half of another. Quotes are escaped within texts, so `{"` begins an
 * object and nothing that somebody wrote; and an object inside a whole one does not reach to the end of the line.
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
    // Torn: the caller counts it.
    return undefined
  }
}
