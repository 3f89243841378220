import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const program = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url))

/** Runs the built command line in its own process. Returns its output, or throws with its error output. */
export async function skillopt(programArguments: readonly string[], cwd: string): Promise<string> {
  const child = spawn(process.execPath, [program, ...programArguments], {
    cwd,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const said = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (chunk: string) => {
      said[name] += chunk
    })
  }
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', resolve)
  })
  if (code === 0) return said.stdout
  throw new Error(`skillopt ${programArguments.join(' ')} ended with code ${code}.\n${said.stderr}`)
}
