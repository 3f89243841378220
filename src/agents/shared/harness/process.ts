import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { constants } from 'node:fs'
import { access } from 'node:fs/promises'
import { isAbsolute, join } from 'node:path'
import { InputError, messageOf, WorldFailure } from '../../../core/errors/errors.js'
import { findProgram, pathFolders } from '../../../system/programs.js'
import { createTail } from '../../../system/tail.js'
import { createLines } from './lines.js'
import type { AgentPlace } from './place.js'
import { attemptVariable, beginAttempt, endAttempt, signalAttempt } from './processes.js'

export type Variables = Readonly<Record<string, string | undefined>>

export interface AgentCommand {
  /** For messages. */
  readonly title: string
  /** As `locateProgram` found it. */
  readonly program: string
  /** Never the prompt: whoever is on the machine can read these, and their length is limited. */
  readonly arguments: readonly string[]
  readonly environment: Readonly<Record<string, string>>
  /** Closed after it; without it, closed from the start. */
  readonly stdin?: string | undefined
}

export interface AgentLimits {
  /** Time on the clock; then the agent is ended. */
  readonly seconds: number
  /** Between asking it to end and ending it. */
  readonly graceSeconds: number
  /** Of all that it prints; an agent that passes it is ended. */
  readonly outputCharacters: number
  /** Of one line; a longer one is left out. */
  readonly lineCharacters: number
  /** Of stderr: the end is kept. */
  readonly errorCharacters: number
}

/** Printed lines are records with whole files and tool results in them, so there is room. */
export const usualLimits: Omit<AgentLimits, 'seconds'> = {
  graceSeconds: 5,
  outputCharacters: 256_000_000,
  lineCharacters: 32_000_000,
  errorCharacters: 20_000,
}

/** How an agent's process ended. */
export interface AgentEnd {
  readonly exitCode: number | undefined
  /** What ended it, ours included, if it was not itself. */
  readonly signal: NodeJS.Signals | undefined
  readonly timedOut: boolean
  /** It printed more than it may, and was ended for it. */
  readonly printedTooMuch: boolean
  /** Whoever reads its lines had enough, and it was ended for it. */
  readonly cutShort: boolean
  /** Whether lines were left out, because they were too long or because it printed too much. */
  readonly truncated: boolean
  /** The end of what it said on stderr. */
  readonly stderr: string
}

/**
 * What a program needs to run and to reach the network in the way that this machine does. Nothing else of ours is
 * handed on: keys, and variables that change what an agent does, come only by name.
 */
const passedOn = [
  ...['PATH', 'LANG', 'LC_ALL', 'LC_CTYPE', 'TZ', 'SHELL'],
  ...['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', 'http_proxy', 'https_proxy', 'no_proxy'],
  ...['SSL_CERT_FILE', 'SSL_CERT_DIR', 'NODE_EXTRA_CA_CERTS'],
  ...['SystemRoot', 'ComSpec', 'PATHEXT', 'windir'],
]

/** Folders of the attempt's own, the little that is passed on, and what the agent's definition names or sets. */
export function environmentOf(
  place: AgentPlace,
  env: Variables,
  named: readonly string[],
  set: Readonly<Record<string, string>>,
): Record<string, string> {
  const handed = [...passedOn, ...named].flatMap(name => {
    const value = env[name]
    return value === undefined ? [] : [[name, value] as const]
  })
  const { home, temporary } = place
  return {
    ...Object.fromEntries(handed),
    ...{ HOME: home, USERPROFILE: home, TMPDIR: temporary, TEMP: temporary, TMP: temporary },
    ...set,
    [attemptVariable]: place.mark,
  }
}

/** The program's path. Throws `InputError` where there is none that can be started, with how to get it. */
export async function locateProgram(
  { title, program, install }: { readonly title: string; readonly program: string; readonly install: string },
  env: Variables,
  platform: NodeJS.Platform = process.platform,
): Promise<string> {
  // Without a shell, Windows starts nothing else.
  const name = platform === 'win32' && !program.endsWith('.exe') ? `${program}.exe` : program
  const folders = pathFolders(env.PATH)
  const found = await findProgram(name, folders)
  if (found !== undefined && isAbsolute(found)) return found
  const there = await firstThatExists(isAbsolute(name) ? [name] : folders.map(folder => join(folder, name)))
  if (there !== undefined) {
    throw new InputError(`${title} cannot be started: ${there} is not an executable file.`, {
      hint: `Make it executable, or install it anew: ${install}`,
    })
  }
  throw new InputError(`${title} is not installed: there is no program "${name}".`, {
    hint: `Install it: ${install}`,
  })
}

async function firstThatExists(paths: readonly string[]): Promise<string | undefined> {
  for (const path of paths) {
    const isThere = await access(path, constants.F_OK).then(
      () => true,
      () => false,
    )
    if (isThere) return path
  }
  return undefined
}

/** Node takes a longer time for none at all. */
const longestTimer = 2 ** 31 - 1

/**
 * One agent from start to end. All that it started has ended when this returns or throws, whatever the reason. Lines of
 * stdout are handed on as they come; a reader that has enough of them ends the agent; one that throws too, and it is
 * thrown.
 */
export async function runAgent(
  command: AgentCommand,
  place: AgentPlace,
  limits: AgentLimits,
  onLine: (line: string) => 'enough' | undefined,
  signal: AbortSignal,
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
    Math.min(limits.seconds * 1000, longestTimer),
  )
  signal.addEventListener('abort', end, { once: true })
  let printed = 0
  const isHeard = (chunk: string) => {
    printed += chunk.length
    if (printed > limits.outputCharacters) {
      printedTooMuch = true
      end()
    }
    return !printedTooMuch && failure === undefined
  }
  const hear = (line: string) => {
    if (onLine(line) === undefined) return
    cutShort = true
    end()
  }
  const lines = createLines(hear, limits.lineCharacters)
  const stderr = createTail(limits.errorCharacters)
  const hand = (work: () => void) => {
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
      if (isHeard(chunk)) hand(() => lines.add(chunk))
    })
    child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
      if (isHeard(chunk)) stderr.add(chunk)
    })
    const [exitCode, endedBy] = await ended(child, command, place)
    // What a killed agent was about to say is half a line.
    if (endedBy === undefined && !printedTooMuch && failure === undefined) hand(lines.finish)
    if (signal.aborted) throw signal.reason
    if (failure !== undefined) throw failure
    const truncated = printedTooMuch || lines.lostSome()
    return { exitCode, signal: endedBy, timedOut, printedTooMuch, cutShort, truncated, stderr: stderr.text() }
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
      // A group and a session of its own; on Windows it would be a window of its own.
      detached: process.platform !== 'win32',
      windowsHide: true,
      stdio: [command.stdin === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
    })
    if (child.pid !== undefined) beginAttempt(place.mark, child.pid)
    // An agent that ends without reading its input is no fault.
    child.stdin?.on('error', () => undefined)
    child.stdin?.end(command.stdin)
    return child
  } catch (error) {
    // Some faults are thrown: an argument with a zero byte, an environment that is too large.
    throw notStarted(title, error)
  }
}

/** Time for what is in the pipes to be read, once nobody should be writing to them any more. */
const drainMs = 1000

/** When it has ended, and all that it started: left behind, they would hold the pipes open, and be waited for. */
async function ended(
  child: ChildProcess,
  { title }: AgentCommand,
  { mark }: AgentPlace,
): Promise<readonly [number | undefined, NodeJS.Signals | undefined]> {
  const closed = new Promise<void>(resolve => child.once('close', () => resolve()))
  await once(child, 'exit').catch((error: unknown) => {
    throw notStarted(title, error)
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

/** A machine that is full for the moment. */
const passing = ['EAGAIN', 'EMFILE', 'ENFILE', 'ENOMEM']

function notStarted(title: string, error: unknown): WorldFailure {
  return new WorldFailure('harness', `${title} could not be started: ${messageOf(error)}.`, {
    retryable: passing.includes((error as NodeJS.ErrnoException).code ?? ''),
    hint: 'Start it by hand to see what is wrong; reinstalling it helps if a part of it is missing.',
    cause: error,
  })
}
