import { PausedError } from '../../../core/errors/errors.js'
import type { Sandbox } from '../../../core/ports/sandbox.js'
import type { Score } from '../../../core/task/task.js'
import type { Cell, Workbook } from './cells.js'
import { type Comparison, compareWorkbooks, type WrongCell } from './compare.js'
import type { CasePaths, SpreadsheetTask } from './items.js'
import { valueText } from './preview.js'
import { recalculated } from './recalculate.js'
import { readWorkbook } from './workbook.js'
import { WorkbookError } from './workbook-error.js'

/** A program's output for a case: a workbook, or the reason why there is none. */
export type Made = { readonly output: string } | { readonly problem: string }

/** The result of a case: a comparison of cells, or the problem that prevented it. */
export type CaseResult = Comparison | { readonly passed: false; readonly problem: string }

export interface CompareContext {
  readonly sandbox: Sandbox
  readonly signal: AbortSignal
  /** Whether formulas are recalculated by LibreOffice before they are compared. */
  readonly recalculate: boolean
}

/** Number of wrong cells to show: enough to see a pattern, as a reflection prompt has many such lists. */
const shownCells = 12

/** Hard is 1 if all cases passed; soft is the share of cases that passed. */
export function scoreOf(results: readonly CaseResult[]): Score {
  const passed = results.filter(result => result.passed).length
  return {
    hard: passed === results.length ? 1 : 0,
    soft: passed / results.length,
    feedback: feedbackOn(results),
  }
}

/** Compares one case. An unreadable output is the agent's fault; an unreadable reference is not. */
export async function checkCase(
  task: SpreadsheetTask,
  paths: CasePaths,
  made: Made,
  context: CompareContext,
): Promise<CaseResult> {
  if ('problem' in made) return { passed: false, problem: made.problem }
  const gold = await readWorkbook(paths.gold, context.signal).catch((error: unknown) => {
    if (!(error instanceof WorkbookError)) throw error
    throw new PausedError(`The reference file ${paths.gold} of task ${task.id} ${error.message}.`, {
      hint: 'Replace it, or take the task out of the data and start another run with --new.',
      cause: error,
    })
  })
  const workbook = await readMade(made.output, context)
  if ('problem' in workbook) return { passed: false, problem: workbook.problem }
  return compareWorkbooks(gold, workbook, task.positions)
}

async function readMade(
  file: string,
  context: CompareContext,
): Promise<Workbook | { readonly problem: string }> {
  try {
    const workbook = await readWorkbook(file, context.signal)
    return context.recalculate ? await recalculated(workbook, file, context) : workbook
  } catch (error) {
    if (error instanceof WorkbookError) return { problem: `the workbook that was made ${error.message}` }
    throw error
  }
}

// ── Feedback ────────────────────────────────────────────────────────────────

function feedbackOn(results: readonly CaseResult[]): string {
  const passed = results.filter(result => result.passed).length
  const several = results.length > 1
  const summary = several
    ? `${passed} of ${results.length} cases passed.`
    : `The workbook is ${passed === 1 ? 'right' : 'wrong'}.`
  const failures = results.flatMap((result, index) =>
    result.passed ? [] : [`${several ? `Case ${index + 1}: ` : ''}${failureOf(result)}`],
  )
  return [summary, ...failures].join('\n')
}

function failureOf(result: CaseResult): string {
  if ('problem' in result) return asSentence(result.problem)
  const { wrong, missingSheets, unknownSheets } = result
  const sheets = [
    ...missingSheets.map(name => `The sheet "${name}" is missing.`),
    ...unknownSheets.map(name => `The reference file has no sheet "${name}" either, so nothing can pass.`),
  ]
  if (wrong.length === 0) return sheets.join(' ')
  const more = wrong.length > shownCells ? [`- and ${wrong.length - shownCells} more`] : []
  const count = wrong.length === 1 ? 'One cell is wrong' : `${wrong.length} cells are wrong`
  const lines = wrong.slice(0, shownCells).map(lineOn)
  return [...sheets, `${count}:`, ...lines, ...more, ...uncalculatedNote(wrong)].join('\n')
}

function lineOn({ cell, expected, found }: WrongCell): string {
  return `- ${cell}: expected ${described(expected)}, found ${described(found)}`
}

function described(cell: Cell): string {
  if (isUncalculated(cell)) return `the formula =${cell.formula} without a value`
  if (cell.kind === 'empty') return 'nothing'
  return cell.kind === 'text' ? JSON.stringify(cell.value) : `${valueText(cell)} (${cell.kind})`
}

function uncalculatedNote(wrong: readonly WrongCell[]): readonly string[] {
  const count = wrong.filter(({ found }) => isUncalculated(found)).length
  if (count === 0) return []
  const which = count === wrong.length ? 'All of them hold formulas' : `${count} of them hold formulas`
  return [`${which}: nothing calculates them, and a cell counts by the value that is saved in it.`]
}

function isUncalculated(cell: Cell): boolean {
  return cell.kind === 'empty' && cell.formula !== undefined
}

/** Makes a sentence of a problem. Some problems are sentences already, followed by a program's output. */
function asSentence(problem: string): string {
  const text = problem.charAt(0).toUpperCase() + problem.slice(1)
  return /[.]$|\n/.test(text) ? text : `${text}.`
}
