import { access } from 'node:fs/promises'
import { userHome } from '../../system/home.js'
import type { AgentSettings } from './attempt.js'
import type { AgentDefinition } from './definition.js'
import { nowhere } from './place.js'

/** The variable or the file by which an agent should be logged in; undefined where there is none. */
export async function signOfLogin(
  { secrets, filesOf }: Pick<AgentDefinition, 'secrets' | 'filesOf'>,
  { env, key }: Pick<AgentSettings, 'env' | 'key'>,
): Promise<string | undefined> {
  if (key !== undefined) return 'the key that the config names'
  const variable = secrets.find(name => (env[name] ?? '') !== '')
  if (variable !== undefined) return `the variable ${variable}`
  for (const { from } of filesOf({ home: userHome(env), env }, nowhere).login) {
    const isThere = await access(from).then(
      () => true,
      () => false,
    )
    if (isThere) return from
  }
  return undefined
}
