import { z } from 'zod'
import { InputError } from '../../../core/errors/errors.js'
import type { Environment } from '../../../core/ports/environment.js'
import type { Task } from '../../../core/task/task.js'
import { checkSplits, dataOptions, type Item, readSplits, type Splits } from '../../loading/data.js'
import { itemProblems } from '../../loading/item-problems.js'
import { ownPrompts } from '../../loading/own-prompts.js'
import { chooseScorer } from '../../scoring/index.js'

const defaultInstructions = `You answer trivia questions with the help of search results.
The results may be noisy, incomplete or off the point: use what supports an answer and ignore the rest.
Answer with the shortest phrase that is complete, usually a name or a noun.
End your reply with that phrase between <answer> and </answer>.`

export const options = z.strictObject({
  ...dataOptions,
  instructions: z.string().default(defaultInstructions).describe('What the agent is told before the skill.'),
  contextLimit: z
    .number()
    .int()
    .positive()
    .default(6000)
    .describe('Characters of search results that are shown; longer ones are cut at a [DOC] boundary.'),
})

interface SearchTask extends Task {
  readonly question: string
  readonly context: string
  readonly answers: readonly string[]
}

const itemSchema = z.object({
  id: z.union([z.string().min(1), z.number()]).transform(String),
  question: z.string().min(1),
  context: z.string(),
  answers: z.array(z.string()).min(1),
})

/** Questions about search results. Scored by exact match and token F1 of normalised answers. */
export async function create(
  given: z.infer<typeof options>,
  { baseDir }: { readonly baseDir: string },
): Promise<Environment<SearchTask>> {
  const scorer = chooseScorer('searchqa')
  const items = await readSplits(given, baseDir)
  const tasks: Splits<SearchTask> = {
    train: items.train.map(readTask),
    val: items.val.map(readTask),
    test: items.test.map(readTask),
  }
  checkSplits(tasks, task => `${task.question}\n${task.context}`)
  return {
    id: 'searchqa',
    needs: ['chat'],
    prompts: await ownPrompts(import.meta.url),
    tasks: async split => tasks[split],
    open: async ({ question, context }) => ({
      instructions: given.instructions,
      prompt: `Search results:\n${cutAtDocuments(context, given.contextLimit)}\n\nQuestion: ${question}`,
      skillAt: 'system',
      tools: [],
      turnLimit: 1,
      close: async () => {},
    }),
    score: ({ answers }, trajectory, context) => scorer.score({ answers }, trajectory, context),
  }
}

/** Keeps whole documents up to the limit. If even the first document is too long, it is cut. */
export function cutAtDocuments(context: string, limit: number): string {
  const characters = [...context]
  if (characters.length <= limit) return context
  const fitting = characters.slice(0, limit).join('')
  // If a document begins exactly at the cut, none of it is included.
  const boundary = context.slice(0, fitting.length + '[DOC]'.length).lastIndexOf('[DOC]')
  const kept = boundary > 0 ? context.slice(0, boundary).trimEnd() : ''
  return kept === '' ? fitting : kept
}

export function readTask(item: Item): SearchTask {
  const parsed = itemSchema.safeParse(item.fields)
  if (parsed.success) return parsed.data
  throw new InputError(`${item.at} is not a SearchQA item: ${itemProblems(parsed.error, item.fields)}.`, {
    hint: 'Each item has `id`, `question`, `context` and a list `answers`.',
  })
}
