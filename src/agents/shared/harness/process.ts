import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { constants } from 'node:fs'
import { access } from 'node:fs/promises'
import { isAbsolute, join } from 'node:path'
import { InputError, messageOf, WorldFailure } from '../../../core/errors/errors.js'
import { findProgram, pathFolders } from '../../../system/programs.js'
import { createTail } from '../../../system/tail.js'
import type { AgentPlace } from './place.js'
import { attemptVariable, beginAttempt, endAttempt, signalAttempt } from './processes.js'

export type Variables = Readonly<Record<string, string | undefined>>

export interface AgentCommand {
  /** Name of the agent in messages. */
  readonly title: string
  /** Path that `locateProgram` returned. */
  readonly program: string
  /** Never contains the prompt: every user of the machine can read arguments, and their length is limited. */
  readonly arguments: readonly string[]
  readonly environment: Readonly<Record<string, string>>
  /** Text to write to stdin before it is closed. Without it, stdin is empty. */
  readonly stdin?: string | undefined
}

export interface AgentLimits {
  /** Wall-clock time after which the agent is terminated. */
  readonly seconds: number
  /** Seconds between SIGTERM and SIGKILL. */
  readonly graceSeconds: number
  /** Maximum total output; an agent that exceeds it is terminated. */
  readonly outputCharacters: number
  /** Maximum length of a line; longer lines are dropped. */
  readonly lineCharacters: number
  /** How many characters to keep of the end of stderr. */
  readonly errorCharacters: number
}

/** The limits are generous, because a printed line may contain whole files and tool results. */
export const defaultLimits: Omit<AgentLimits, 'seconds'> = {
  graceSeconds: 5,
  outputCharacters: 256_000_000,
  lineCharacters: 32_000_000,
  errorCharacters: 20_000,
}

/** How an agent's process ended. */
export interface AgentEnd {
  readonly exitCode: number | undefined
  /** The signal that ended the agent, whoever sent it; undefined if it exited by itself. */
  readonly signal: NodeJS.Signals | undefined
  readonly timedOut: boolean
  /** Whether the agent exceeded the output limit and was terminated. */
  readonly exceededOutput: boolean
  /** Whether the reader of its lines terminated the agent. */
  readonly stoppedByReader: boolean
  /** Whether lines were dropped, because of their length or the output limit. */
  readonly truncated: boolean
  /** The end of its stderr. */
  readonly stderr: string
}

/**
 * Environment variables that any program needs to run and to reach the network. No others are inherited: keys
 * and variables that change an agent's behaviour are passed only by name.
 */
const inheritedVariables = [
  'PATH',
  'LANG',
  'LC_ALL',
  'LC_CTYPE',
  'TZ',
  'SHELL',
  'HTTP_PROXY',
  'HTTPS_PROXY',
  'NO_PROXY',
  'http_proxy',
  'https_proxy',
  'no_proxy',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
  'NODE_EXTRA_CA_CERTS',
  'SystemRoot',
  'ComSpec',
  'PATHEXT',
  'windir',
]

/**
 * Builds the agent's environment from the attempt's folders, the inherited variables, and those that the
 * agent's definition names or sets.
 */
export function environmentOf(
  place: AgentPlace,
  env: Variables,
  { named, set }: { named: readonly string[]; set: Readonly<Record<string, string>> },
): Record<string, string> {
  const inherited = [...inheritedVariables, ...named].flatMap(name => {
    const value = env[name]
    return value === undefined ? [] : [[name, value] as const]
  })
  const { home, temporary } = place
  return {
    ...Object.fromEntries(inherited),
    HOME: home,
    USERPROFILE: home,
    TMPDIR: temporary,
    TEMP: temporary,
    TMP: temporary,
    ...set,
    [attemptVariable]: place.mark,
  }
}

/** Finds the program's path. Throws `InputError` with install instructions if there is no such executable. */
export async function locateProgram(
  { title, program, install }: { readonly title: string; readonly program: string; readonly install: string },
  env: Variables,
  platform: NodeJS.Platform = process.platform,
): Promise<string> {
  // Without a shell, Windows only starts .exe files.
  const name = platform === 'win32' && !program.endsWith('.exe') ? `${program}.exe` : program
  const folders = pathFolders(env.PATH)
  const found = await findProgram(name, folders)
  if (found !== undefined && isAbsolute(found)) return found
  const existing = await firstExisting(isAbsolute(name) ? [name] : folders.map(folder => join(folder, name)))
  if (existing !== undefined) {
    throw new InputError(`${title} cannot be started: ${existing} is not an executable file.`, {
      hint: `Make it executable, or reinstall it: ${install}`,
    })
  }
  throw new InputError(`${title} is not installed: no program "${name}" in PATH.`, {
    hint: `Install it: ${install}`,
  })
}

async function firstExisting(paths: readonly string[]): Promise<string | undefined> {
  for (const path of paths) {
    const isThere = await access(path, constants.F_OK).then(
      () => true,
      () => false,
    )
    if (isThere) return path
  }
  return undefined
}

/** Node's maximum timer delay; with a longer one, a timer fires immediately. */
const maxTimerMs = 2 ** 31 - 1

/**
 * Runs an agent from start to end and passes on lines of stdout as they arrive. When this returns or throws,
 * every process that the agent started has ended. The reader of the lines can terminate the agent; an error
 * that it throws terminates the agent too and is rethrown.
 */
export async function runAgent(
  command: AgentCommand,
  {
    place,
    limits,
    onLine,
    signal,
  }: {
    place: AgentPlace
    limits: AgentLimits
    onLine: (line: string) => 'enough' | undefined
    signal: AbortSignal
  },
): Promise<AgentEnd> {
  signal.throwIfAborted()
  let failure: unknown
  let timedOut = false
  let printedTooMuch = false
  let cutShort = false
  let killer: NodeJS.Timeout | undefined
  const end = () => {
    if (killer !== undefined) return
    signalAttempt(place.mark, 'SIGTERM')
    killer = setTimeout(() => signalAttempt(place.mark, 'SIGKILL'), limits.graceSeconds * 1000)
  }
  const timer = setTimeout(
    () => {
      timedOut = true
      end()
    },
    Math.min(limits.seconds * 1000, maxTimerMs),
  )
  signal.addEventListener('abort', end, { once: true })
  let printed = 0
  const isWithinLimits = (chunk: string) => {
    printed += chunk.length
    if (printed > limits.outputCharacters) {
      printedTooMuch = true
      end()
    }
    return !printedTooMuch && failure === undefined
  }
  const handleLine = (line: string) => {
    if (onLine(line) === undefined) return
    cutShort = true
    end()
  }
  const lines = createLineSplitter(handleLine, limits.lineCharacters)
  const stderr = createTail(limits.errorCharacters)
  const catchFailure = (work: () => void) => {
    try {
      work()
    } catch (error) {
      failure = error
      end()
    }
  }
  try {
    const child = start(command, place)
    child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
      if (isWithinLimits(chunk)) catchFailure(() => lines.add(chunk))
    })
    child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
      if (isWithinLimits(chunk)) stderr.add(chunk)
    })
    const [exitCode, endedBy] = await waitForEnd(child, command, place)
    // The last line of a killed agent may be partial.
    if (endedBy === undefined && !printedTooMuch && failure === undefined) catchFailure(lines.finish)
    if (signal.aborted) throw signal.reason
    if (failure !== undefined) throw failure
    const truncated = printedTooMuch || lines.hasDropped()
    return {
      exitCode,
      signal: endedBy,
      timedOut,
      exceededOutput: printedTooMuch,
      stoppedByReader: cutShort,
      truncated,
      stderr: stderr.text(),
    }
  } finally {
    clearTimeout(timer)
    clearTimeout(killer)
    signal.removeEventListener('abort', end)
  }
}

function start({ title, program, ...command }: AgentCommand, place: AgentPlace): ChildProcess {
  try {
    const child = spawn(program, command.arguments, {
      cwd: place.workspace,
      env: command.environment,
      // Gives the agent its own process group and session. On Windows, `detached` would open a console
      // window.
      detached: process.platform !== 'win32',
      windowsHide: true,
      stdio: [command.stdin === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
    })
    if (child.pid !== undefined) beginAttempt(place.mark, child.pid)
    // An agent may exit without reading its input.
    child.stdin?.on('error', () => undefined)
    child.stdin?.end(command.stdin)
    return child
  } catch (error) {
    // Some errors are thrown synchronously: an argument with a NUL byte, an environment that is too large.
    throw startFailure(title, error)
  }
}

/** How long to read the rest of the pipes after all processes should have ended. */
const drainMs = 1000

/**
 * Resolves once the agent and every process it started have ended. A child process that kept running would
 * hold the pipes open, so it is ended too.
 */
async function waitForEnd(
  child: ChildProcess,
  { title }: AgentCommand,
  { mark }: AgentPlace,
): Promise<readonly [number | undefined, NodeJS.Signals | undefined]> {
  const closed = new Promise<void>(resolve => child.once('close', () => resolve()))
  await once(child, 'exit').catch((error: unknown) => {
    throw startFailure(title, error)
  })
  await endAttempt(mark)
  const drained = setTimeout(() => {
    child.stdout?.destroy()
    child.stderr?.destroy()
  }, drainMs)
  await closed
  clearTimeout(drained)
  return [child.exitCode ?? undefined, child.signalCode ?? undefined]
}

/** Error codes for a temporary shortage of the machine's resources. */
const transientErrors = ['EAGAIN', 'EMFILE', 'ENFILE', 'ENOMEM']

function startFailure(title: string, error: unknown): WorldFailure {
  return new WorldFailure('harness', `${title} could not be started: ${messageOf(error)}.`, {
    retryable: transientErrors.includes((error as NodeJS.ErrnoException).code ?? ''),
    hint: 'Start it by hand to see the error, or reinstall it.',
    cause: error,
  })
}

/** Splits chunks into lines and passes each on as it is complete. Lines that are too long are dropped. */
export function createLineSplitter(
  onLine: (line: string) => void,
  longest: number,
): {
  add(chunk: string): void
  /** Call after the last chunk: the last line may have no line break. */
  finish(): void
  hasDropped(): boolean
} {
  let pieces: string[] = []
  let length = 0
  let lost = false
  const keep = (piece: string) => {
    length += piece.length
    if (length <= longest) pieces.push(piece)
    else pieces = []
  }
  const endLine = () => {
    if (length > longest) lost = true
    else hand(pieces.join(''))
    pieces = []
    length = 0
  }
  const hand = (line: string) => {
    const plain = line.endsWith('\r') ? line.slice(0, -1) : line
    if (plain !== '') onLine(plain)
  }
  return {
    add(chunk) {
      let start = 0
      for (let end = chunk.indexOf('\n'); end >= 0; end = chunk.indexOf('\n', start)) {
        keep(chunk.slice(start, end))
        endLine()
        start = end + 1
      }
      if (start < chunk.length) keep(chunk.slice(start))
    },
    finish: endLine,
    hasDropped: () => lost,
  }
}
