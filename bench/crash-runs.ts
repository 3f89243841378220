import { spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { exitCodes } from '../src/core/errors/errors.js'
import type { EventBody, EventType, RunEvent } from '../src/core/log/event.js'
import { hashSeed } from '../src/core/statistics/random.js'
import { contentHash } from '../src/core/text/hash.js'
import type { RequestRecord } from '../src/simulated/request-log.js'

/** Moment of a kill: the nth event of a type, or the nth event of any type. */
export interface Moment {
  readonly type: EventType | 'any'
  readonly nth: number
}

/** Results that must not depend on how often a run was killed. */
export interface Outcome {
  readonly bestSkill: string
  /** Verdicts of gates on skills and, in trials, on single edits. */
  readonly verdicts: readonly EventBody<'gate.decided' | 'edit.decided'>[]
  readonly versions: readonly string[]
  readonly tests: readonly EventBody<'test.finished'>[]
}

export interface CrashedRun {
  readonly name: string
  readonly moment: Moment
  readonly sessions: number
  /** Seeds of the calls that were in flight, according to the log, when the process died. */
  readonly inFlight: readonly number[]
  readonly outcome: Outcome
}

export interface Runner {
  /** The program and its arguments, up to the run directory. */
  readonly command: readonly string[]
  readonly cwd: string
  /** Parent folder of the run directories. */
  readonly folder: string
}

const mostSessions = 5

export async function runStraight(runner: Runner): Promise<{ events: RunEvent[]; outcome: Outcome }> {
  await session(runner, 'straight')
  const directory = join(runner.folder, 'straight')
  return { events: await readEvents(directory), outcome: await outcomeOf(directory) }
}

/** Kills a run at the moment, then restarts it with the same command until it finishes. */
export async function runCrashed(runner: Runner, name: string, moment: Moment): Promise<CrashedRun> {
  const directory = join(runner.folder, name)
  await session(runner, name, moment)
  const inFlight = openCalls(await readEvents(directory)).map(hashSeed)
  let sessions = 1
  for (let ended = false; !ended; sessions++) {
    if (sessions === mostSessions) throw new Error(`${name} did not end in ${mostSessions} sessions.`)
    ended = await session(runner, name)
  }
  return { name, moment, sessions, inFlight, outcome: await outcomeOf(directory) }
}

/** Runs one process. Returns true if it finished, false if it was killed as planned. */
async function session(runner: Runner, name: string, moment?: Moment): Promise<boolean> {
  const [program = '', ...rest] = runner.command
  const child = spawn(program, [...rest, '--out', join(runner.folder, name)], {
    cwd: runner.cwd,
    // The API key tells the server which run sent the request.
    env: { PATH: process.env.PATH ?? '', OPENAI_COMPATIBLE_API_KEY: name },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let complaints = ''
  child.stderr.on('data', (chunk: Buffer) => {
    complaints = (complaints + String(chunk)).slice(-4000)
  })
  const ended = new Promise<{ code: number | null; signal: string | null }>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code, signal) => resolve({ code, signal }))
  })
  let seen = 0
  for await (const line of createInterface({ input: child.stdout })) {
    const type = /^\{"seq":\d+,"at":\d+,"type":"([^"]+)"/.exec(line)?.[1]
    if (type === undefined || moment === undefined) continue
    if (seen === 0 && type === 'stage.started' && moment.type === 'run.stopped') child.kill('SIGINT')
    if (moment.type === 'any' || moment.type === type) seen += 1
    if (seen === moment.nth) child.kill('SIGKILL')
  }
  const { code, signal } = await ended
  if (moment === undefined && code === 0) return true
  if (moment !== undefined && signal === 'SIGKILL') return false
  // A process asked to stop may exit before the kill arrives, because it writes this event last.
  if (moment?.type === 'run.stopped' && code === exitCodes.interrupted) return false
  const what = moment === undefined ? 'a session' : `the kill at ${moment.type} ${moment.nth}`
  throw new Error(`${name}: ${what} ended with code ${code}, signal ${signal}.\n${complaints}`)
}

export async function readEvents(directory: string): Promise<RunEvent[]> {
  const lines = (await readFile(join(directory, 'events.jsonl'), 'utf8')).split('\n')
  // The text after the last newline is empty or an unfinished line.
  return lines.slice(0, -1).map(line => JSON.parse(line) as RunEvent)
}

/** Keys of the calls that a log records as started but not as ended. */
export function openCalls(events: readonly RunEvent[]): string[] {
  const open = new Set<string>()
  for (const { type, key = '' } of events) {
    if (type === 'call.started') open.add(key)
    if (type === 'call.finished' || type === 'call.failed') open.delete(key)
  }
  return [...open]
}

export async function outcomeOf(directory: string): Promise<Outcome> {
  const events = await readEvents(directory)
  const bodies = <T extends EventType>(type: T) =>
    events.filter(event => event.type === type).map(event => event.body as EventBody<T>)
  if (bodies('run.finished').length !== 1) throw new Error(`${directory}: the run is not finished.`)
  return {
    bestSkill: contentHash(await readFile(join(directory, 'best_skill.md'), 'utf8')),
    verdicts: [...bodies('gate.decided'), ...bodies('edit.decided')],
    versions: bodies('skill.version').map(({ version, skill, because }) => `${version} ${skill} ${because}`),
    tests: bodies('test.finished').sort((left, right) => left.which.localeCompare(right.which)),
  }
}

export interface Payment {
  /** Requests that reached the server and met no fault, answered or not; and the distinct ones among them. */
  readonly calls: number
  readonly identities: ReadonlySet<string>
  /** Calls paid again because the first reply was lost with the process. */
  readonly paidAgain: number
  /** Calls paid again although their reply was, or could have been, in the log; must be zero. */
  readonly paidTwice: number
}

/** Payments of a run, counted at the server. A call's identity is its whole body, including the seed. */
export function paymentOf(records: readonly RequestRecord[], inFlight: readonly number[] = []): Payment {
  const received = records.filter(({ fault }) => fault === null)
  const times = new Map<string, { seed: number | undefined; times: number }>()
  let hungUp = 0
  for (const { body } of received) {
    // The server reads a request when it answers it: if the sender died before, only the request's arrival
    // is known.
    if (body === null) {
      hungUp += 1
      continue
    }
    const identity = contentHash(JSON.stringify(body))
    times.set(identity, { seed: body.seed, times: (times.get(identity)?.times ?? 0) + 1 })
  }
  let paidAgain = hungUp
  let paidTwice = 0
  for (const call of times.values()) {
    const allowed = inFlight.filter(seed => seed === call.seed).length
    paidAgain += Math.min(allowed, call.times - 1)
    paidTwice += Math.max(0, call.times - 1 - allowed)
  }
  paidTwice += Math.max(0, paidAgain - inFlight.length)
  return { calls: received.length, identities: new Set(times.keys()), paidAgain, paidTwice }
}

/** The first and a middle event of every type, one kill during a requested stop, then arbitrary moments. */
export function planMoments(events: readonly RunEvent[], total: number): Moment[] {
  const counts = new Map<EventType, number>()
  for (const { type } of events) counts.set(type, (counts.get(type) ?? 0) + 1)
  const firsts = [...counts.keys()].map(type => ({ type, nth: 1 }))
  // The server picks failing requests at random over all runs, so only the first failure is certain to
  // occur.
  const middles = [...counts]
    .filter(([type, times]) => times > 2 && type !== 'call.failed')
    .map(([type, times]) => ({ type, nth: Math.ceil(times / 2) }))
  const planned: Moment[] = [...firsts, { type: 'run.stopped', nth: 1 }, ...middles]
  const anywhere = Array.from({ length: Math.max(0, total - planned.length) }, (_, index) => ({
    type: 'any' as const,
    nth: 1 + (hashSeed(`moment ${index}`) % (events.length - 1)),
  }))
  return [...planned.slice(0, total), ...anywhere]
}
