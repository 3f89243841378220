import { isUtf8 } from 'node:buffer'
import { realpath, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { absentIfMissing } from '../../agents/shared/install/safe-path.js'
import {
  type SkillFile,
  skillFileName,
  supportingFiles,
} from '../../agents/shared/install/supporting-files.js'
import { InputError } from '../../core/errors/errors.js'
import { hasRun, readVersion } from '../../store/run-directories.js'
import { reasonOf } from '../../system/documents.js'
import { readPlainFile } from '../../system/plain-file.js'

export interface SkillSource {
  readonly text: string
  /** Other files in the skill's folder that belong to the skill. */
  readonly supporting: readonly SkillFile[]
}

/** Reads the named skill: a file, a skill folder, a run, or one version of a run. */
export async function readSource(
  named: string,
  withFolder: string | true | undefined,
  cwd: string,
): Promise<SkillSource> {
  const path = resolve(cwd, named)
  const stats = await stat(path).catch(absentIfMissing)
  if (stats === undefined || (await hasRun(path))) {
    const { text } = await readVersion(named.includes('@') ? named : `${named}@best`, cwd).catch(
      stats === undefined ? notFound(named) : rethrow,
    )
    if (withFolder === true) {
      throw new InputError('A run has no supporting files.', {
        hint: 'Pass the folder of the skill it was trained from: --with-folder <dir>.',
      })
    }
    return { text, supporting: withFolder === undefined ? [] : await beside(resolve(cwd, withFolder), text) }
  }
  const file = stats.isDirectory() ? join(path, skillFileName) : path
  const text = await readSkillText(file, named)
  const folder = withFolder === true || withFolder === undefined ? dirname(file) : resolve(cwd, withFolder)
  const wanted = withFolder !== undefined || stats.isDirectory()
  return { text, supporting: wanted ? await beside(folder, text) : [] }
}

/** Reads a skill as bytes first, because decoding would silently change text that is not UTF-8. */
async function readSkillText(file: string, named: string): Promise<string> {
  const bytes = await readPlainFile(file).catch((error: unknown) => {
    const missing =
      basename(file) === skillFileName ? `${named} has no ${skillFileName} that can be read` : ''
    throw new InputError(`${missing === '' ? `${named} cannot be read` : missing}: ${reasonOf(error)}.`, {
      hint: 'Pass a skill file, a folder with a SKILL.md, or a run.',
      cause: error,
    })
  })
  if (!isUtf8(bytes)) throw new InputError(`${named} is not UTF-8 text.`, { hint: 'Save it as UTF-8.' })
  return bytes.toString('utf8')
}

function beside(folder: string, text: string): Promise<SkillFile[]> {
  return supportingFiles(folder, text).catch((error: unknown) => {
    if (error instanceof InputError) throw error
    throw new InputError(`Cannot read the folder ${folder}: ${reasonOf(error)}.`, { cause: error })
  })
}

const rethrow = (error: unknown): never => {
  throw error
}

const notFound =
  (named: string) =>
  (error: unknown): never => {
    if (!(error instanceof InputError)) throw error
    throw new InputError(`No skill file, skill folder or run "${named}" here.`, {
      hint: error.hint ?? 'Pass a skill file, a folder with a SKILL.md, or a run.',
      cause: error,
    })
  }

/** The folder named by --project, with symlinks resolved, because receipts are stored under this path. */
export async function projectDirectory(named: string | true | undefined, cwd: string): Promise<string> {
  const path = resolve(cwd, typeof named === 'string' ? named : '.')
  const stats = await stat(path).catch(absentIfMissing)
  if (stats?.isDirectory() !== true) {
    throw new InputError(`--project expects a folder; ${String(named)} is not one.`, {
      hint: 'Put the skill first: skillopt install best_skill.md --to codex --project path/to/project',
    })
  }
  return realpath(path)
}
