import { join, posix, win32 } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { TranscriptUser } from '../../../core/transcript/transcript.js'
import { atHome } from '../../../system/home.js'
import { ownPrefix } from '../../../system/own-folder.js'
import { asText } from './values.js'

/**
 * The folder that a session reports. Only an absolute path counts: an empty or relative one would match
 * whatever folder the user happens to be in.
 */
export function projectIn(value: unknown): string | undefined {
  const path = asText(value)
  if (path === undefined) return undefined
  if (path.startsWith('file:')) return projectIn(pathOfUrl(path))
  if (posix.isAbsolute(path)) return posix.resolve(path)
  return /^(?:[A-Za-z]:[\\/]|\\\\)/.test(path) ? win32.resolve(path) : undefined
}

function pathOfUrl(url: string): string | undefined {
  try {
    return fileURLToPath(url)
  } catch {
    // A URL of another machine, or an invalid one, does not name a local folder.
    return undefined
  }
}

/** Whether a folder is, or is inside, one that we created for an attempt. */
export function isAttemptFolder(project: string): boolean {
  return project.split(/[\\/]/).some(name => name.startsWith(`${ownPrefix}-`))
}

/**
 * An agent's folder: the value of the first of its variables that is set, otherwise a folder below the user's
 * home. An empty variable counts as unset.
 */
export function agentFolder(
  { env, home }: TranscriptUser,
  variables: readonly string[],
  ...names: readonly string[]
): string {
  const given = variables.map(variable => env[variable]).find(value => value !== undefined && value !== '')
  if (given === undefined) return join(home, ...names)
  // The agents expand `~` themselves.
  return atHome(given, home)
}
