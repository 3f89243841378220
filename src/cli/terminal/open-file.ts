import { spawn } from 'node:child_process'

/** The command that opens a file as a double click would. */
export function openingCommand(platform: NodeJS.Platform, file: string): readonly [string, ...string[]] {
  if (platform === 'darwin') return ['open', file]
  // The empty argument is the window's title. Without it, `start` would use a quoted path as the title.
  if (platform === 'win32') return ['cmd', '/c', 'start', '', file]
  return ['xdg-open', file]
}

/** Opens a file in the system's default program. Resolves to false if there is none. */
export function openFile(file: string): Promise<boolean> {
  const [command, ...args] = openingCommand(process.platform, file)
  return new Promise(resolve => {
    const child = spawn(command, args, { detached: true, stdio: 'ignore' })
    child.once('error', () => resolve(false))
    child.once('spawn', () => {
      child.unref()
      resolve(true)
    })
  })
}
