import { resolve } from 'node:path'
import { z } from 'zod'
import { InputError, messageOf } from '../../../core/errors/errors.js'
import type { Task } from '../../../core/task/task.js'
import { contentHash } from '../../../core/text/hash.js'
import { readPlainFile } from '../../../system/plain-file.js'
import type { PlacedItem } from '../../loading/data.js'
import { isMissing } from '../../loading/rows.js'
import { type Game, readGame } from './game.js'
import { type TaskType, taskTypeOf, taskTypes } from './goal.js'

export interface GameTask extends Task {
  readonly type: TaskType
  readonly task: string
  readonly gamefile: string
  /** Hash of the game's file. If the file changes, the task is a different one. */
  readonly game: string
}

const itemSchema = z.object({
  id: z
    .union([z.string().min(1), z.number()])
    .transform(String)
    .optional(),
  gamefile: z.string().min(1),
  task_type: z.enum(taskTypes).optional(),
})

/** The games of the items. Each file is read once. */
export class GameLibrary {
  readonly #folder: string | undefined
  readonly #games = new Map<string, Game>()

  /** Paths are relative to this folder; if it is undefined, to the folder of the splits. */
  constructor(folder: string | undefined) {
    this.#folder = folder
  }

  /** Reads an item and its game. Throws an `InputError` that names the item and the problem. */
  async add(item: PlacedItem): Promise<GameTask> {
    const { id = item.fallbackId, gamefile, task_type } = readItem(item)
    const refuse = (problem: string, hint: string, cause?: unknown): never => {
      throw new InputError(`${item.at} (task ${id}): the game ${gamefile} ${problem}.`, { hint, cause })
    }
    const folder = this.#folder ?? item.root
    const content = await readPlainFile(resolve(folder, gamefile)).catch((error: unknown) =>
      refuse(
        isMissing(error) ? 'does not exist' : `cannot be read: ${messageOf(error)}`,
        `Paths of games start at ${folder}; \`gamesDir\` names another folder.`,
        error,
      ),
    )
    const text = content.toString('utf8')
    const hash = contentHash(text)
    const game = this.#games.get(hash) ?? this.#read(text, refuse)
    this.#games.set(hash, game)
    const type = taskTypeOf(game.goal)
    if (task_type !== undefined && task_type !== type)
      refuse(`is of type ${type}, and the item says ${task_type}`, 'Correct the path or `task_type`.')
    return { id, type, task: game.task, gamefile, game: hash }
  }

  /** The game of a task that `add` created. */
  gameOf({ game, gamefile }: GameTask): Game {
    const found = this.#games.get(game)
    if (found === undefined) throw new Error(`The game ${gamefile} was not read.`)
    return found
  }

  #read(text: string, refuse: (problem: string, hint: string, cause?: unknown) => never): Game {
    try {
      return readGame(text)
    } catch (error) {
      return refuse(
        messageOf(error),
        'Games are the files game.tw-pddl of ALFWorld: copy it again, or take the item out.',
        error,
      )
    }
  }
}

function readItem(item: PlacedItem): z.infer<typeof itemSchema> {
  const parsed = itemSchema.safeParse(item.fields)
  if (parsed.success) return parsed.data
  throw new InputError(`${item.at} is not an ALFWorld item: ${z.prettifyError(parsed.error)}`, {
    hint: 'Each item has `id`, the path of its game as `gamefile`, and, if you like, `task_type`.',
  })
}
