import { access } from 'node:fs/promises'
import { userHome } from '../../../system/home.js'
import type { AgentSettings } from './attempt.js'
import type { AgentDefinition } from './definition.js'
import { noPlace } from './place.js'

/**
 * The variable or file that should log the agent in; undefined if there is none. With a custom endpoint,
 * credentials for the agent's own provider do not count.
 */
export async function findLogin(
  { secrets, logins = secrets, filesOf }: Pick<AgentDefinition, 'secrets' | 'logins' | 'filesOf'>,
  { env, key, endpoint }: Pick<AgentSettings, 'env' | 'key' | 'endpoint'>,
): Promise<string | undefined> {
  if (key !== undefined) return 'the key that the config names'
  const variables = endpoint === undefined ? logins : secrets
  const variable = variables.find(name => (env[name] ?? '') !== '')
  if (variable !== undefined) return `the variable ${variable}`
  if (endpoint !== undefined) return undefined
  for (const { from } of filesOf({ home: userHome(env), env }, noPlace).login) {
    const isThere = await access(from).then(
      () => true,
      () => false,
    )
    if (isThere) return from
  }
  return undefined
}

/** What to do after a failed login, depending on the credentials that were used. */
export function loginHint(
  { login }: Pick<AgentDefinition, 'login'>,
  { key, endpoint }: Pick<AgentSettings, 'key' | 'endpoint'>,
): string {
  if (key !== undefined) return 'Put a valid key into the variable that `apiKeyEnv` names.'
  if (endpoint !== undefined)
    return 'Set `apiKeyEnv`, beside `endpoint`, to the variable that holds the key of the endpoint.'
  return login
}
