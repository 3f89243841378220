import { join } from 'node:path'
import type { TranscriptUser } from '../../../core/transcript/transcript.js'
import { atHome } from '../../../system/home.js'

/**
 * An agent's folder: the first of its variables that is set, or else a folder below the user's home. An
 * empty variable counts as unset.
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
