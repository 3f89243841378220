import { type SpawnOptions, spawn } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { Readable, Writable } from 'node:stream'
import PQueue from 'p-queue'
import { messageOf, WorldFailure } from '../core/errors/errors.js'
import type { SandboxJob, SandboxResult } from '../core/ports/sandbox.js'
import { createTail } from '../system/tail.js'
import { withoutInherited } from './descriptors.js'

/** As many at once as there are processors, so that a time limit measures the program and not the queue. */
const places = new PQueue({ concurrency: availableParallelism() })

/** A shell's exit code for SIGKILL, the only signal sent here. */
const killedCode = 137

/** Monitors the running program; `cut` kills it and appends the reason to its stderr. */
export type Watch = (
  report: string,
  cut: (reason: string) => void,
  pid: number,
) => Promise<() => void> | (() => void)

export interface ChildOptions {
  readonly env: NodeJS.ProcessEnv
  readonly cwd: string
  readonly owner?: { readonly uid: number; readonly gid: number } | undefined
  /** Called once the program has started; the function it returns is called at the end. */
  readonly watch: Watch
  /** Whether the program reports readiness on file descriptor 4 and waits on 5 until it is watched. */
  readonly waits?: boolean
  /** Data that it reads on file descriptor 6. */
  readonly input?: Buffer | undefined
  /** Kills processes that may survive the process group. */
  readonly onKill?: () => void
}

interface Ended extends SandboxResult {
  /** Data from file descriptor 3, on which the sandbox reports its own status. */
  readonly report: string
  /** Whether the watch killed it. */
  readonly cut: boolean
}

/** Runs a process in its own group, which is killed as a whole on timeout or abort. */
export function runChild(
  command: readonly [string, ...string[]],
  job: SandboxJob,
  options: ChildOptions,
): Promise<Ended> {
  // The signal is checked only when a slot is free: one listener per waiting call would trigger Node's leak
  // warning.
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
      // Without namespaces, a process that left the group would hold these streams open and block us.
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

/** A program that ends before it is ready never begins; the caller sees that from its exit. */
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
    // It ended by itself in the meantime.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

/** Reads a stream to its end and keeps its tail. */
function tailOf(stream: unknown, limit: number): { text(): string; truncated(): boolean } | undefined {
  // A program that could not be started has no stream.
  if (!(stream instanceof Readable)) return undefined
  const tail = createTail(limit)
  stream.setEncoding('utf8').on('data', tail.add)
  return { text: tail.text, truncated: tail.isCut }
}
