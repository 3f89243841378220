import { stat } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { InputError } from '../../../core/errors/errors.js'
import type { BenchmarkData } from '../../loading/benchmark-data.js'
import type { PlacedItem } from '../../loading/data.js'
import { filesBelow, readReleaseFile } from '../../loading/release.js'
import { GameLibrary } from './library.js'

const published = 'json_2.1.1'

export const data: BenchmarkData = {
  name: 'ALFWorld',
  about: 'Chores in a simulated house, by text commands: find, clean, heat, cool and put things away.',
  published: [
    { what: 'games, by its command alfworld-download', address: 'https://github.com/alfworld/alfworld' },
    { what: 'splits by path, in data/alfworld_path_split', address: 'https://github.com/microsoft/SkillOpt' },
    { what: 'paper', address: 'https://arxiv.org/abs/2010.03768' },
  ],
  licence: 'MIT',
  needs: [
    `the folder ${published} with the games: SPLIT/TASK/TRIAL/game.tw-pddl`,
    'splits: items with `id` and `gamefile`, a path that starts at the folder above; `task_type` if you like',
  ],
  releases: [
    { name: 'train', items: 3553 },
    { name: 'valid_train', items: 200 },
    { name: 'valid_seen', items: 140 },
    { name: 'valid_unseen', items: 134 },
  ],
  splits: { train: 39, val: 18, test: 134 },
  readRelease: gamesBelow,
  toItem: ({ fields }) => fields,
  inspector: async ({ files }) => {
    const library = new GameLibrary(files)
    return item => library.add(item)
  },
  fileOptions: async ({ folder, files }) => ({ gamesDir: files ?? folder }),
  manifestField: 'gamefile',
}

/** One item per game, with its path as id. If the path is a file, it is a list of items. */
async function gamesBelow(path: string): Promise<readonly PlacedItem[]> {
  if (!(await stat(path)).isDirectory()) return readReleaseFile(path)
  const folder = resolve(path)
  // Published paths begin with this folder's name. If the user names this folder itself, paths start at its
  // parent.
  const root = basename(folder) === published ? dirname(folder) : folder
  const prefix = root === folder ? '' : published
  const games = (await filesBelow(folder)).filter(file => basename(file) === 'game.tw-pddl')
  if (games.length === 0) {
    throw new InputError(`${path} has no games.`, {
      hint: `Name the folder that has ${published}, with files game.tw-pddl below it.`,
    })
  }
  return games.map(game => {
    const gamefile = join(prefix, game).replaceAll('\\', '/')
    return { fields: { id: gamefile, gamefile }, at: gamefile, fallbackId: gamefile, folder: root, root }
  })
}
