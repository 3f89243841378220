import { homedir } from 'node:os'
import { join, resolve } from 'node:path'

/** Variables come first, so that a command can be given another home. */
export function userHome(env: Readonly<Record<string, string | undefined>>): string {
  const given = [env.HOME, env.USERPROFILE].find(path => path !== undefined && path !== '')
  return given ?? homedir()
}

/** Expands `~` in a path written by the user, which a shell would otherwise have done. */
export function atHome(path: string, home: string): string {
  return /^~(?:[/\\]|$)/.test(path) ? join(home, path.slice(1)) : path
}

/** Our own folder in the user's home; it belongs to no project. */
export function skilloptHome({
  env,
  cwd,
}: {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd: string
}): string {
  const given = env.SKILLOPT_HOME
  return given === undefined || given === '' ? join(userHome(env), '.skillopt') : resolve(cwd, given)
}
