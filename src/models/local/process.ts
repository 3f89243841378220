import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { execPath } from 'node:process'
import type { Readable, Writable } from 'node:stream'
import { WorldFailure } from '../../core/errors/errors.js'
import { ownProgram } from '../../system/own-program.js'
import { createTail } from '../../system/tail.js'

export interface EngineOptions {
  readonly file: string
  readonly slots: number
  readonly contextTokens: number
  readonly threads?: number | undefined
  readonly gpu: boolean
  readonly token: string
}

/** The only message that the engine's process prints to stdout. */
export type EngineReport = { readonly port: number } | { readonly failure: string }

type Child = ChildProcessByStdio<Writable, Readable, Readable>

export interface RunningEngine {
  readonly url: string
  readonly token: string
  readonly pid: number
}

/** Loading takes seconds, or minutes for a large file on a busy machine. */
const startLimitMs = 600_000

/**
 * A process that runs one file of weights. The first call starts it, a call after it has ended starts it
 * again, and it ends together with this process.
 */
export class EngineProcess {
  #running: Promise<RunningEngine> | undefined
  #child: Child | undefined

  constructor(readonly options: () => Omit<EngineOptions, 'token'>) {}

  /** Rejects with a retryable failure if the process does not start. */
  running(): Promise<RunningEngine> {
    this.#running ??= this.#start()
    return this.#running
  }

  async close(): Promise<void> {
    const child = this.#child
    this.#running = undefined
    this.#child = undefined
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
    child.ref()
    const exited = once(child, 'exit')
    child.kill('SIGKILL')
    await exited
  }

  async #start(): Promise<RunningEngine> {
    const { file, execArgv } = ownProgram('serve', import.meta.url)
    const token = randomBytes(24).toString('base64url')
    const child: Child = spawn(execPath, [...execArgv, file], {
      stdio: ['pipe', 'pipe', 'pipe'],
      windowsHide: true,
    })
    this.#child = child
    child.once('exit', () => {
      if (this.#child !== child) return
      this.#child = undefined
      this.#running = undefined
    })
    // Writing fails if the process died early; its exit is then reported as the error.
    child.stdin.on('error', () => child.kill())
    child.stdin.write(`${JSON.stringify({ ...this.options(), token })}\n`)
    try {
      const port = await reportedPort(child)
      // A caller that forgets to close the engine must still be able to exit, which ends the engine too.
      for (const handle of [child, child.stdin, child.stdout, child.stderr]) {
        if ('unref' in handle) (handle as { unref(): unknown }).unref()
      }
      return { url: `http://127.0.0.1:${port}/v1`, token, pid: child.pid ?? 0 }
    } catch (error) {
      child.kill('SIGKILL')
      this.#running = undefined
      throw error
    }
  }
}

function reportedPort(child: Child): Promise<number> {
  const complaints = createTail(2_000)
  child.stderr.setEncoding('utf8').on('data', (text: string) => complaints.add(text))
  return new Promise((resolve, reject) => {
    let received = ''
    const settle = (report: EngineReport) => {
      clearTimeout(timer)
      if ('port' in report) return resolve(report.port)
      const detail = `${report.failure} ${complaints.text()}`.trim()
      // Not retryable: weights that cannot be loaded now cannot be loaded at the next try either.
      reject(
        new WorldFailure('rejected', `The local weights could not be loaded: ${detail}`, {
          retryable: false,
          hint: 'Check the file, and that there is enough memory for it and for `concurrency` contexts.',
        }),
      )
    }
    const end = (what: string) => {
      clearTimeout(timer)
      reject(
        new WorldFailure('server', `The process of the local weights ${what}. ${complaints.text()}`.trim(), {
          retryable: true,
        }),
      )
    }
    const timer = setTimeout(() => end(`did not start within ${startLimitMs / 1000} s`), startLimitMs)
    child.once('error', error => end(`could not be started: ${error.message}`))
    child.once('exit', (code, signal) => end(`ended with ${signal ?? code} before it was ready`))
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      received += text
      const line = /^(\{"(?:port|failure)".*\})$/m.exec(received)?.[1]
      if (line !== undefined) settle(JSON.parse(line) as EngineReport)
    })
  })
}
