import type { Finding } from '../../../prepare/check.js'
import { clean } from '../../output/text.js'
import { type Io, printLine } from '../../terminal/io.js'

const shownAtOnce = 5

/** Prints a finding in the style of `doctor`, with the first few tasks that it concerns. */
export function printFinding(io: Io, { level, text, hint, tasks }: Finding): void {
  const { colors } = io
  const mark = {
    problem: colors.red('fail'),
    warning: colors.yellow('warn'),
    note: colors.dim('note'),
  }[level]
  printLine(io, `${mark}  ${clean(text)}`)
  if (tasks.length > 0) printLine(io, `      ${clean(firstOf(tasks))}`)
  if (hint !== undefined) printLine(io, `      ${clean(hint)}`)
}

function firstOf(tasks: readonly string[]): string {
  // Tasks named by a sentence get a line each; ids share a line.
  const separator = tasks.some(task => task.includes(', ')) ? '\n      ' : ', '
  const rest = tasks.length - shownAtOnce
  const more = rest > 0 ? [`and ${rest} more`] : []
  return [...tasks.slice(0, shownAtOnce), ...more].join(separator)
}
