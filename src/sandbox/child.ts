import { type SpawnOptions, spawn } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { Readable } from 'node:stream'
import PQueue from 'p-queue'
import { messageOf, WorldFailure } from '../core/errors.js'
import type { SandboxJob, SandboxResult } from '../core/ports.js'

/** As many at once as there are processors: a time limit should measure the program, not the queue. */
const places = new PQueue({ concurrency: availableParallelism() })

export interface ChildOptions {
  readonly env: NodeJS.ProcessEnv
  readonly cwd: string
  readonly owner?: { readonly uid: number; readonly gid: number } | undefined
}

export interface Ended extends SandboxResult {
  /** What came on file descriptor 3, where the sandbox reports about itself. */
  readonly report: string
}

/** A process in a group of its own, which is killed whole when its time is up or the run is stopped. */
export function runChild(
  command: readonly [string, ...string[]],
  job: SandboxJob,
  options: ChildOptions,
): Promise<Ended> {
  return places.add(() => started(command, job, options), { signal: job.signal })
}

function started(
  [program, ...rest]: readonly [string, ...string[]],
  { limits, signal, stdin }: SandboxJob,
  { env, cwd, owner }: ChildOptions,
): Promise<Ended> {
  const settings: SpawnOptions = {
    ...{ cwd, env, detached: true, windowsHide: true, ...owner },
    stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
  }
  return new Promise((resolve, reject) => {
    const child = spawn(program, rest, settings)
    const stdout = tailOf(child.stdout, limits.outputCharacters)
    const stderr = tailOf(child.stderr, limits.outputCharacters)
    const report = tailOf(child.stdio[3], 10_000)
    let timedOut = false
    const kill = () => {
      killGroup(child.pid)
      // Without namespaces, a program that left the group would hold these open and be waited for.
      setTimeout(() => {
        for (const stream of child.stdio) stream?.destroy()
      }, 1000).unref()
    }
    const timer = setTimeout(() => {
      timedOut = true
      kill()
    }, limits.seconds * 1000)
    signal.addEventListener('abort', kill, { once: true })
    const settle = (finish: () => void) => {
      clearTimeout(timer)
      signal.removeEventListener('abort', kill)
      finish()
    }

    child.once('error', error => settle(() => reject(notStarted(error))))
    child.once('close', code =>
      settle(() => {
        if (signal.aborted) return reject(signal.reason)
        resolve({
          exitCode: timedOut ? undefined : (code ?? undefined),
          stdout: stdout?.text() ?? '',
          stderr: stderr?.text() ?? '',
          report: report?.text() ?? '',
          truncated: stdout?.truncated() === true || stderr?.truncated() === true,
          timedOut,
        })
      }),
    )
    // A program that ends without reading its input is no fault.
    child.stdin?.on('error', () => undefined)
    child.stdin?.end(stdin ?? '')
  })
}

function notStarted(error: unknown): WorldFailure {
  const message = `The program could not be started: ${messageOf(error)}`
  return new WorldFailure('harness', message, { retryable: false, cause: error })
}

function killGroup(pid: number | undefined): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch (error) {
    // It ended by itself in the meantime.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

/** Reads a stream to its end and keeps the last of it, whatever its length. */
function tailOf(stream: unknown, limit: number): { text(): string; truncated(): boolean } | undefined {
  // A program that could not be started has none.
  if (!(stream instanceof Readable)) return undefined
  let kept = ''
  let truncated = false
  stream.setEncoding('utf8').on('data', (chunk: string) => {
    kept += chunk
    if (kept.length <= limit) return
    truncated = true
    // Cut in large steps, since every cut copies what stays.
    if (kept.length > 2 * limit) kept = kept.slice(-limit)
  })
  return { text: () => (kept.length > limit ? kept.slice(-limit) : kept), truncated: () => truncated }
}
