import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, extname, join } from 'node:path'
import { stringify } from 'yaml'
import { InputError } from '../core/errors/errors.js'
import type { Split } from '../core/task/task.js'
import type { Division } from './divide.js'
import { withFilesFrom } from './files.js'
import { kindOf } from './source.js'
import { textOf } from './task.js'

type Fields = Readonly<Record<string, unknown>>

/** Serialises tasks in the format that the file's extension names. */
export function serialiseTasks(tasks: readonly Fields[], file: string): string {
  switch (extname(file).toLowerCase()) {
    case '.jsonl':
    case '.ndjson':
      return tasks.map(task => `${JSON.stringify(task)}\n`).join('')
    case '.json':
      return `${JSON.stringify(tasks, null, 2)}\n`
    case '.yaml':
    case '.yml':
      return stringify(tasks, { lineWidth: 0 })
    case '.csv':
      return csvOf(tasks)
    default:
      throw new InputError(`${file}: tasks are written as .jsonl, .json, .yaml or .csv.`, {
        hint: 'Give --out one of these extensions.',
      })
  }
}

export interface NewFile {
  readonly file: string
  readonly content: string | Uint8Array
}

export interface SplitFile extends NewFile {
  readonly split: Split
  readonly count: number
}

/** Formats the three split files for the `tasks` environment. */
export function splitFiles(
  division: Division,
  { from, to }: { readonly from: string; readonly to: string },
): readonly SplitFile[] {
  return (['train', 'val', 'test'] as const).map(split => {
    const file = join(to, `${split}.jsonl`)
    const fields = division[split].map(task => withFilesFrom(task.fields, from, to))
    return { split, file, count: fields.length, content: serialiseTasks(fields, file) }
  })
}

/** Writes all files. Writes none if one already exists and may not be replaced. */
export async function writeNewFiles(
  files: readonly NewFile[],
  options: { readonly force: boolean; shown(file: string): string },
): Promise<void> {
  if (!options.force) await refuseExisting(files, options.shown)
  for (const { file, content } of files) {
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, content, { flag: options.force ? 'w' : 'wx' })
  }
}

async function refuseExisting(files: readonly NewFile[], shown: (file: string) => string): Promise<void> {
  const kinds = await Promise.all(files.map(({ file }) => kindOf(file)))
  const existing = files.filter((_, index) => kinds[index] !== undefined).map(({ file }) => shown(file))
  if (existing.length === 0) return
  const are = existing.length === 1 ? 'already exists' : 'already exist'
  throw new InputError(`${existing.join(', ')} ${are}; nothing was written.`, {
    hint: 'Pass --force to replace, or choose another place.',
  })
}

function csvOf(tasks: readonly Fields[]): string {
  const names = [...new Set(tasks.flatMap(task => Object.keys(task)))]
  const cell = (value: unknown) => {
    const text = Array.isArray(value) ? JSON.stringify(value) : (textOf(value) ?? '')
    return /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
  }
  return [names, ...tasks.map(task => names.map(name => task[name]))]
    .map(row => `${row.map(cell).join(',')}\n`)
    .join('')
}
