import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as alfworld from '../../src/tasks/benchmarks/alfworld/index.js'
import type { GameTask } from '../../src/tasks/benchmarks/alfworld/library.js'
import { type GameFile, gamesFolder } from '../support/small-house.js'
import type { EnvironmentSubject } from './environment.js'

/** The example's games, each solved by the walkthrough in its file. */
export const alfworldSubject: EnvironmentSubject<GameTask> = {
  create: () => alfworld.create(alfworld.options.parse({ splitDir: '.' }), { baseDir: gamesFolder }),
  async solve({ gamefile }) {
    const { walkthrough } = JSON.parse(await readFile(join(gamesFolder, gamefile), 'utf8')) as GameFile
    const messages = walkthrough.map(
      command => ({ role: 'assistant', text: `<action>${command}</action>` }) as const,
    )
    return { messages, answer: messages.at(-1)?.text ?? '', stop: 'answered' }
  },
}
