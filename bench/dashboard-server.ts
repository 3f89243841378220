import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

export interface ServedDashboard {
  readonly pid: number
  /** Includes the token. */
  readonly url: string
  /** The list of runs, once it is complete. */
  runs(): Promise<readonly { readonly id: string }[]>
  close(): Promise<void>
}

/** Starts the built command line in its own process, as a user would; its data is stored below `root`. */
export async function serve(root: string): Promise<ServedDashboard> {
  const main = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url))
  const child = spawn(process.execPath, [main, 'view', '--port', '0'], {
    cwd: root,
    env: { PATH: process.env.PATH, HOME: join(root, 'home'), SKILLOPT_HOME: join(root, 'home', '.skillopt') },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const url = await addressIn(createInterface(child.stdout))
  const cookie = await cookieOf(url)
  return {
    pid: child.pid ?? 0,
    url,
    async runs() {
      const response = await fetch(new URL('/api/runs', url), { headers: { cookie } })
      return (await response.json()) as readonly { readonly id: string }[]
    },
    async close() {
      child.kill('SIGINT')
      if (child.exitCode === null) await once(child, 'exit')
    },
  }
}

async function addressIn(lines: AsyncIterable<string>): Promise<string> {
  for await (const line of lines) {
    const address = /http:\/\/\S+/.exec(line)?.[0]
    if (address !== undefined) return address
  }
  throw new Error('The dashboard ended without having said where it is.')
}

async function cookieOf(url: string): Promise<string> {
  const response = await fetch(url, { redirect: 'manual' })
  return response.headers.getSetCookie().map(cookie => cookie.split(';')[0])[0] ?? ''
}
