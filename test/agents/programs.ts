import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { messageOf } from '../../src/core/errors/errors.js'
import type { AgentKit } from './kit.js'

const script = fileURLToPath(new URL('../../scripts/install-agents.mjs', import.meta.url))

/** Ids of the agents that can be installed. */
export const installable: readonly string[] = Object.keys(
  JSON.parse(readFileSync(new URL('./programs/package.json', import.meta.url), 'utf8')).agents,
)

export async function kitOf(id: string): Promise<AgentKit> {
  const { kit } = (await import(`./kits/${id}.ts`)) as { kit: AgentKit }
  return kit
}

/**
 * The program's path, installed if necessary. CI requires it; elsewhere its tests are skipped with a
 * message.
 */
export async function programOf(id: string): Promise<string | undefined> {
  try {
    return await install(id)
  } catch (error) {
    const message = `The tests with the real ${id} need it installed. ${messageOf(error)}`
    if (process.env.CI !== undefined) throw new Error(message, { cause: error })
    process.stderr.write(`\n!!! SKIPPED: ${message}\n\n`)
    return undefined
  }
}

function install(id: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [script, id], { stdio: ['ignore', 'pipe', 'pipe'] })
    const said = { stdout: '', stderr: '' }
    for (const name of ['stdout', 'stderr'] as const) {
      child[name].setEncoding('utf8').on('data', (chunk: string) => {
        said[name] += chunk
      })
    }
    child.once('error', reject)
    child.once('close', code => {
      if (code === 0) resolve(said.stdout.trim())
      else reject(new Error(said.stderr.trim().split('\n').at(-1)))
    })
  })
}
