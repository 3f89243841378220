import { join } from 'node:path'
import type { TranscriptUser } from '../../../core/transcript/transcript.js'
import { atHome } from '../../../system/home.js'

/**
 * An agent's folder: where the first of its variables says that is set, else below the user's home. An empty variable is
 * one that is not set.
 */
export function agentFolder(
  { env, home }: TranscriptUser,
  variables: readonly string[],
  ...names: readonly string[]
): string {
  const given = variables.map(variable => env[variable]).find(value => value !== undefined && value !== '')
  if (given === undefined) return join(home, ...names)
  // The agents do so themselves.
  return atHome(given, home)
}
