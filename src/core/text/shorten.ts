import { count } from './format.js'

/**
 * Keeps the beginning and the end of a text longer than `longest`, and states how much is missing between.
 */
export function shorten(text: string, longest: number): string {
  const gap = (without: number) => `\n(${count(without)} characters left out here)\n`
  if (text.length <= longest) return text
  const kept = longest - gap(text.length).length
  // Avoids cutting a surrogate pair in half.
  const start = text.slice(0, Math.ceil(kept / 2)).replace(/[\uD800-\uDBFF]$/, '')
  const end = text.slice(-Math.floor(kept / 2)).replace(/^[\uDC00-\uDFFF]/, '')
  return `${start}${gap(text.length - start.length - end.length)}${end}`
}
