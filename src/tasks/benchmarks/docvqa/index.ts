import { resolve } from 'node:path'
import { z } from 'zod'
import { InputError } from '../../../core/errors/errors.js'
import type { Environment } from '../../../core/ports/environment.js'
import { type Attachment, imageDetails, type Task } from '../../../core/task/task.js'
import { checkSplits, dataOptions, type PlacedItem, readSplits, type Splits } from '../../loading/data.js'
import { TaskFiles } from '../../loading/files.js'
import { ownPrompts } from '../../loading/own-prompts.js'
import { chooseScorer } from '../../scoring/index.js'
import { readAnswers } from './answers.js'

const defaultInstructions = `You answer questions about the image of a document: a letter, a form, a table, a bill.
The answer stands in the document. Give it as it stands there, as short as it can be and complete.
End your reply with it between <answer> and </answer>.`

export const options = z.strictObject({
  ...dataOptions,
  imageRoot: z
    .string()
    .optional()
    .describe('Folder in which the paths of images begin. Default: the folder of the file that names them.'),
  detail: z
    .enum(['auto', ...imageDetails])
    .default('auto')
    .describe('Image detail, where the provider has such a setting; `auto` sends nothing.'),
  instructions: z.string().default(defaultInstructions).describe('What the agent is told before the skill.'),
})

type Options = z.infer<typeof options>

interface DocumentTask extends Task {
  readonly question: string
  readonly answers: readonly string[]
  readonly attachments: readonly Attachment[]
}

/** Questions about images of documents. One call with question and image, scored by ANLS. */
export async function create(
  given: Options,
  { baseDir }: { readonly baseDir: string },
): Promise<Environment<DocumentTask>> {
  const scorer = chooseScorer('anls')
  const items = await readSplits(given, baseDir)
  const files = new TaskFiles()
  const imageRoot = given.imageRoot === undefined ? undefined : resolve(baseDir, given.imageRoot)
  const toTasks = async (split: readonly PlacedItem[]) => {
    const read: DocumentTask[] = []
    for (const item of split) read.push(await readTask(item, files, { imageRoot, detail: given.detail }))
    return read
  }
  const tasks: Splits<DocumentTask> = {
    train: await toTasks(items.train),
    val: await toTasks(items.val),
    test: await toTasks(items.test),
  }
  checkSplits(tasks, ({ question, attachments }) =>
    [question, ...attachments.map(({ hash }) => hash)].join('\n'),
  )
  return {
    id: 'docvqa',
    needs: ['chat', 'images'],
    prompts: await ownPrompts(import.meta.url),
    tasks: async split => tasks[split],
    open: async ({ question, attachments }) => ({
      instructions: given.instructions,
      prompt: [
        { type: 'text', text: `Question about the document: ${question}` },
        ...(await files.read(attachments)),
      ],
      skillAt: 'system',
      tools: [],
      turnLimit: 1,
      close: async () => {},
    }),
    score: ({ answers }, trajectory, context) => scorer.score({ answers }, trajectory, context),
  }
}

// ── Items ───────────────────────────────────────────────────────────────────

/** Field names in published copies; the first is our own. */
const names = {
  id: ['id', 'questionId', 'question_id', 'index'],
  question: ['question'],
  answers: ['answers', 'answer'],
  image: ['image', 'image_path'],
  type: ['type', 'question_types'],
} as const

interface ImageOptions {
  readonly imageRoot: string | undefined
  readonly detail: Options['detail']
}

/** Reads an item with its image. Throws an `InputError` that names the item and the problem. */
export async function readTask(
  item: PlacedItem,
  files: TaskFiles,
  { imageRoot, detail }: ImageOptions,
): Promise<DocumentTask> {
  const id = plainText(item, 'id')
  const question = plainText(item, 'question')
  const answers = readAnswers(fieldValue(item, 'answers'))
  if ('problem' in answers)
    refuse(
      `${item.at} (question ${id}): the field "${fieldOf(item, 'answers')}" ${answers.problem}.`,
      'Write a list such as ["12", "twelve"]. The published test split keeps its answers back: use train and validation.',
    )
  const type = typeOf(item)
  return {
    id,
    ...(type === undefined ? {} : { type }),
    question,
    answers,
    attachments: [await imageOf(item, id, { files, imageRoot, detail })],
  }
}

async function imageOf(
  item: PlacedItem,
  id: string,
  { files, imageRoot, detail }: ImageOptions & { readonly files: TaskFiles },
): Promise<Attachment> {
  const path = plainText(item, 'image')
  const field = fieldOf(item, 'image')
  if (isImageData(path))
    refuse(
      `${item.at} (question ${id}): the field "${field}" holds the image itself.`,
      'Write the images to files, and their paths here.',
    )
  const place = imageRoot === undefined ? {} : { folder: imageRoot, root: imageRoot }
  const [image, ...others] = await files.attach({ ...item, ...place }, field, id)
  if (image === undefined || others.length > 0)
    refuse(
      `${item.at} (question ${id}): the field "${field}" does not name one image.`,
      'A question is about one page.',
    )
  if (!image.mediaType.startsWith('image/'))
    refuse(
      `${item.at} (question ${id}): the file ${path} is no image.`,
      'A page is a PNG, JPEG, GIF or WebP image.',
    )
  return detail === 'auto' ? image : { ...image, detail }
}

/**
 * Whether a text is a base64 image, as in some tables. PNG and JPEG data start like this, and paths never do.
 */
function isImageData(text: string): boolean {
  return /^(data:|iVBORw0KGgo|\/9j\/)/.test(text)
}

function typeOf(item: PlacedItem): string | undefined {
  const value = fieldValue(item, 'type')
  const types = value === undefined || value === null ? [] : readAnswers(value)
  return 'problem' in types ? undefined : types[0]
}

function plainText(item: PlacedItem, name: keyof typeof names): string {
  const value = fieldValue(item, name)
  if ((typeof value === 'string' && value.trim() !== '') || typeof value === 'number')
    return String(value).trim()
  const asked = value === undefined ? 'is not there' : 'is not a text'
  return refuse(
    `${item.at} is not a DocVQA item: the field "${fieldOf(item, name)}" ${asked}.`,
    fieldsHint(item),
  )
}

function fieldValue(item: PlacedItem, name: keyof typeof names): unknown {
  return item.fields[fieldOf(item, name)]
}

function fieldOf({ fields }: PlacedItem, name: keyof typeof names): string {
  return names[name].find(candidate => fields[candidate] !== undefined) ?? names[name][0]
}

function fieldsHint({ fields }: PlacedItem): string {
  return `An item has id (or questionId), question, answers and image; the fields here are: ${Object.keys(fields).join(', ')}.`
}

function refuse(message: string, hint: string): never {
  throw new InputError(message, { hint })
}
