import { readdir, stat } from 'node:fs/promises'
import { basename, dirname, extname, join } from 'node:path'
import { z } from 'zod'
import { InputError, messageOf } from '../core/errors/errors.js'
import { readPlainFile } from '../system/plain-file.js'
import { isMissing, type Row, readRows } from '../tasks/loading/rows.js'

export interface Source {
  readonly rows: readonly Row[]
  /** Prefix for the ids of tasks if the source has none. */
  readonly stem: string
  /** Base folder of the tasks' file paths. */
  readonly folder: string
  readonly kind: 'tasks' | 'evals'
}

/** Reads tasks from a data file, an Agent Skills `evals.json`, or a folder with one file per question. */
export async function readSource(path: string, shownAs: string): Promise<Source> {
  const kind = await kindOf(path)
  if (kind === undefined) {
    throw new InputError(`${shownAs} does not exist.`, {
      hint: 'Pass a file (.csv, .jsonl, .json, .yaml) or a folder with a question and an answer file per task.',
    })
  }
  const source = kind === 'folder' ? await openFolder(path) : await openFile(path)
  if (source.rows.length > 0) return { ...source, stem: stemOf(path) }
  throw new InputError(`${shownAs} has no tasks.`, {
    hint:
      kind === 'folder'
        ? 'A folder has NAME.question.md and NAME.answer.md for each task, or NAME/question.md and NAME/answer.md.'
        : 'Each task is a row of a table, or an object of a list.',
  })
}

type Opened = Omit<Source, 'stem'>

async function openFolder(path: string): Promise<Opened> {
  return { rows: await readFolder(path), folder: path, kind: 'tasks' }
}

async function openFile(path: string): Promise<Opened> {
  const evals = await readEvals(path)
  if (evals !== undefined) return { rows: evals, folder: folderOfSkill(path), kind: 'evals' }
  return { rows: await readRows(path), folder: dirname(path), kind: 'tasks' }
}

export async function kindOf(path: string): Promise<'file' | 'folder' | undefined> {
  try {
    return (await stat(path)).isDirectory() ? 'folder' : 'file'
  } catch (error) {
    if (isMissing(error)) return undefined
    throw error
  }
}

function stemOf(path: string): string {
  const name = basename(path, extname(path))
  return (/^evals$/i.test(name) ? 'eval' : name).replace(/[^\p{L}\p{N}._-]+/gu, '-')
}

/**
 * Returns the folder at which paths in an `evals.json` start. For `evals/evals.json` it is the skill's own
 * folder.
 */
function folderOfSkill(file: string): string {
  const folder = dirname(file)
  return basename(folder) === 'evals' ? dirname(folder) : folder
}

const evalsFile = z.looseObject({ evals: z.array(z.looseObject({ prompt: z.string() })) })

/**
 * Reads a file of the form `{skill_name, evals: [{prompt, expected_output, …}]}`; undefined for any other
 * file.
 */
async function readEvals(file: string): Promise<readonly Row[] | undefined> {
  if (extname(file).toLowerCase() !== '.json') return undefined
  let data: unknown
  try {
    data = JSON.parse((await readPlainFile(file)).toString('utf8'))
  } catch (error) {
    // A file with one object per line is not valid JSON. It is read later as a data file, and real errors are
    // reported then.
    if (error instanceof SyntaxError) return undefined
    throw new InputError(`Cannot read ${file}: ${messageOf(error)}.`, { cause: error })
  }
  const parsed = evalsFile.safeParse(data)
  if (!parsed.success) return undefined
  return parsed.data.evals.map((fields, index) => ({
    fields,
    at: `${basename(file)}, item ${index + 1}`,
    number: index + 1,
  }))
}

const partFile = /^(?:(.+)\.)?(question|answer)\.(?:md|txt|json)$/i

/**
 * Reads `NAME.question.md` with `NAME.answer.md`, or `NAME/question.md` with `NAME/answer.md`. The name of a
 * parent folder becomes the task's type.
 */
async function readFolder(folder: string): Promise<readonly Row[]> {
  const files = (await readdir(folder, { recursive: true })).map(name => name.replaceAll('\\', '/')).sort()
  const tasks = new Map<string, { question?: string; answer?: string }>()
  for (const file of files) {
    const [, name, part] = partFile.exec(basename(file)) ?? []
    if (part === undefined) continue
    const path = [dirname(file), name].filter(piece => piece !== undefined && piece !== '.').join('/')
    const role = part.toLowerCase() as 'question' | 'answer'
    const task = tasks.get(path) ?? {}
    if (task[role] !== undefined) {
      throw new InputError(
        `${join(folder, task[role])} and ${join(folder, file)} are the same part of the same task.`,
        {
          hint: 'Keep one of them.',
        },
      )
    }
    tasks.set(path, { ...task, [role]: file })
  }
  return Promise.all(
    [...tasks].map(([path, parts], index) => readPair(folder, { path, ...parts }, index + 1)),
  )
}

async function readPair(
  folder: string,
  { path, question, answer }: { path: string; question?: string; answer?: string },
  number: number,
): Promise<Row> {
  if (question === undefined) {
    throw new InputError(`${join(folder, answer ?? path)} has no question beside it.`, {
      hint: 'Every task needs a question file, with the answer file beside it under the same name.',
    })
  }
  const textOfFile = async (file: string) =>
    (await readPlainFile(join(folder, file)))
      .toString('utf8')
      .replace(/^\uFEFF/, '')
      .trim()
  const type = path.split('/').slice(0, -1).join('/')
  return {
    fields: {
      id: path.replaceAll('/', '-') === '' ? 'task' : path.replaceAll('/', '-'),
      ...(type === '' ? {} : { type }),
      question: await textOfFile(question),
      answer: answer === undefined ? '' : await textOfFile(answer),
    },
    at: question,
    number,
  }
}
