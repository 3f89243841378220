import { z } from 'zod'
import { InputError } from '../../core/errors.js'
import type { Environment } from '../../core/ports.js'
import type { Task } from '../../core/task.js'
import { checkSplits, dataOptions, type Item, readSplits, type Splits, textField } from '../data.js'
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
  instructions: z
    .string()
    .optional()
    .describe(
      'What the agent is told before the skill. Default: how to mark its answer, where the scorer needs that.',
    ),
  scorer: scorerConfig
    .default('exact')
    .describe(
      'How answers are scored: exact, contains, regex, numeric, token-f1, anls, json-equal, json-schema, choice, rules, searchqa or weighted; or {name, …options}.',
    ),
})

const shapeWarning =
  'Every validation task is scored by the form of the reply alone (headings, lengths, a schema): a reply can pass without being right. Add a check of the outcome.'

interface OwnTask extends Task {
  readonly prompt: string
  readonly fields: Fields
}

/** The user's own tasks, without any code: a file of questions, and the name of a scorer. */
export async function create(
  given: z.infer<typeof options>,
  { baseDir }: { readonly baseDir: string },
): Promise<Environment<OwnTask>> {
  const scorer = chooseScorer(given.scorer)
  const items = await readSplits(given, baseDir)
  const ids = idField(items, given.id)
  const toTask = (item: Item) => readTask(item, given, ids, scorer)
  const tasks: Splits<OwnTask> = {
    train: items.train.map(toTask),
    val: items.val.map(toTask),
    test: items.test.map(toTask),
  }
  checkSplits(tasks, task => task.prompt)
  const instructions = given.instructions ?? scorer.instructions
  return {
    id: 'tasks',
    needs: ['chat'],
    warnings: tasks.val.every(({ fields }) => scorer.shapeOnly(fields)) ? [shapeWarning] : [],
    tasks: async split => tasks[split],
    open: async ({ prompt }) => ({
      instructions,
      prompt,
      skillAt: 'system',
      tools: [],
      turnLimit: 1,
      close: async () => {},
    }),
    score: async ({ fields }, trajectory) => scorer.score(fields, trajectory),
  }
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
