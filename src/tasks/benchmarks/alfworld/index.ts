import { resolve } from 'node:path'
import { z } from 'zod'
import type { Environment, Session } from '../../../core/ports/environment.js'
import { checkSplits, dataOptions, type PlacedItem, readSplits, type Splits } from '../../loading/data.js'
import { ownPrompts } from '../../loading/own-prompts.js'
import { feedbackOf } from './feedback.js'
import type { Game } from './game.js'
import { GameLibrary, type GameTask } from './library.js'
import { Play } from './play.js'
import { review } from './review.js'
import { actionIn, defaultAction, defaultInstructions, type Step, turnMessage } from './turn.js'

export const options = z.strictObject({
  ...dataOptions,
  gamesDir: z
    .string()
    .optional()
    .describe(
      'Folder where the paths of games start; by default the folder of the splits or of the data file.',
    ),
  maxSteps: z.number().int().positive().default(50).describe('Commands that an attempt may give.'),
  history: z.number().int().nonnegative().default(2).describe('Latest steps shown to the agent.'),
  instructions: z.string().default(defaultInstructions).describe('What the agent is told before the skill.'),
})

type Options = z.infer<typeof options>

/** Household chores in a simulated house, done with text commands. The score is 1 if the chore was done. */
export async function create(
  given: Options,
  { baseDir }: { readonly baseDir: string },
): Promise<Environment<GameTask>> {
  const items = await readSplits(given, baseDir)
  const library = new GameLibrary(given.gamesDir === undefined ? undefined : resolve(baseDir, given.gamesDir))
  const tasks: Splits<GameTask> = {
    train: await addAll(library, items.train),
    val: await addAll(library, items.val),
    test: await addAll(library, items.test),
  }
  checkSplits(tasks, ({ game }) => game)
  return {
    id: 'alfworld',
    needs: ['chat', 'turns'],
    prompts: await ownPrompts(import.meta.url),
    tasks: async split => tasks[split],
    open: async task => openSession(library.gameOf(task), given),
    score: async (task, { messages }) => {
      const replies = messages.filter(({ role }) => role === 'assistant').map(({ text }) => text)
      const reviewed = review(library.gameOf(task), replies.slice(0, given.maxSteps))
      const score = reviewed.won ? 1 : 0
      return { hard: score, soft: score, feedback: feedbackOf(reviewed) }
    },
  }
}

function openSession(game: Game, { instructions, maxSteps, history }: Options): Session {
  const play = new Play(game)
  const steps: Step[] = []
  const message = () => {
    const commands = play.commands.map(({ text }) => text).filter(text => text !== 'help')
    return turnMessage({ task: game.task, steps, maxSteps, history, observation: play.observation, commands })
  }
  return {
    instructions,
    prompt: message(),
    skillAt: 'user',
    tools: [],
    turnLimit: maxSteps,
    stateless: true,
    async reply(text) {
      const action = actionIn(text) ?? defaultAction
      steps.push({ observation: play.observation, action })
      play.step(action)
      return play.won ? 'done' : message()
    },
    close: async () => {},
  }
}

async function addAll(library: GameLibrary, items: readonly PlacedItem[]): Promise<GameTask[]> {
  const tasks: GameTask[] = []
  for (const item of items) tasks.push(await library.add(item))
  return tasks
}
