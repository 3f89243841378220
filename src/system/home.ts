import { homedir } from 'node:os'

/** By the variables first, so that whoever sets another home for a command gets it. */
export function userHome(env: Readonly<Record<string, string | undefined>>): string {
  const given = [env.HOME, env.USERPROFILE].find(path => path !== undefined && path !== '')
  return given ?? homedir()
}
