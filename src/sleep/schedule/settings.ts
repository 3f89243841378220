import { access, mkdir, readdir, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import writeFileAtomic from 'write-file-atomic'
import { InputError, messageOf } from '../../core/errors/errors.js'
import { readPlainFile } from '../../system/plain-file.js'
import { type JobSettings, type NightlyJob, settingsSchema } from './job.js'

export const settingsFile = (folder: string): string => join(folder, 'schedule.json')

/** Path of the log of scheduled nights. See `openLog` for its rotation. */
export const nightLog = (folder: string): string => join(folder, 'nights.log')

export function settingsText({ project, command, environment, needs, variableFiles }: NightlyJob): string {
  const settings = { format: 1, project, command, environment, needs, variableFiles }
  return `${JSON.stringify(settings, undefined, 2)}\n`
}

/**
 * Writes the files and runs an action on them. If the action fails, the old files are restored. Only the user
 * can read the files.
 */
export async function withNewFiles(
  files: Readonly<Record<string, string>>,
  work: () => Promise<void>,
): Promise<void> {
  const before: (readonly [string, string | undefined])[] = []
  try {
    for (const [file, text] of Object.entries(files)) {
      before.push([file, await readText(file)])
      await writeText(file, text)
    }
    await work()
  } catch (error) {
    for (const [file, text] of before) await (text === undefined ? removeFile(file) : writeText(file, text))
    throw error
  }
}

/** Writes a file atomically: either the new file appears whole, or the old one stays. */
export async function writeText(file: string, text: string): Promise<void> {
  try {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 })
    await writeFileAtomic(file, text, { mode: 0o600 })
  } catch (error) {
    throw new InputError(`${file} cannot be written: ${messageOf(error)}.`, {
      hint: 'Check that the folder is yours to write to and that the disk is not full. Nothing was scheduled.',
      cause: error,
    })
  }
}

export async function removeFile(file: string): Promise<void> {
  await rm(file, { force: true })
}

/** Reads a text file; undefined if it does not exist. */
export async function readText(file: string): Promise<string | undefined> {
  try {
    return (await readPlainFile(file)).toString('utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    throw new InputError(`${file} cannot be read: ${messageOf(error)}.`, {
      hint: 'Check that the file and its folder are yours to read.',
      cause: error,
    })
  }
}

/** Reads the settings of a schedule. Throws `InputError` if they are missing or damaged. */
export async function readSettings(file: string): Promise<JobSettings> {
  const text = await readText(file)
  if (text === undefined)
    throw new InputError(`The settings of the schedule are gone: ${file}.`, { hint: again })
  try {
    return settingsSchema.parse(JSON.parse(text))
  } catch (error) {
    throw new InputError(`The settings of the schedule cannot be used: ${file} is damaged.`, {
      hint: again,
      cause: error,
    })
  }
}

const again = 'Schedule the project again, or take its schedule away.'

export function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}

export async function filesIn(folder: string): Promise<readonly string[]> {
  try {
    return (await readdir(folder)).sort()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw new InputError(`${folder} cannot be read: ${messageOf(error)}.`, { cause: error })
  }
}
