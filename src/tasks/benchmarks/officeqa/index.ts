import { resolve } from 'node:path'
import { z } from 'zod'
import type { Environment } from '../../../core/ports/environment.js'
import type { Trajectory } from '../../../core/task/task.js'
import { checkSplits, dataOptions, type Item, readSplits, type Splits } from '../../loading/data.js'
import { ownPrompts } from '../../loading/own-prompts.js'
import { chooseScorer } from '../../scoring/index.js'
import { type OfficeTask, readTask } from './item.js'
import { Pages } from './pages.js'
import { Sources } from './sources.js'
import { createTools } from './tools.js'

const limit = (usual: number, about: string) => z.number().int().positive().default(usual).describe(about)

export const options = z.strictObject({
  ...dataOptions,
  sourcesDir: z.string().describe('Folder with the documents as text, or the folder above `transformed`.'),
  mode: z
    .enum(['tools', 'pages', 'both'])
    .default('tools')
    .describe('How the agent reads documents: with tools, as pages in the prompt, or both.'),
  pagesDir: z
    .string()
    .optional()
    .describe('Folder with the parsed documents. Default: `jsons`, in `sourcesDir` or beside it.'),
  instructions: z
    .string()
    .optional()
    .describe(
      'What the agent is told before the skill. Default: how to use the documents, and how to mark its answer.',
    ),
  turns: limit(24, 'Calls of the model per task, when it has tools.'),
  globHits: limit(50, 'The most files that `glob` lists.'),
  grepHits: limit(20, 'The most lines that `grep` shows.'),
  readLines: limit(80, 'Lines that `read` shows when the agent does not say how many.'),
  readCharacters: limit(4000, 'The most characters that `read` shows at a time.'),
  pageCharacters: limit(24_000, 'The most characters of a page in the prompt.'),
  pagesCharacters: limit(80_000, 'The most characters of all pages in the prompt.'),
})

type Options = z.infer<typeof options>

const about = 'You answer questions about finance bulletins: long documents of text and tables.'
const whereToLook: Readonly<Record<Options['mode'], string>> = {
  tools:
    'Look the answer up in the sources of the task: `glob` lists them, `grep` finds the lines that contain a text, `read` shows lines.',
  pages: 'The pages that the question is about are given with it.',
  both: 'Pages that the question is about are given with it. For what they leave out, look into the sources of the task: `glob` lists them, `grep` finds the lines that contain a text, `read` shows lines.',
}
const howToAnswer = 'End your reply with the answer between <answer> and </answer>.'
const lastReply = 'A reply that uses no tool is your last one.'

/**
 * Questions about treasury bulletins, answered with tools or from given pages. Scored by exact match and
 * token F1.
 */
export async function create(
  given: Options,
  { baseDir }: { readonly baseDir: string },
): Promise<Environment<OfficeTask>> {
  const scorer = chooseScorer('officeqa')
  const items = await readSplits(given, baseDir)
  const sources = await Sources.at(resolve(baseDir, given.sourcesDir))
  const pages = await Pages.open(given, baseDir)
  const toTasks = async (split: readonly Item[]) => {
    const tasks: OfficeTask[] = []
    for (const item of split) tasks.push(await readTask(item, sources))
    return pages === undefined ? tasks : pages.addTo(tasks, split)
  }
  const tasks: Splits<OfficeTask> = {
    train: await toTasks(items.train),
    val: await toTasks(items.val),
    test: await toTasks(items.test),
  }
  checkSplits(tasks, task => [task.question, ...task.sources.map(({ hash }) => hash)].join('\n'))
  const hasTools = given.mode !== 'pages'
  const usual = [about, whereToLook[given.mode], howToAnswer, ...(hasTools ? [lastReply] : [])].join('\n')
  const instructions = given.instructions ?? usual
  return {
    id: 'officeqa',
    needs: hasTools ? ['chat', 'tools'] : ['chat'],
    warnings: pages?.warnings() ?? [],
    prompts: await ownPrompts(import.meta.url),
    tasks: async split => tasks[split],
    open: async task => ({
      instructions,
      prompt: promptOf(task, pages?.render(task) ?? ''),
      skillAt: 'system',
      tools: hasTools ? createTools(task.sources, source => sources.lines(source), given) : [],
      turnLimit: hasTools ? given.turns : 1,
      close: async () => {},
    }),
    score: ({ answer }, trajectory, context) =>
      scorer.score({ answer }, { ...trajectory, answer: finalReply(trajectory) }, context),
  }
}

function promptOf({ question, sources, documents }: OfficeTask, pages: string): string {
  const listed = sources.map(({ path, lines }) => `- ${path} (${lines} lines)`)
  return [
    `Question: ${question}`,
    ['Sources of this task:', ...listed].join('\n'),
    ...(documents.length === 0
      ? []
      : [['Published at:', ...documents.map(place => `- ${place}`)].join('\n')]),
    ...(pages === '' ? [] : [`Pages of the sources:\n\n${pages}`]),
  ].join('\n\n')
}

/** The agent's answer. Text beside a tool call is none, because the agent has not seen the result yet. */
function finalReply({ messages, answer }: Trajectory): string {
  const last = messages.findLast(({ role }) => role === 'assistant')
  return (last?.toolCalls ?? []).length > 0 ? '' : answer
}
