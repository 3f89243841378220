import { homedir } from 'node:os'
import { join, resolve } from 'node:path'

/** By the variables first, so that whoever sets another home for a command gets it. */
export function userHome(env: Readonly<Record<string, string | undefined>>): string {
  const given = [env.HOME, env.USERPROFILE].find(path => path !== undefined && path !== '')
  return given ?? homedir()
}

/** A path as a person writes it, with `~` for their home: where no shell was at work, nobody else has replaced it. */
export function atHome(path: string, home: string): string {
  return /^~(?:[/\\]|$)/.test(path) ? join(home, path.slice(1)) : path
}

/** Our own folder in the user's home: it belongs to the user and to no project. */
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
