import { stripVTControlCharacters } from 'node:util'
import Table from 'cli-table3'
import type picocolors from 'picocolors'
import { plural } from '../../core/text/format.js'

export {
  aboutTokens,
  bytes,
  clean,
  count,
  duration,
  knownCost,
  money,
  oneLine,
  plural,
  points,
  shortCount,
  signedPoints,
} from '../../core/text/format.js'

export { shownPath } from '../../system/shown-path.js'

export type Colors = ReturnType<typeof picocolors.createColors>

/** Number of terminal columns that a text takes. */
export function widthOf(text: string): number {
  let width = 0
  for (const character of stripVTControlCharacters(text)) width += widthOfCharacter(character)
  return width
}

const wide =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u
const weightless = /[\p{Mn}\p{Me}\p{Cf}]/u

function widthOfCharacter(character: string): number {
  if (character < '\u0300') return 1
  if (weightless.test(character)) return 0
  return wide.test(character) ? 2 : 1
}

/** Cuts an uncoloured text to `width` columns, with an ellipsis if anything is cut. */
export function fit(text: string, width: number): string {
  if (widthOf(text) <= width) return text
  let kept = ''
  let used = 0
  for (const character of text) {
    const next = used + widthOfCharacter(character)
    if (next > width - 1) break
    kept += character
    used = next
  }
  return width > 0 ? `${kept.trimEnd()}…` : ''
}

export function padEnd(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - widthOf(text)))
}

export function padStart(text: string, width: number): string {
  return ' '.repeat(Math.max(0, width - widthOf(text))) + text
}

/** Joins as many parts as fit into the width. The others are dropped. */
export function joinWithin(parts: readonly string[], width: number, separator = ' · '): string {
  let line = parts[0] ?? ''
  for (const part of parts.slice(1)) {
    if (widthOf(line + separator + part) > width) break
    line += separator + part
  }
  return line
}

/** Like `joinWithin`, but wraps parts that do not fit onto the next line. */
export function joinLines(parts: readonly string[], width: number, separator = ' · '): string[] {
  const lines: string[] = []
  for (const part of parts) {
    const longer = lines.length === 0 ? undefined : lines.at(-1) + separator + part
    if (longer !== undefined && widthOf(longer) <= width) lines[lines.length - 1] = longer
    else lines.push(fit(part, width))
  }
  return lines
}

export function ago(milliseconds: number): string {
  const minutes = Math.floor(milliseconds / 60_000)
  if (minutes < 1) return 'just now'
  if (minutes < 60) return `${minutes} min ago`
  const hours = Math.floor(minutes / 60)
  return hours < 48 ? `${hours} h ago` : `${plural(Math.floor(hours / 24), 'day')} ago`
}

/** A table without frame. It has a heading row, two spaces between columns, and numbers aligned right. */
export function table(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  options: { colors: Colors; right?: readonly number[] },
): string {
  const none = { top: '', 'top-mid': '', 'top-left': '', 'top-right': '', bottom: '', 'bottom-mid': '' }
  const noneElse = { 'bottom-left': '', 'bottom-right': '', left: '', 'left-mid': '', mid: '', 'mid-mid': '' }
  const grid = new Table({
    chars: { ...none, ...noneElse, right: '', 'right-mid': '', middle: '  ' },
    style: { 'padding-left': 0, 'padding-right': 0, head: [], border: [] },
    colAligns: head.map((_, index) => (options.right?.includes(index) ? 'right' : 'left')),
  })
  grid.push(
    head.map(title => options.colors.dim(title)),
    ...rows.map(row => [...row]),
  )
  return grid
    .toString()
    .split('\n')
    .map(line => line.trimEnd())
    .join('\n')
}

/** Converts an option name to its flag: `maxCalls` becomes `--max-calls`. */
export function optionFlag(name: string): string {
  return `--${name.replaceAll(/[A-Z]/g, letter => `-${letter.toLowerCase()}`)}`
}
