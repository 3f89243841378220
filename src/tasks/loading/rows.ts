import { basename, extname } from 'node:path'
import { parse as parseCsv } from 'csv-parse/sync'
import { parse as parseYaml } from 'yaml'
import { z } from 'zod'
import { InputError, messageOf } from '../../core/errors/errors.js'
import { readPlainFile } from '../../system/plain-file.js'

/** One record of a data file and where it is. */
export interface Row {
  readonly fields: Readonly<Record<string, unknown>>
  /** Where the record is, for messages: `questions.jsonl, line 3`. */
  readonly at: string
  /** Number of the line, or position in a list. */
  readonly number: number
}

export const extensions = ['.json', '.jsonl', '.ndjson', '.yaml', '.yml', '.csv', '.tsv']

/** Reads a data file by its extension. Throws an `InputError` that names the unreadable line. */
export async function readRows(file: string): Promise<readonly Row[]> {
  const text = await readText(file)
  const name = basename(file)
  const extension = extname(file).toLowerCase()
  const table = tables[extension]
  if (table !== undefined) return tableRows(text, file, table)
  if (extension === '.yaml' || extension === '.yml') return yamlRows(text, file)
  if (extension === '.json' && text.trimStart().startsWith('[')) return arrayRows(text, file)
  const published = extension === '.json' ? listUnderData(text) : undefined
  if (published !== undefined) return listRows(published, file)
  if (extensions.includes(extension)) return lineRows(text, file, name)
  throw new InputError(`${file}: cannot tell the format from the extension "${extension}".`, {
    hint: `Use one of ${extensions.join(', ')}.`,
  })
}

/** Reads a file as text. Throws an `InputError` with the reason if it cannot be read. */
export async function readText(file: string): Promise<string> {
  try {
    return (await readPlainFile(file)).toString('utf8').replace(/^\uFEFF/, '')
  } catch (error) {
    const problem = isMissing(error) ? 'does not exist' : `cannot be read: ${messageOf(error)}`
    throw new InputError(`The data file ${file} ${problem}.`, {
      hint: 'Paths are relative to the folder of the configuration file.',
      cause: error,
    })
  }
}

function lineRows(text: string, file: string, name: string): Row[] {
  const rows: Row[] = []
  for (const [index, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue
    const at = `${name}, line ${index + 1}`
    rows.push({ fields: objectOf(parseJson(line, at, file), at, file), at, number: index + 1 })
  }
  return rows
}

function arrayRows(text: string, file: string): Row[] {
  return listRows(parseJson(text, basename(file), file), file)
}

/** The items of a data set that is published as an object with metadata and the items under `data`. */
function listUnderData(text: string): readonly unknown[] | undefined {
  try {
    return z.object({ data: z.array(z.unknown()) }).safeParse(JSON.parse(text)).data?.data
  } catch {
    // The text is JSON Lines or damaged; reading it line by line shows where.
    return undefined
  }
}

function yamlRows(text: string, file: string): Row[] {
  try {
    return listRows(parseYaml(text, { logLevel: 'error' }) ?? [], file)
  } catch (error) {
    if (error instanceof InputError) throw error
    throw new InputError(`${file} is not valid YAML: ${messageOf(error)}`, { cause: error })
  }
}

function listRows(value: unknown, file: string): Row[] {
  const parsed = z.array(z.unknown()).safeParse(value)
  if (!parsed.success) {
    throw new InputError(`${file} is not a list of tasks.`, { hint: 'Write a list of objects, or JSONL.' })
  }
  return parsed.data.map((item, index) => {
    const at = `${basename(file)}, item ${index + 1}`
    return { fields: objectOf(item, at, file), at, number: index + 1 }
  })
}

interface Table {
  readonly kind: string
  readonly delimiter: string
  readonly delimiters: string
  /** Whether an unquoted field may contain quotes. Fields in files without commas are seldom quoted. */
  readonly relax_quotes: boolean
}

const tables: Readonly<Record<string, Table>> = {
  '.csv': { kind: 'CSV', delimiter: ',', delimiters: 'commas', relax_quotes: false },
  '.tsv': { kind: 'TSV', delimiter: '\t', delimiters: 'tabs', relax_quotes: true },
}

const csvRecords = z.array(
  z.object({ record: z.record(z.string(), z.string()), info: z.object({ lines: z.number() }) }),
)

function tableRows(text: string, file: string, { kind, delimiters, ...syntax }: Table): Row[] {
  let records: z.infer<typeof csvRecords>
  try {
    records = csvRecords.parse(
      parseCsv(text, { columns: true, info: true, skip_empty_lines: true, ...syntax }),
    )
  } catch (error) {
    throw new InputError(`${file} is not valid ${kind}: ${messageOf(error)}.`, {
      hint: `The first line names the columns; fields with ${delimiters}, quotes or line ends are quoted.`,
      cause: error,
    })
  }
  return records.map(({ record, info }) => ({
    fields: record,
    at: `${basename(file)}, line ${info.lines}`,
    number: info.lines,
  }))
}

function parseJson(text: string, at: string, file: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new InputError(`${at} is not valid JSON: ${messageOf(error)}.`, {
      hint: `Correct ${file}.`,
      cause: error,
    })
  }
}

function objectOf(value: unknown, at: string, file: string): Readonly<Record<string, unknown>> {
  const parsed = z.record(z.string(), z.unknown()).safeParse(value)
  if (parsed.success) return parsed.data
  throw new InputError(`${at} is not an object with named fields.`, {
    hint: `Correct ${file}: each task is an object.`,
  })
}

export function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')
}
