/** Converts a cell's number to a date, a time of day or a duration by its number format, as openpyxl does. */
import { pythonRound } from '../../scoring/python-number.js'
import type { Cell } from './cells.js'

const dayMilliseconds = 86_400_000
/** Days from 1899-12-30 to 1904-01-01, where the calendar of old Mac versions of Excel begins. */
const macOffset = 1462
/** The years 1 to 9999, in days since 1899-12-30. */
const firstDay = -693_593
const lastDay = 2_958_465
const longestDays = 999_999_999

const ignoredInFormats = /".*?"|\[(?!hh?\]|mm?\]|ss?\])[^\]]*\]/g
const dateLetter = /(?<![_\\])[dmhys]/i
const elapsed = /\[(?:hh?|mm?|ss?)\]/i

export type NumberMeaning = 'number' | 'date' | 'duration'

/** What a number format means. Only its first section is used, which is for positive numbers. */
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

/** Converts a date's serial number. A value below one day is a time of day, whatever its format. */
export function dateOf(serial: number, date1904: boolean): Cell {
  const wholeDays = Math.floor(serial)
  // This is multiplied in two steps, because the intermediate rounding affects the result.
  const milliseconds = pythonRound((serial - wholeDays) * 86_400 * 1000)
  if (serial >= 0 && serial < 1 && milliseconds < dayMilliseconds) return { kind: 'time', milliseconds }
  // Excel counts a 29 February 1900 that never existed, so serial numbers before it are one day too low.
  const phantom = !date1904 && serial > 0 && serial < 60 ? 1 : 0
  const days = wholeDays + phantom + (date1904 ? macOffset : 0)
  const total = days * dayMilliseconds + milliseconds
  if (total < firstDay * dayMilliseconds || total >= (lastDay + 1) * dayMilliseconds) return outside
  return { kind: 'date', milliseconds: total }
}

/** The value of a cell whose date is out of range. */
const outside: Cell = { kind: 'error', value: '#VALUE!' }
