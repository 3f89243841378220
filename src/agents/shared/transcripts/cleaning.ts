import { shorten } from '../../../core/text/shorten.js'
import { asRecord } from './values.js'

/** Tool input nested deeper than this is ignored. */
const deepest = 24

/** Every text that leaves a source passes through this: it is redacted whole, and only then shortened. */
export function cleaned(text: string, longest: number, redact: (text: string) => string): string {
  const redacted = redact(text)
  // Copied, because a substring would keep the whole long text in memory.
  return redacted.length <= longest ? redacted : copyOf(shorten(redacted, longest))
}

/**
 * Tool input as text, redacted twice: each string by itself, before its line breaks are escaped, and then
 * the whole, where a field's name shows that its value is a secret.
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
