import { InputError } from '../../core/errors/errors.js'
import type { Capability, Environment, Session } from '../../core/ports/environment.js'
import { kindOf } from '../../core/task/file-limits.js'
import type { Task } from '../../core/task/task.js'
import { canonicalJson, contentHash } from '../../core/text/hash.js'
import { removeFolder } from '../../system/remove-folder.js'
import {
  checkSplits,
  type Item,
  type PlacedItem,
  readSplits,
  type Splits,
  textField,
} from '../loading/data.js'
import { TaskFiles } from '../loading/files.js'
import { scoringParts } from '../scoring/in-environment.js'
import { chooseScorer, nearest } from '../scoring/index.js'
import type { BoundScorer, Fields } from '../scoring/scorer.js'
import { scoreWork } from './answer-file.js'
import { checkOptions, type Options, usualTurns } from './options.js'
import { type TaskWorkspace, TaskWorkspaces } from './workspace.js'

export { options } from './options.js'

const shapeWarning =
  'Every validation task is scored by the form of the reply alone (headings, lengths, a schema): a reply can pass without being right. Add a check of the outcome.'

export interface OwnTask extends Task {
  readonly prompt: string
  /** The item's fields, except those that name its files. */
  readonly fields: Fields
  readonly workspace?: TaskWorkspace
}

/** An environment for the user's own tasks without code: a file of questions and a scorer. */
export async function create(
  given: Options,
  { baseDir }: { readonly baseDir: string },
): Promise<Environment<OwnTask>> {
  checkOptions(given)
  const scorer = scorerOf(given, baseDir)
  const items = await readSplits(given, baseDir)
  const ids = idField(items, given.id)
  const files = new TaskFiles()
  const workspaces = new TaskWorkspaces(baseDir)
  const field = fileField(items, given)
  const toTasks = async (split: readonly PlacedItem[]) => {
    const read: OwnTask[] = []
    for (const item of split) {
      const task = await withFiles(readTask(item, given, { ids, scorer }), item, { field, files })
      read.push(await withWorkspace(task, item, { field: given.workspace, workspaces }))
    }
    return read
  }
  const tasks: Splits<OwnTask> = {
    train: await toTasks(items.train),
    val: await toTasks(items.val),
    test: await toTasks(items.test),
  }
  checkSplits(tasks, contentOf)
  const instructions = given.instructions ?? instructionsOf(given, scorer)
  const { score, ...scoring } = await scoringParts<OwnTask>(scorer)
  return {
    id: 'tasks',
    needs: [
      'chat',
      ...(given.workspace === undefined ? [] : ['workspace' as const]),
      ...needsOf([...tasks.train, ...tasks.val, ...tasks.test]),
    ],
    warnings: tasks.val.every(({ fields }) => scorer.shapeOnly(fields)) ? [shapeWarning] : [],
    tasks: async split => tasks[split],
    open: async ({ prompt, attachments, workspace }) => ({
      instructions,
      prompt:
        attachments === undefined
          ? prompt
          : [...(await files.read(attachments)), { type: 'text', text: prompt }],
      skillAt: 'system',
      tools: [],
      ...(workspace === undefined
        ? { turnLimit: 1, close: async () => {} }
        : workplace(await workspaces.open(workspace), given)),
    }),
    ...scoring,
    score: given.workspace === undefined ? score : scoreWork(score, given.answerFile),
  }
}

function scorerOf({ scorer, answerFile }: Options, baseDir?: string): BoundScorer {
  return chooseScorer(scorer, {
    baseDir: baseDir ?? process.cwd(),
    wholeAnswer: answerFile !== undefined,
  })
}

function instructionsOf({ answerFile }: Options, scorer: BoundScorer): string {
  const where = `Your answer is what the file ${answerFile} in your folder holds when you are done.`
  return [...(answerFile === undefined ? [] : [where]), scorer.instructions].join(' ').trim()
}

function workplace(
  workspace: string,
  { turns, seconds }: Options,
): Pick<Session, 'workspace' | 'turnLimit' | 'secondsLimit' | 'close'> {
  return {
    workspace,
    turnLimit: turns ?? usualTurns,
    ...(seconds === undefined ? {} : { secondsLimit: seconds }),
    close: () => removeFolder(workspace),
  }
}

/**
 * Reads all items and returns the error of each bad one instead of throwing the first, so that users can
 * repair a file.
 */
export function inspectItems(items: readonly Item[], given: Options): readonly (OwnTask | InputError)[] {
  const scorer = scorerOf(given)
  const ids = idField({ train: items, val: [], test: [] }, given.id)
  return items.map(item => {
    try {
      return readTask(item, given, { ids, scorer })
    } catch (error) {
      if (error instanceof InputError) return error
      throw error
    }
  })
}

function readTask(
  item: Item,
  given: Options,
  { ids, scorer }: { readonly ids: string | undefined; readonly scorer: BoundScorer },
): OwnTask {
  // The agent's initial files are left out, because the scorer reads the files that the agent leaves.
  const fields = without(item.fields, given.workspace)
  const problem = scorer.problem(fields)
  if (problem !== undefined) {
    throw new InputError(`${item.at} ${problem}.`, {
      hint: `The scorer "${scorer.id}" reads ${scorer.fields.map(field => `"${field}"`).join(', ')}; the fields are: ${Object.keys(item.fields).join(', ')}.`,
    })
  }
  const prompt = promptOf(item, given.prompt, scorer)
  if (prompt.trim() === '')
    throw new InputError(`${item.at} has an empty prompt.`, { hint: 'Fill it in, or remove the task.' })
  const id = ids === undefined ? item.fallbackId : textField(item, ids).trim()
  if (id === '')
    throw new InputError(`${item.at} has an empty id.`, { hint: 'Give every task an id of its own.' })
  const type = given.type === undefined ? item.fields.type : textField(item, given.type)
  return {
    id,
    ...(typeof type === 'string' && type !== '' ? { type } : {}),
    prompt,
    fields,
  }
}

function without(fields: Fields, name: string | undefined): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([key]) => key !== name))
}

/** The content by which tasks with different ids are compared. */
function contentOf({ prompt, attachments = [], workspace }: OwnTask): string {
  const worksOn = workspace === undefined ? [] : [contentHash(canonicalJson(workspace))]
  return [prompt, ...attachments.map(({ hash }) => hash), ...worksOn].join(' ')
}

/** The field with the items' files. Some items may lack it, but a field that no item has is a mistake. */
function fileField(
  items: Splits<Item>,
  { files: given, workspace }: Pick<Options, 'files' | 'workspace'>,
): string | undefined {
  if (given === false || (given === undefined && workspace === 'files')) return undefined
  const all = [...items.train, ...items.val, ...items.test]
  const [first] = all
  if (given !== undefined && first !== undefined && all.every(({ fields }) => fields[given] === undefined))
    textField(first, given)
  return given ?? 'files'
}

/** Replaces the paths of a task's files by their hashes, so that moving the files changes no task. */
async function withFiles(
  task: OwnTask,
  item: PlacedItem,
  { field, files }: { readonly field: string | undefined; readonly files: TaskFiles },
): Promise<OwnTask> {
  if (field === undefined) return task
  const attachments = await files.attach(item, field, task.id)
  if (attachments.length === 0) return task
  return { ...task, fields: without(task.fields, field), attachments }
}

async function withWorkspace(
  task: OwnTask,
  item: PlacedItem,
  { field, workspaces }: { readonly field: string | undefined; readonly workspaces: TaskWorkspaces },
): Promise<OwnTask> {
  return field === undefined ? task : { ...task, workspace: await workspaces.find(item, field, task.id) }
}

function needsOf(tasks: readonly OwnTask[]): readonly Capability[] {
  const kinds = new Set(
    tasks.flatMap(({ attachments = [] }) =>
      attachments.flatMap(({ mediaType }) => (mediaType === 'text/plain' ? [] : [kindOf(mediaType)])),
    ),
  )
  return [...kinds].map(kind => `${kind}s` as const)
}

/** The id field, if any item has one. Then every item needs it: a partly filled column is a mistake. */
function idField(items: Splits<Item>, given: string | undefined): string | undefined {
  if (given !== undefined) return given
  const all = [...items.train, ...items.val, ...items.test]
  return all.some(item => item.fields.id !== undefined) ? 'id' : undefined
}

function promptOf(item: Item, given: string | undefined, scorer: BoundScorer): string {
  if (given?.includes('{{') === true) return fill(given, item)
  const name = given ?? (item.fields.question === undefined ? 'prompt' : 'question')
  if (given === undefined && item.fields[name] === undefined) {
    throw new InputError(`${item.at} has neither a field "question" nor "prompt".`, {
      hint: `Set \`prompt\` to one of its fields (${Object.keys(item.fields).join(', ')}) or to a template such as "{{text}}".`,
    })
  }
  return [textField(item, name), scorer.promptNote(item.fields)].filter(part => part !== '').join('\n\n')
}

/** Fills in all placeholders in one pass, so that a field's text is never taken for a placeholder. */
function fill(template: string, item: Item): string {
  return template.replace(/\{\{\s*([^{}]*?)\s*\}\}/g, (_, name: string) => {
    if (item.fields[name] !== undefined) return textField(item, name)
    const names = Object.keys(item.fields)
    throw new InputError(`${item.at}: the prompt asks for {{${name}}}, but there is no field "${name}".`, {
      hint: `Did you mean "${nearest(name, names)}"? The fields are: ${names.join(', ')}.`,
    })
  })
}
