/** Converts a cell's number to a date, a time of day or a duration by its number format, as openpyxl does. */
import { pythonRound } from '../../scoring/python-number.js'
import type { Cell } from './cells.js'

const dayMilliseconds = 86_400_000
/** Days from 1899-12-30 to 1904-01-01, the start of the old Mac calendar. */
const macOffset = 1462
/** Years 1 to 9999, as days from 1899-12-30. */
const firstDay = -693_593
const lastDay = 2_958_465
const longestDays = 999_999_999

const ignoredInFormats = /".*?"|\[(?!hh?\]|mm?\]|ss?\])[^\]]*\]/g
const dateLetter = /(?<![_\\])[dmhys]/i
const elapsed = /\[(?:hh?|mm?|ss?)\]/i

export type NumberMeaning = 'number' | 'date' | 'duration'

/** Only the first section of a format, for positive numbers, is used. */
export function meaningOf(format: string): NumberMeaning {
  const section = format.split(';')[0] ?? ''
  if (!dateLetter.test(section.replace(ignoredInFormats, ''))) return 'number'
  return elapsed.test(section) ? 'duration' : 'date'
}

export function durationOf(days: number): Cell {
  if (Math.abs(days) > longestDays) return outside
  const wholeDays = Math.trunc(days)
  const microseconds = pythonRound((days - wholeDays) * dayMilliseconds * 1000)
  const seconds = Math.floor(microseconds / 1_000_000)
  const rest = pythonRound(microseconds / 1000 - seconds * 1000)
  return { kind: 'duration', milliseconds: wholeDays * dayMilliseconds + seconds * 1000 + rest }
}

/** A value below one day is a time of day, whatever the format shows. */
export function dateOf(serial: number, date1904: boolean): Cell {
  const wholeDays = Math.floor(serial)
  // Multiplied in two steps, because the intermediate rounding affects the result.
  const milliseconds = pythonRound((serial - wholeDays) * 86_400 * 1000)
  if (serial >= 0 && serial < 1 && milliseconds < dayMilliseconds) return { kind: 'time', milliseconds }
  // Excel counts a 29 February 1900 that never existed; serials before it are one day too low.
  const phantom = !date1904 && serial > 0 && serial < 60 ? 1 : 0
  const days = wholeDays + phantom + (date1904 ? macOffset : 0)
  const total = days * dayMilliseconds + milliseconds
  if (total < firstDay * dayMilliseconds || total >= (lastDay + 1) * dayMilliseconds) return outside
  return { kind: 'date', milliseconds: total }
}

/** A value formatted as a date but out of range is read as this error. */
const outside: Cell = { kind: 'error', value: '#VALUE!' }
