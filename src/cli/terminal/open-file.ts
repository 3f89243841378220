import { spawn } from 'node:child_process'

/** The command that shows a file as a double click would. */
export function openingCommand(platform: NodeJS.Platform, file: string): readonly [string, ...string[]] {
  if (platform === 'darwin') return ['open', file]
  // The empty text is the window's title: without it `start` takes a quoted path for one.
  if (platform === 'win32') return ['cmd', '/c', 'start', '', file]
  return ['xdg-open', file]
}

/** Opens a file in the program that the system has for it. Resolves to false where there is none. */
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
