import { readdir } from 'node:fs/promises'
import { resolve } from 'node:path'
import { InputError } from '../../../core/errors/errors.js'
import {
  type DividedTasks,
  type Draft,
  findSplits,
  readDivided,
  readDraft,
  readSplitFolder,
} from '../../../prepare/read.js'
import { kindOf } from '../../../prepare/source.js'
import { loadProject } from '../../../project/load.js'
import { options } from '../../../tasks/own/index.js'
import { shownPath } from '../../output/text.js'
import type { Io } from '../../terminal/io.js'

export interface ColumnFlags {
  readonly question?: string | undefined
  readonly answer?: string | undefined
  readonly type?: string | undefined
  readonly id?: string | undefined
}

export interface SourceFlags extends ColumnFlags {
  readonly scorer?: string | undefined
}

/** Opens tasks from a file or folder that is not split yet. */
export function openDraft(io: Io, source: string, flags: SourceFlags): Promise<Draft> {
  const { scorer, question, answer, type, id } = flags
  const columns = { question, answer, type, id }
  return readDraft(resolve(io.cwd, source), { shownAs: source, columns, scorer })
}

/** Opens tasks from a project, from a folder with the three splits, or from a source without splits. */
export async function openTasks(io: Io, source: string, flags: SourceFlags): Promise<DividedTasks | Draft> {
  const path = resolve(io.cwd, source)
  if ((await kindOf(path)) !== 'folder') return openDraft(io, source, flags)
  const isProject = (await readdir(path)).some(name => /^skillopt\.(ya?ml|json)$/.test(name))
  if (isProject) return openProject(io, source)
  const splits = await findSplits(path)
  if (splits === undefined) return openDraft(io, source, flags)
  return readSplitFolder(splits, path, flags.scorer)
}

async function openProject(io: Io, project: string) {
  // Trusting the config is safe here. The tasks are only read and shown; nothing that the config names is run
  // or sent.
  const { config, baseDir, file } = await loadProject({ project, env: io.env, cwd: io.cwd, trust: true })
  const { use, ...given } = config.environment
  const shown = shownPath(file, io.cwd)
  if (use !== 'tasks') {
    throw new InputError(`${shown} uses the environment ${use}, which brings its own tasks.`, {
      hint: '`skillopt doctor` checks them.',
    })
  }
  const parsed = options.safeParse(given)
  if (!parsed.success) {
    throw new InputError(`The environment in ${shown} is not valid.`, {
      hint: '`skillopt doctor` shows the problem.',
    })
  }
  return readDivided(parsed.data, baseDir)
}
