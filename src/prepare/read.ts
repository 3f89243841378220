import { readdir } from 'node:fs/promises'
import { basename, extname, join } from 'node:path'
import type { z } from 'zod'
import { InputError } from '../core/errors/errors.js'
import type { Split } from '../core/task/task.js'
import { canonicalJson, contentHash } from '../core/text/hash.js'
import { type Item, readSplits } from '../tasks/loading/data.js'
import { extensions } from '../tasks/loading/rows.js'
import { inspectItems, options } from '../tasks/own/index.js'
import type { PreparedSplits } from './check.js'
import { chooseColumns, type GivenColumns } from './columns.js'
import { draftTasks } from './draft.js'
import { filesOf } from './files.js'
import { type ScorerSuggestion, suggestScorer } from './scorer.js'
import { readSource } from './source.js'
import { type PreparedTask, textOf } from './task.js'

export type TasksOptions = z.infer<typeof options>

/** Tasks from one source, in the environment's format. */
export interface Draft {
  /** All tasks, including unusable ones. */
  readonly tasks: readonly PreparedTask[]
  /** The fields of each task as they are in the source, in the order of `tasks`. */
  readonly originals: readonly PreparedTask['fields'][]
  /** Base folder of the tasks' file paths. */
  readonly folder: string
  readonly columns: readonly string[]
  readonly scorer: ScorerSuggestion
  /** Problems with individual tasks, in the words in which training would report them. */
  readonly problems: readonly string[]
}

export async function readDraft(
  path: string,
  given: {
    readonly shownAs: string
    readonly columns: GivenColumns
    readonly scorer?: string | undefined
  },
): Promise<Draft> {
  const { rows, stem, folder, kind } = await readSource(path, given.shownAs)
  const { columns, shown } = chooseColumns(rows, given.columns)
  const tasks = draftTasks(rows, columns, stem)
  const scorer =
    given.scorer === undefined ? suggestScorer(tasks, kind) : { scorer: given.scorer, reason: 'you said so' }
  const items = tasks.map(({ fields, at, id }) => ({ fields, at, fallbackId: id }))
  const problems = inspectItems(items, options.parse({ scorer: scorer.scorer })).flatMap(problemIn)
  const originals = rows.map(({ fields }) => fields)
  return { tasks, originals, folder, columns: shown, scorer, problems }
}

export interface DividedTasks {
  readonly splits: PreparedSplits
  readonly scorer: Pick<ScorerSuggestion, 'scorer'> & Partial<ScorerSuggestion>
  readonly problems: readonly string[]
}

/** Reads tasks that are already divided, exactly as an environment with these options would. */
export async function readDivided(given: TasksOptions, baseDir: string): Promise<DividedTasks> {
  const items = await readSplits(given, baseDir)
  const all: readonly Item[] = [...items.train, ...items.val, ...items.test]
  const read = inspectItems(all, given)
  const taskOf = new Map(all.map((item, index) => [item, read[index]]))
  const prepared = (split: Split) =>
    items[split].flatMap(item => {
      const task = taskOf.get(item)
      if (task === undefined || task instanceof InputError) return []
      const question = [task.prompt, ...filesOf(item.fields), ...workOf(item, given)].join('\n')
      return [{ ...item, ...task, type: task.type, question, answer: answerIn(item, given) }]
    })
  return {
    splits: { train: prepared('train'), val: prepared('val'), test: prepared('test') },
    scorer: { scorer: given.scorer },
    problems: read.flatMap(problemIn),
  }
}

/** Like `readDivided`, for splits without a config. The scorer is inferred from the expected answers. */
export async function readSplitFolder(
  splits: SplitFolder,
  folder: string,
  scorer: string | undefined,
): Promise<DividedTasks> {
  if (scorer !== undefined) return readDivided(options.parse({ ...splits, scorer }), folder)
  const { train, val, test } = await readSplits(options.parse(splits), folder)
  const tasks = [...train, ...val, ...test].map(({ fields }) => {
    const answer = fields.answer ?? fields.answers
    return { fields: { ...fields, answer }, answer: textOf(answer) }
  })
  const suggestion = suggestScorer(tasks)
  const divided = await readDivided(options.parse({ ...splits, scorer: suggestion.scorer }), folder)
  return { ...divided, scorer: suggestion }
}

function problemIn(read: object): string[] {
  return read instanceof InputError ? [read.message] : []
}

/** Returns what else distinguishes a task: the path of its workspace folder, or the contents of its files. */
function workOf({ fields }: Item, { workspace }: TasksOptions): string[] {
  const work = workspace === undefined ? undefined : fields[workspace]
  if (work === undefined) return []
  return [typeof work === 'string' ? work : contentHash(canonicalJson(work))]
}

function answerIn({ fields }: Item, { scorer }: TasksOptions): string | undefined {
  const named = typeof scorer === 'object' && typeof scorer.field === 'string' ? scorer.field : undefined
  return textOf(fields[named ?? 'answer'] ?? fields.answers)
}

const splitNames: Readonly<Record<Split, readonly string[]>> = {
  train: ['train'],
  val: ['val', 'valid', 'validation', 'dev', 'valid_seen'],
  test: ['test', 'valid_unseen'],
}

export type SplitFolder =
  | { readonly train: string; readonly val: string; readonly test: string }
  | { readonly splitDir: string }

/**
 * Returns the data options for a folder that holds the three splits, as files or as folders; undefined for
 * any other folder.
 */
export async function findSplits(folder: string): Promise<SplitFolder | undefined> {
  const names = await readdir(folder)
  const fileOf = (split: Split) =>
    names.find(
      name =>
        extensions.includes(extname(name).toLowerCase()) &&
        splitNames[split].includes(basename(name, extname(name)).toLowerCase()),
    )
  const [train, val, test] = [fileOf('train'), fileOf('val'), fileOf('test')]
  if (train !== undefined && val !== undefined && test !== undefined)
    return { train: join(folder, train), val: join(folder, val), test: join(folder, test) }
  const hasFolder = (...wanted: string[]) => wanted.some(name => names.includes(name))
  const asFolders = hasFolder('train') && hasFolder('val', 'valid_seen') && hasFolder('test', 'valid_unseen')
  return asFolders ? { splitDir: folder } : undefined
}
