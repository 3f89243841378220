import { shorten } from '../../../core/text/shorten.js'
import { asRecord } from './values.js'

/** Deeper than this, what a tool was given is no longer looked at. */
const deepest = 24

/** Every text that leaves a source goes through this: redacted whole, and only then shortened. */
export function cleaned(text: string, longest: number, redact: (text: string) => string): string {
  const redacted = redact(text)
  // What is cut from a long text would keep all of it in memory, if it were not copied.
  return redacted.length <= longest ? redacted : copyOf(shorten(redacted, longest))
}

/**
 * What a tool was given, as text. Redacted twice: each text by itself, as it was before its line breaks were escaped; and
 * the whole, where the name of a field tells that its value is a secret.
 */
export function cleanedInput(value: unknown, longest: number, redact: (text: string) => string): string {
  return typeof value === 'string'
    ? cleaned(value, longest, redact)
    : cleaned(JSON.stringify(redactedTexts(value, redact, 0)) ?? '', longest, redact)
}

function redactedTexts(value: unknown, redact: (text: string) => string, depth: number): unknown {
  if (typeof value === 'string') return redact(value)
  if (depth > deepest) return '(nested too deeply)'
  if (Array.isArray(value)) return value.map(item => redactedTexts(item, redact, depth + 1))
  const record = asRecord(value)
  if (record === undefined) return value
  return Object.fromEntries(
    Object.entries(record).map(([name, inner]) => [name, redactedTexts(inner, redact, depth + 1)]),
  )
}

function copyOf(text: string): string {
  return Buffer.from(text, 'utf8').toString('utf8')
}
