import type { Session, SessionContext } from '../../../core/ports/environment.js'
import type { Comparison } from './compare.js'
import type { ExecutionSettings } from './execution.js'
import type { CasePaths, SpreadsheetTask } from './items.js'
import { programIn } from './program.js'
import type { Trial } from './trials.js'

export const multiInstructions = `You change spreadsheets by writing Python.
Each task has an instruction, the beginning of every sheet of a workbook, and the position where the answer is looked for.
Reply with one Python program in a code block. It is run as it stands, with openpyxl and pandas and without a network. INPUT_PATH holds the path of the workbook, OUTPUT_PATH the path to which the changed workbook has to be saved; both are set when your program starts.
The same program is run on other workbooks of the same form with other values, so let it read the values from the file.
When it fails you are told how, and can reply with a better program. A reply without a program that says DONE ends the task with the last program that you gave.`

export interface MultiSettings extends ExecutionSettings {
  readonly turns: number
  readonly secondsPerTask: number
  readonly recalculate: boolean
}

/** Maximum number of wrong cells that are reported to an agent. */
const namedCells = 20

/**
 * A session in which the agent writes a program that is tried on the first case. The agent sees errors. It
 * sees whether the result is correct only if the task allows it.
 */
export function multiSession(
  task: SpreadsheetTask & { readonly namesWrongCells?: boolean },
  firstCase: CasePaths,
  texts: Pick<Session, 'instructions' | 'prompt'>,
  { turns, secondsPerTask }: MultiSettings,
  context: SessionContext,
  trial: Trial,
): Session {
  return {
    ...texts,
    skillAt: 'system',
    tools: [],
    turnLimit: turns,
    secondsLimit: secondsPerTask,
    async reply(text) {
      const program = programIn(text)
      if (program === undefined) return isDone(text) ? 'done' : noProgram
      const result = await trial(program, task, firstCase, context)
      if ('problem' in result) return `That did not work: ${result.problem}\n\n${goOn}`
      if (result.passed || task.namesWrongCells !== true) return 'done'
      return `${wrongCells(result)}\n\n${goOn}`
    },
    close: async () => {},
  }
}

const goOn = 'Reply with a better program, or with DONE to leave it at this one.'
const noProgram =
  'There is no program in your reply. Put a Python program into a code block, or reply with DONE if you have given your last one.'

function isDone(text: string): boolean {
  return /\bDONE\b/.test(text)
}

/** Tells the agent which cells are wrong, but not their correct values. */
function wrongCells({ wrong, missingSheets, unknownSheets }: Comparison): string {
  const missing = [...missingSheets, ...unknownSheets].map(name => `The sheet "${name}" is missing.`)
  const cells = wrong.slice(0, namedCells).map(({ cell }) => cell)
  const more = wrong.length > namedCells ? ` and ${wrong.length - namedCells} more` : ''
  const listed =
    wrong.length === 0
      ? []
      : [`These cells of the answer do not hold what they should: ${cells.join(', ')}${more}.`]
  return ['The program ran, but its answer is wrong.', ...missing, ...listed].join(' ')
}
