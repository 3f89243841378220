import { createRequire } from 'node:module'
import { resolve } from 'node:path'
import { z } from 'zod'
import { InputError } from '../../../core/errors/errors.js'
import type { Environment, ScoreContext } from '../../../core/ports/environment.js'
import type { Score, Trajectory } from '../../../core/task/task.js'
import { optionalPackage } from '../../../system/optional-package.js'
import { dataOptions, readSplits, type Splits } from '../../loading/data.js'
import { ownPrompts } from '../../loading/own-prompts.js'
import { checkPython, findOutput } from './execution.js'
import { readItems, type SpreadsheetItems, type SpreadsheetTask } from './items.js'
import { type MultiSettings, multiInstructions, multiSession } from './multi.js'
import { previewOf } from './preview.js'
import { lastProgram } from './program.js'
import { reactInstructions, reactSession } from './react.js'
import { checkRecalculation } from './recalculate.js'
import { type CaseResult, checkCase, scoreOf } from './score.js'
import { createTrials, type Trial } from './trials.js'
import { readWorkbook } from './workbook.js'

const whole = (usual: number, about: string) => z.int().positive().default(usual).describe(about)
const seconds = (usual: number, about: string) =>
  z.number().positive().max(3600).default(usual).describe(about)

export const options = z.strictObject({
  ...dataOptions,
  files: z
    .string()
    .optional()
    .describe('The folder in which `spreadsheet_path` of the items starts. Default: the folder of the data.'),
  mode: z
    .enum(['multi', 'react'])
    .default('multi')
    .describe(
      '`multi`: the agent writes a program that runs on every case. `react`: it works in a folder with tools; the first case is scored.',
    ),
  instructions: z
    .string()
    .optional()
    .describe(
      'What the agent is told before the skill. Default: how to give its program, or to use its tools.',
    ),
  maxTurns: whole(30, 'Calls of the model per task.'),
  secondsPerTask: seconds(600, 'Time for a whole task; the turn that passes it is the last.'),
  secondsPerExecution: seconds(120, 'Time for a program; in react mode at most 60 seconds are given.'),
  memoryLimit: z
    .int()
    .min(128)
    .default(1024)
    .describe('Megabytes of memory for all processes of a program together.'),
  previewRows: whole(5, 'Rows of every sheet that the agent is shown.'),
  previewColumns: whole(20, 'Columns of every sheet that the agent is shown.'),
  previewCharacters: whole(40, 'The most characters of a value that the agent is shown.'),
  trainingFeedback: z
    .boolean()
    .default(true)
    .describe('With `multi`, on train tasks only: tell the agent which cells are wrong.'),
  recalculate: z.boolean().default(false).describe('Calculate formulas with LibreOffice before comparing.'),
  python: z
    .string()
    .min(1)
    .default('python3')
    .describe('The Python that runs programs; it needs openpyxl and pandas.'),
  readOnly: z.array(z.string()).default([]).describe('Further folders that the sandbox may read.'),
})

type Options = z.infer<typeof options>

interface Task extends SpreadsheetTask {
  /** Whether wrong cells are reported to the agent; set only for train tasks. */
  readonly namesWrongCells?: true
}

/** Questions about real spreadsheets. Python programs answer them and are compared cell by cell. */
export async function create(
  given: Options,
  { baseDir }: { readonly baseDir: string },
): Promise<Environment<Task>> {
  await optionalPackage('@e965/xlsx', 'spreadsheets', async () =>
    createRequire(import.meta.url).resolve('@e965/xlsx'),
  )
  const files = given.files === undefined ? undefined : resolve(baseDir, given.files)
  const items = await readItems(await readSplits(given, baseDir), files)
  const tasks = withFeedback(items.tasks, given)
  const settings: MultiSettings = {
    python: given.python,
    readOnly: given.readOnly.map(folder => resolve(baseDir, folder)),
    seconds: given.secondsPerExecution,
    memoryMegabytes: given.memoryLimit,
    turns: given.maxTurns,
    secondsPerTask: given.secondsPerTask,
    recalculate: given.recalculate,
  }
  const trial = createTrials(settings)
  const isMulti = given.mode === 'multi'
  const instructions = given.instructions ?? (isMulti ? multiInstructions : reactInstructions)
  return {
    id: 'spreadsheetbench',
    needs: isMulti ? ['chat', 'turns'] : ['chat', 'tools'],
    scoring: { sandbox: true },
    prompts: await ownPrompts(import.meta.url),
    async checkSandbox(sandbox) {
      await checkPython(sandbox, settings)
      if (given.recalculate) await checkRecalculation({ sandbox, signal: new AbortController().signal })
    },
    tasks: async split => tasks[split],
    async open(task, context) {
      const [firstCase] = await items.casePaths(task)
      if (firstCase === undefined) throw new InputError(`The task ${task.id} has no case.`)
      const limits = {
        rows: given.previewRows,
        columns: given.previewColumns,
        characters: given.previewCharacters,
      }
      const preview = previewOf(await readWorkbook(firstCase.input, context.signal), limits)
      const texts = { instructions, prompt: promptOf(task, preview) }
      return isMulti
        ? multiSession(task, firstCase, texts, settings, context, trial)
        : reactSession(firstCase, texts, settings, context)
    },
    score: (task, trajectory, context) =>
      isMulti
        ? scorePrograms(task, trajectory, items, context, trial)
        : scoreWorkspace(task, items, settings, context),
  }
}

function withFeedback(tasks: Splits<SpreadsheetTask>, { trainingFeedback }: Options): Splits<Task> {
  if (!trainingFeedback) return tasks
  return { ...tasks, train: tasks.train.map(task => ({ ...task, namesWrongCells: true })) }
}

const typeNames: Readonly<Record<string, string>> = {
  cell_level: 'Cell-Level Manipulation',
  sheet_level: 'Sheet-Level Manipulation',
}

function promptOf({ instruction, type, answerPosition }: SpreadsheetTask, preview: string): string {
  const typeName = typeNames[type ?? '']
  return [
    `Instruction:\n${instruction}`,
    `Workbook:\n${preview}`,
    [
      ...(typeName === undefined ? [] : [`Instruction type: ${typeName}`]),
      `Answer position: ${answerPosition}`,
    ].join('\n'),
  ].join('\n\n')
}

/** Runs the attempt's last program on every case and scores it, however the attempt ended. */
async function scorePrograms(
  task: SpreadsheetTask,
  { messages }: Trajectory,
  items: SpreadsheetItems,
  context: ScoreContext,
  trial: Trial,
): Promise<Score> {
  const program = lastProgram(messages)
  if (program === undefined) return { hard: 0, soft: 0, feedback: 'The agent gave no program.' }
  const results: CaseResult[] = []
  for (const paths of await items.casePaths(task)) results.push(await trial(program, task, paths, context))
  return scoreOf(results)
}

/** Scores a workbook that an agent made in its folder. It answers only the first case. */
async function scoreWorkspace(
  task: SpreadsheetTask,
  items: SpreadsheetItems,
  { recalculate }: MultiSettings,
  context: ScoreContext,
): Promise<Score> {
  const [firstCase] = await items.casePaths(task)
  const { workspace } = context
  if (firstCase === undefined || workspace === undefined) {
    throw new Error(`The attempt at ${task.id} has no folder in which its workbook could be.`)
  }
  const made = await findOutput(workspace)
  return scoreOf([await checkCase(task, firstCase, made, { ...context, recalculate })])
}
