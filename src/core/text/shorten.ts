import { count } from './format.js'

/** The beginning and the end of a text that is longer than this, and how much is missing between. */
export function shorten(text: string, longest: number): string {
  const gap = (without: number) => `\n(${count(without)} characters left out here)\n`
  if (text.length <= longest) return text
  const kept = longest - gap(text.length).length
  // Half of a character that takes two places is none.
  const start = text.slice(0, Math.ceil(kept / 2)).replace(/[\uD800-\uDBFF]$/, '')
  const end = text.slice(-Math.floor(kept / 2)).replace(/^[\uDC00-\uDFFF]/, '')
  return `${start}${gap(text.length - start.length - end.length)}${end}`
}
