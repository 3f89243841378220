/** Reads and rounds numbers as Python does; `python-text.ts` does the same for text. */
import { strip } from './python-text.js'

const digits = '[0-9](?:_?[0-9])*'
const numeral = new RegExp(`^[+-]?(?:${digits}(?:\\.(?:${digits})?)?|\\.${digits})(?:[eE][+-]?${digits})?$`)
const special = /^([+-]?)(?:(inf(?:inity)?)|nan)$/i

/** Python's `float(text)`; undefined where Python raises `ValueError`. */
export function pythonFloat(text: string): number | undefined {
  // In a text with only ASCII characters, Python strips fewer characters as white space.
  const bare = /^[\0-\x7f]*$/.test(text) ? text.replace(/^[\t-\r ]+|[\t-\r ]+$/g, '') : strip(text)
  const ascii = bare.replace(/[^\P{Nd}0-9]/gu, digit => String(digitValue(digit)))
  if (numeral.test(ascii)) return Number(ascii.replaceAll('_', ''))
  const named = special.exec(ascii)
  if (named === null) return undefined
  if (named[2] === undefined) return Number.NaN
  return named[1] === '-' ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY
}

/** Python's `round(value, places)`: rounds the exact binary value, and ties to the even digit. */
export function pythonRound(value: number, places = 0): number {
  if (Number.isInteger(value)) return value
  // A tie is an odd multiple of 2^-(places + 1): only such a number ends exactly half a unit after the last
  // place.
  const scaled = Math.abs(value) * 2 ** (places + 1)
  if (scaled % 2 !== 1) return Number.isFinite(value) ? Number(value.toFixed(places)) : value
  const below = (BigInt(scaled) * 10n ** BigInt(places)) >> BigInt(places + 1)
  const even = below % 2n === 0n ? below : below + 1n
  return Math.sign(value) * Number(`${even}e-${places}`)
}

/** The value of any Unicode digit. Unicode has digits in groups of ten that start at zero. */
function digitValue(digit: string): number {
  const code = digit.codePointAt(0) ?? 0
  let first = code
  while (/\p{Nd}/u.test(String.fromCodePoint(first - 1))) first -= 1
  return (code - first) % 10
}
