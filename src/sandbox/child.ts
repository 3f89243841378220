import { type SpawnOptions, spawn } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { Readable, Writable } from 'node:stream'
import PQueue from 'p-queue'
import { messageOf, WorldFailure } from '../core/errors/errors.js'
import type { SandboxJob, SandboxResult } from '../core/ports/sandbox.js'
import { createTail } from '../system/tail.js'
import { withoutInherited } from './descriptors.js'

/** Runs as many programs at once as there are processors, so that time limits do not include waiting. */
const places = new PQueue({ concurrency: availableParallelism() })

/** Exit code that shells use for SIGKILL, which is the only signal sent here. */
const killedCode = 137

/** Watches the running program. `cut` kills it and appends the reason to its stderr. Returns how to stop. */
export type Watch = (
  report: string,
  cut: (reason: string) => void,
  pid: number,
) => Promise<() => void> | (() => void)

export interface ChildOptions {
  readonly env: NodeJS.ProcessEnv
  readonly cwd: string
  readonly owner?: { readonly uid: number; readonly gid: number } | undefined
  /** Called once the program has started; the function that it returns is called at the end. */
  readonly watch: Watch
  /** Whether the program reports on descriptor 4 that it is ready and then waits on 5 until it is watched. */
  readonly waits?: boolean
  /** Data for the program to read on file descriptor 6. */
  readonly input?: Buffer | undefined
  /** Kills processes of the program that may have left its process group. */
  readonly onKill?: () => void
}

interface Ended extends SandboxResult {
  /** What the sandbox reported about itself on file descriptor 3. */
  readonly report: string
  /** Whether the watch killed the program. */
  readonly cut: boolean
}

/** Runs a program in its own process group, which is killed as a whole on timeout or abort. */
export function runChild(
  command: readonly [string, ...string[]],
  job: SandboxJob,
  options: ChildOptions,
): Promise<Ended> {
  // The signal is checked only once a slot is free. A listener for each waiting call would trigger Node's
  // leak warning.
  return places.add(async () => {
    job.signal.throwIfAborted()
    return started(command, job, options)
  })
}

function started(
  [program, ...rest]: readonly [string, ...string[]],
  { limits, signal, stdin }: SandboxJob,
  { env, cwd, owner, watch, waits = false, input, onKill }: ChildOptions,
): Promise<Ended> {
  const pipes = 4 + (waits ? 2 : 0) + (input === undefined ? 0 : 1)
  const settings: SpawnOptions = {
    cwd,
    env,
    detached: true,
    windowsHide: true,
    stdio: withoutInherited(Array<'pipe'>(pipes).fill('pipe')),
    ...owner,
  }
  return new Promise((resolve, reject) => {
    const child = spawn(program, rest, settings)
    const stdout = tailOf(child.stdout, limits.outputCharacters)
    const stderr = tailOf(child.stderr, limits.outputCharacters)
    const [, , , reports, ready, go, read]: readonly unknown[] = child.stdio
    if (read instanceof Writable) {
      read.on('error', () => undefined)
      read.end(input)
    }
    const report = tailOf(reports, 10_000)
    let timedOut = false
    let failure: unknown
    const reasons: string[] = []
    const kill = () => {
      onKill?.()
      killGroup(child.pid)
      // Without namespaces, a process that left the group can hold these streams open, so they are closed.
      setTimeout(() => {
        for (const stream of child.stdio) stream?.destroy()
      }, 1000).unref()
    }
    const timer = setTimeout(() => {
      timedOut = true
      kill()
    }, limits.seconds * 1000)
    signal.addEventListener('abort', kill, { once: true })

    let unwatch = () => {}
    let ended = false
    const begin = async () => {
      const cut = (reason: string) => {
        reasons.push(reason)
        kill()
      }
      const stop = await watch(report?.text() ?? '', cut, child.pid ?? 0)
      if (ended) stop()
      else unwatch = stop
    }
    const beginning = waits ? afterReady(ready, go, begin) : Promise.resolve().then(begin)
    beginning.catch((error: unknown) => {
      failure = error
      kill()
    })
    const settle = (finish: () => void) => {
      ended = true
      clearTimeout(timer)
      unwatch()
      signal.removeEventListener('abort', kill)
      finish()
    }

    child.once('error', error => settle(() => reject(notStarted(error))))
    child.once('close', code =>
      settle(() => {
        if (signal.aborted) return reject(signal.reason)
        if (failure !== undefined) return reject(notStarted(failure))
        resolve({
          exitCode: timedOut ? undefined : (code ?? killedCode),
          stdout: stdout?.text() ?? '',
          stderr: [stderr?.text() ?? '', ...reasons].filter(text => text !== '').join('\n'),
          report: report?.text() ?? '',
          truncated: stdout?.truncated() === true || stderr?.truncated() === true,
          timedOut,
          cut: reasons.length > 0,
        })
      }),
    )
    // A program may end without reading its input.
    child.stdin?.on('error', () => undefined)
    child.stdin?.end(stdin ?? '')
  })
}

/** Calls `begin` once the program is ready. If it ends before, the caller sees that from its exit. */
function afterReady(ready: unknown, go: unknown, begin: () => Promise<void>): Promise<void> {
  if (!(ready instanceof Readable && go instanceof Writable)) return Promise.resolve()
  go.on('error', () => undefined)
  return new Promise((resolve, reject) => {
    ready.once('data', () => {
      begin().then(() => {
        go.end('go\n')
        resolve()
      }, reject)
    })
    ready.once('end', resolve)
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
    // The process has ended by itself in the meantime.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

/** Reads a stream to its end, of which only the last part is kept. */
function tailOf(stream: unknown, limit: number): { text(): string; truncated(): boolean } | undefined {
  // If the program could not be started, there is no stream.
  if (!(stream instanceof Readable)) return undefined
  const tail = createTail(limit)
  stream.setEncoding('utf8').on('data', tail.add)
  return { text: tail.text, truncated: tail.isCut }
}
