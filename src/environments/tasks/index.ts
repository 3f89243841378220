import { z } from 'zod'
import { InputError } from '../../core/errors.js'
import { kindOf } from '../../core/file-limits.js'
import type { Capability, Environment } from '../../core/ports.js'
import type { Task } from '../../core/task.js'
import {
  checkSplits,
  dataOptions,
  type Item,
  type PlacedItem,
  readSplits,
  type Splits,
  textField,
} from '../data.js'
import { TaskFiles } from '../files.js'
import { scoringParts } from '../scoring/in-environment.js'
import { chooseScorer, nearest, scorerConfig } from '../scoring/index.js'
import type { BoundScorer, Fields } from '../scoring/scorer.js'

export const options = z.strictObject({
  ...dataOptions,
  prompt: z
    .string()
    .optional()
    .describe(
      'What the agent is asked: the name of a field, or a template such as "Translate: {{text}}". Default: the field `question`, else `prompt`.',
    ),
  id: z
    .string()
    .optional()
    .describe('The field with the id of a task. Default: `id`, else the file or split with the line number.'),
  type: z
    .string()
    .optional()
    .describe('The field by which results are grouped in reports. Default: `type`, where there is one.'),
  files: z
    .union([z.string(), z.literal(false)])
    .optional()
    .describe(
      'The field with files that go before the prompt (images, PDFs, text): a path, a list of paths or, in CSV, paths with `;` between, relative to the file with the tasks. `false` for none. Default: `files`, where there is one.',
    ),
  instructions: z
    .string()
    .optional()
    .describe(
      'What the agent is told before the skill. Default: how to mark its answer, where the scorer needs that.',
    ),
  scorer: scorerConfig
    .default('exact')
    .describe(
      'How answers are scored: exact, contains, regex, numeric, token-f1, anls, json-equal, json-schema, choice, rules, command, rubric, searchqa, officeqa or weighted; or {name, …options}.',
    ),
})

const shapeWarning =
  'Every validation task is scored by the form of the reply alone (headings, lengths, a schema): a reply can pass without being right. Add a check of the outcome.'

export interface OwnTask extends Task {
  readonly prompt: string
  readonly fields: Fields
}

/** The user's own tasks, without any code: a file of questions, and the name of a scorer. */
export async function create(
  given: z.infer<typeof options>,
  { baseDir }: { readonly baseDir: string },
): Promise<Environment<OwnTask>> {
  const scorer = chooseScorer(given.scorer, { baseDir })
  const items = await readSplits(given, baseDir)
  const ids = idField(items, given.id)
  const files = new TaskFiles()
  const field = fileField(items, given.files)
  const toTasks = async (split: readonly PlacedItem[]) => {
    const read: OwnTask[] = []
    for (const item of split)
      read.push(await withFiles(readTask(item, given, ids, scorer), item, field, files))
    return read
  }
  const tasks: Splits<OwnTask> = {
    train: await toTasks(items.train),
    val: await toTasks(items.val),
    test: await toTasks(items.test),
  }
  checkSplits(tasks, ({ prompt, attachments = [] }) =>
    [prompt, ...attachments.map(({ hash }) => hash)].join(' '),
  )
  const instructions = given.instructions ?? scorer.instructions
  return {
    id: 'tasks',
    needs: ['chat', ...needsOf([...tasks.train, ...tasks.val, ...tasks.test])],
    warnings: tasks.val.every(({ fields }) => scorer.shapeOnly(fields)) ? [shapeWarning] : [],
    tasks: async split => tasks[split],
    open: async ({ prompt, attachments }) => ({
      instructions,
      prompt:
        attachments === undefined
          ? prompt
          : [...(await files.read(attachments)), { type: 'text', text: prompt }],
      skillAt: 'system',
      tools: [],
      turnLimit: 1,
      close: async () => {},
    }),
    ...(await scoringParts<OwnTask>(scorer)),
  }
}

/** For those who mend a file: each item as a task, or what is wrong with it, instead of the first problem only. */
export function inspectItems(
  items: readonly Item[],
  given: z.infer<typeof options>,
): readonly (OwnTask | InputError)[] {
  const scorer = chooseScorer(given.scorer)
  const ids = idField({ train: items, val: [], test: [] }, given.id)
  return items.map(item => {
    try {
      return readTask(item, given, ids, scorer)
    } catch (error) {
      if (error instanceof InputError) return error
      throw error
    }
  })
}

function readTask(
  item: Item,
  given: z.infer<typeof options>,
  ids: string | undefined,
  scorer: BoundScorer,
): OwnTask {
  const problem = scorer.problem(item.fields)
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
    fields: item.fields,
  }
}

/** Some tasks may go without files; that none has the field is a mistake. */
function fileField(items: Splits<Item>, given: string | false | undefined): string | undefined {
  if (given === false) return undefined
  const all = [...items.train, ...items.val, ...items.test]
  const [first] = all
  if (given !== undefined && first !== undefined && all.every(({ fields }) => fields[given] === undefined))
    textField(first, given)
  return given ?? 'files'
}

/** The paths stay behind: by its content a task is told from another, not by where its files lie. */
async function withFiles(
  task: OwnTask,
  item: PlacedItem,
  field: string | undefined,
  files: TaskFiles,
): Promise<OwnTask> {
  if (field === undefined) return task
  const attachments = await files.attach(item, field, task.id)
  if (attachments.length === 0) return task
  const { [field]: _, ...fields } = task.fields
  return { ...task, fields, attachments }
}

function needsOf(tasks: readonly OwnTask[]): readonly Capability[] {
  const kinds = new Set(
    tasks.flatMap(({ attachments = [] }) =>
      attachments.flatMap(({ mediaType }) => (mediaType === 'text/plain' ? [] : [kindOf(mediaType)])),
    ),
  )
  return [...kinds].map(kind => `${kind}s` as const)
}

/** The id field, if the data has one. Then every item needs it: half an id column is a mistake. */
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

/** One pass, so that what a field says is never taken for a placeholder. */
function fill(template: string, item: Item): string {
  return template.replace(/\{\{\s*([^{}]*?)\s*\}\}/g, (_, name: string) => {
    if (item.fields[name] !== undefined) return textField(item, name)
    const names = Object.keys(item.fields)
    throw new InputError(`${item.at}: the prompt asks for {{${name}}}, but there is no field "${name}".`, {
      hint: `Did you mean "${nearest(name, names)}"? The fields are: ${names.join(', ')}.`,
    })
  })
}
