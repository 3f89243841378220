import { readdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import PQueue from 'p-queue'
import { z } from 'zod'
import { InputError, messageOf, PausedError } from '../../../core/errors/errors.js'
import type { Task } from '../../../core/task/task.js'
import { contentHash } from '../../../core/text/hash.js'
import { readPlainFile } from '../../../system/plain-file.js'
import { checkSplits, type PlacedItem, type Splits } from '../../loading/data.js'
import { isMissing } from '../../loading/rows.js'
import { isBelow } from '../../scoring/workspace.js'
import { findCases } from './cases.js'
import { type Position, parsePositions } from './positions.js'
import { readWholeFile } from './workbook.js'

export interface SpreadsheetTask extends Task {
  readonly instruction: string
  /** The cells of the answer as shown to the agent, with the sheet if the item names one. */
  readonly answerPosition: string
  readonly positions: readonly Position[]
  /** The test cases. One program has to solve all of them. */
  readonly cases: readonly SpreadsheetCase[]
}

export interface SpreadsheetCase {
  readonly number: string
  readonly input: CaseFile
  readonly gold: CaseFile
}

/** A file in a task's folder. If its content changes, the task is a different one. */
interface CaseFile {
  readonly name: string
  readonly hash: string
}

/** Paths of a test case's files on this machine. */
export interface CasePaths {
  readonly number: string
  readonly input: string
  readonly gold: string
}

export interface SpreadsheetItems {
  readonly tasks: Splits<SpreadsheetTask>
  /** Finds the files of a task. Throws `PausedError` if one has changed since the tasks were read. */
  casePaths(task: SpreadsheetTask): Promise<readonly CasePaths[]>
}

const optionalText = z
  .string()
  .nullish()
  .transform(text => text ?? undefined)

const itemSchema = z.object({
  id: z.union([z.string().min(1), z.number()]).transform(String),
  instruction: z.string().min(1),
  spreadsheet_path: optionalText,
  instruction_type: optionalText,
  answer_position: z.string().min(1),
  answer_sheet: optionalText,
})

/** Maximum number of files opened at once; there may be thousands of files. */
const filesAtOnce = 8
const namedTasks = 10

/**
 * Reads items and checks their files. Throws an `InputError` that describes the first bad item and lists the
 * others.
 * @param files Base folder of `spreadsheet_path`, if it is not the folder of the data.
 */
export async function readItems(items: Splits<PlacedItem>, files?: string): Promise<SpreadsheetItems> {
  const folders = new Map<string, string>()
  const places = new PQueue({ concurrency: filesAtOnce })
  const bad: InputError[] = []
  const readSplit = async (split: readonly PlacedItem[]) => {
    const tasks = await Promise.all(
      split.map(item =>
        places.add(async () => {
          try {
            const { task, folder } = await readItem(item, files)
            folders.set(task.id, folder)
            return task
          } catch (error) {
            if (!(error instanceof InputError)) throw error
            bad.push(error)
            return undefined
          }
        }),
      ),
    )
    return tasks.filter(task => task !== undefined)
  }
  const tasks = {
    train: await readSplit(items.train),
    val: await readSplit(items.val),
    test: await readSplit(items.test),
  }
  refuseBad(bad)
  checkSplits(tasks, ({ instruction, cases }) =>
    [instruction, ...cases.map(({ input }) => input.hash)].join(' '),
  )
  return {
    tasks,
    async casePaths(task) {
      const folder = folders.get(task.id)
      if (folder === undefined) throw new Error(`${task.id} is none of the tasks that were read.`)
      return pathsOf(task, folder)
    },
  }
}

/** Reads an item and finds the folder of its files. Throws `InputError`. */
export async function readItem(
  item: PlacedItem,
  files: string = item.root,
): Promise<{ readonly task: SpreadsheetTask; readonly folder: string }> {
  const parsed = itemSchema.safeParse(item.fields)
  if (!parsed.success) {
    throw new InputError(`${item.at} is not a SpreadsheetBench item: ${z.prettifyError(parsed.error)}`, {
      hint: 'Each item has `id`, `instruction`, `spreadsheet_path` and `answer_position`.',
    })
  }
  const { id, instruction, instruction_type: type = '', ...fields } = parsed.data
  const at = `${item.at} (task ${id})`
  const path = fields.spreadsheet_path ?? `spreadsheet/${id}`
  if (!isBelow(path)) {
    throw new InputError(`${at}: the folder ${path} lies outside of ${files}.`, {
      hint: 'Write `spreadsheet_path` relative to the folder with the spreadsheets.',
    })
  }
  const folder = resolve(files, path)
  const position = {
    answerPosition: answerPosition(fields.answer_position, fields.answer_sheet),
    positions: readPositions(fields.answer_position, fields.answer_sheet, at),
  }
  const cases = await readCases(folder, path, id, at)
  return { task: { id, type: typeOf(type), instruction, ...position, cases }, folder }
}

/** The type of a task, for grouping tasks in reports. */
function typeOf(instructionType: string): string {
  const lower = instructionType.toLowerCase()
  if (lower.includes('cell')) return 'cell_level'
  return lower.includes('sheet') ? 'sheet_level' : 'other'
}

function answerPosition(position: string, sheet: string | undefined): string {
  return sheet === undefined || sheet === '' || position.includes('!') ? position : `${sheet}!${position}`
}

function readPositions(position: string, sheet: string | undefined, at: string): readonly Position[] {
  try {
    return parsePositions(position, sheet)
  } catch (error) {
    throw new InputError(`${at}: the answer position "${position}" cannot be read: ${messageOf(error)}.`, {
      hint: "Write it as in A1:B5, or 'Sheet 2'!C3; several with commas between.",
      cause: error,
    })
  }
}

async function readCases(
  folder: string,
  path: string,
  id: string,
  at: string,
): Promise<readonly SpreadsheetCase[]> {
  const refuse = (problem: string): never => {
    throw new InputError(`${at}: ${problem}.`, {
      hint: `The files are looked for in ${folder}. Complete them, or take the task out of the data.`,
    })
  }
  const names = await readdir(folder).catch((error: unknown) =>
    refuse(isMissing(error) ? `there is no folder ${path}` : `${path} cannot be read (${messageOf(error)})`),
  )
  const found = findCases(names, id)
  if ('problem' in found) return refuse(`${path} ${found.problem}`)
  const read = async (name: string): Promise<CaseFile> => {
    const content = await readWholeFile(join(folder, name)).catch((error: unknown) =>
      refuse(`the file ${path}/${name} ${messageOf(error)}`),
    )
    return { name, hash: contentHash(content) }
  }
  const cases: SpreadsheetCase[] = []
  for (const { number, input, gold } of found.cases) {
    cases.push({ number, input: await read(input), gold: await read(gold) })
  }
  return cases
}

function refuseBad(bad: readonly InputError[]): void {
  const [first, ...others] = bad
  if (first === undefined) return
  if (others.length === 0) throw first
  const shown = others.slice(0, namedTasks).map(({ message }) => message)
  const more = others.length > namedTasks ? [`… and ${others.length - namedTasks} more.`] : []
  throw new InputError([first.message, ...shown, ...more].join('\n'), {
    ...(first.hint === undefined ? {} : { hint: first.hint }),
  })
}

async function pathsOf(task: SpreadsheetTask, folder: string): Promise<readonly CasePaths[]> {
  const pathOf = async ({ name, hash }: CaseFile) => {
    const path = join(folder, name)
    const content = await readPlainFile(path).catch((error: unknown) => changed(path, task.id, error))
    return contentHash(content) === hash ? path : changed(path, task.id)
  }
  return Promise.all(
    task.cases.map(async ({ number, input, gold }) => ({
      number,
      input: await pathOf(input),
      gold: await pathOf(gold),
    })),
  )
}

function changed(path: string, id: string, error?: unknown): never {
  const problem = error === undefined ? 'is not what it was' : `cannot be read any more: ${messageOf(error)}`
  throw new PausedError(`The file ${path} of task ${id} ${problem}.`, {
    hint: 'Put it back and run the same command again, or start another run with --new.',
    cause: error,
  })
}
