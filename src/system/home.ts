import { homedir } from 'node:os'
import { join, resolve } from 'node:path'

/** The user's home folder. Variables take precedence, so that a command can be given another home. */
export function userHome(env: Readonly<Record<string, string | undefined>>): string {
  const given = [env.HOME, env.USERPROFILE].find(path => path !== undefined && path !== '')
  return given ?? homedir()
}

/** Expands `~` in a path that the user wrote in a file, as a shell would. */
export function atHome(path: string, home: string): string {
  return /^~(?:[/\\]|$)/.test(path) ? join(home, path.slice(1)) : path
}

/** The folder of this program in the user's home, shared by all projects. */
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
