import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { dirname } from 'node:path'
import { execPath } from 'node:process'
import type { Readable, Writable } from 'node:stream'
import { ownProgram } from '../system/own-program.js'
import type { Character } from './character.js'
import type { FaultShares, Latency } from './faults.js'
import type { LoopbackOptions } from './server.js'

/** Options of the process. They are sent to it as JSON, so faults must be shares and not a function. */
export interface SimulatedProcessOptions extends Pick<LoopbackOptions, 'apiKey' | 'port' | 'logFile'> {
  readonly faults?: FaultShares
  readonly latency?: Latency
  /** Differences from the default character of the simulated models. */
  readonly character?: Partial<Character>
}

export interface SimulatedProcess {
  /** `http://127.0.0.1:PORT`. The path of the API is `/v1`. */
  readonly url: string
  readonly port: number
  readonly pid: number
  close(): Promise<void>
}

type Child = ChildProcessByStdio<Writable, Readable, Readable>

const startLimitMilliseconds = 20_000

/**
 * Starts the simulated models as a separate process, so that they behave like a real endpoint. The process
 * ends with this one.
 */
export async function startSimulatedProcess(
  options: SimulatedProcessOptions = {},
): Promise<SimulatedProcess> {
  const { file, execArgv } = ownProgram('main', import.meta.url)
  const child: Child = spawn(execPath, [...execArgv, file], {
    cwd: dirname(file),
    env: minimalEnvironment(),
    stdio: ['pipe', 'pipe', 'pipe'],
    windowsHide: true,
  })
  let complaints = ''
  child.stderr.on('data', chunk => {
    complaints = (complaints + String(chunk)).slice(-4000)
  })
  // Writing to a child that exited early fails. The exit itself is reported as the error.
  child.stdin.on('error', () => child.kill())
  child.stdin.write(`${JSON.stringify(options)}\n`)
  const port = await reportedPort(child, () => complaints)
  // Unreferenced handles let a caller that forgets to close this process exit, and the child with it.
  for (const handle of [child, child.stdin, child.stdout, child.stderr]) unreference(handle)
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    pid: child.pid ?? 0,
    async close() {
      if (child.exitCode !== null || child.signalCode !== null) return
      child.ref()
      const exited = once(child, 'exit')
      child.stdin.end()
      await exited
    },
  }
}

async function reportedPort(child: Child, complaints: () => string): Promise<number> {
  return new Promise((resolve, reject) => {
    let received = ''
    const fail = (what: string, cause?: unknown): void => {
      clearTimeout(timer)
      child.kill()
      reject(new Error(`simulated model: ${what}. ${complaints()}`.trim(), { cause }))
    }
    const timer = setTimeout(
      () => fail(`its process did not report a port within ${startLimitMilliseconds / 1000} s`),
      startLimitMilliseconds,
    )
    child.once('error', error => fail('its process could not be started', error))
    child.once('exit', code => fail(`its process ended with code ${code} before it was ready`))
    child.stdout.on('data', chunk => {
      received += String(chunk)
      const port = /"port":(\d+)\}\n/.exec(received)?.[1]
      if (port === undefined) return
      clearTimeout(timer)
      resolve(Number(port))
    })
  })
}

/** Environment variables of the child: only those that an operating system may need to start it. */
function minimalEnvironment(): NodeJS.ProcessEnv {
  const environment: NodeJS.ProcessEnv = {}
  for (const name of ['SystemRoot', 'TEMP', 'TMPDIR']) {
    const value = process.env[name]
    if (value !== undefined) environment[name] = value
  }
  return environment
}

/** Unreferences a handle. A child's pipes support this, although their types do not declare it. */
function unreference(handle: { unref?: () => unknown } | Readable | Writable): void {
  if ('unref' in handle) handle.unref?.()
}
