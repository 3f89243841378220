import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type { RunEvent } from '../src/core/log/event.js'
import { startSimulatedProcess } from '../src/simulated/process.js'
import { digestOf, type RequestRecord } from '../src/simulated/request-log.js'
import { inLanes } from '../src/trainer/stages/concurrency.js'
import { type CrashedRun, type Moment, paymentOf, runCrashed, runStraight } from './crash-runs.js'
import { type BenchProject, writeBenchProject } from './project.js'

export interface SuiteOptions {
  /** The built command line. */
  readonly cli: string
  readonly sizes: BenchProject['sizes']
  readonly config: BenchProject['config']
  moments(events: readonly RunEvent[]): readonly Moment[]
  /** Runs under way at once, each with a process of its own. */
  readonly parallel: number
}

export interface SuiteRun extends Pick<CrashedRun, 'moment' | 'sessions'> {
  readonly inFlight: number
  readonly sameSkill: boolean
  readonly sameVerdicts: boolean
  /** The same versions and test scores, too. */
  readonly sameRest: boolean
  /** Asked of the model what the uninterrupted run asked, no more and no less. */
  readonly sameCalls: boolean
  readonly paid: number
  readonly paidAgain: number
  readonly paidTwice: number
}

export interface SuiteResult {
  readonly events: readonly RunEvent[]
  /** Calls that the uninterrupted run paid for. */
  readonly paid: number
  readonly runs: readonly SuiteRun[]
}

/**
 * A training as a user runs it, against a server in a third process that logs what it was asked: once without a stop, then
 * once for every moment, killed there and started again. All of it speaks to one server, because replies depend on what is
 * sent, and identities on the endpoint.
 */
export async function crashSuite(options: SuiteOptions): Promise<SuiteResult> {
  const folder = await mkdtemp(join(tmpdir(), 'skillopt-crash-'))
  const logFile = join(folder, 'requests.jsonl')
  const server = await startSimulatedProcess({
    logFile,
    // Long enough that every kill meets calls in flight; some fail, so that failing and trying again is killed too.
    latency: { kind: 'lognormal', medianMilliseconds: 6, sigma: 0.5 },
    faults: { 'server-error': 0.04 },
  })
  try {
    const { url } = server
    const project = join(folder, 'project')
    await writeBenchProject(project, { url, sizes: options.sizes, config: options.config })
    const command = [process.execPath, options.cli, 'train', project, '--yes', '--json']
    const runner = { command, cwd: folder, folder }
    const straight = await runStraight(runner)
    const crashed = await inLanes(options.moments(straight.events), options.parallel, (moment, index) =>
      runCrashed(runner, `killed-${index}`, moment),
    )
    // Ending the server makes its log whole.
    await server.close()
    const requests = await readRequests(logFile)
    const requestsOf = (name: string) => requests.get(digestOf(`Bearer ${name}`)) ?? []
    const reference = paymentOf(requestsOf('straight'))
    if (reference.calls === 0) throw new Error('The server saw no request of the uninterrupted run.')
    const runs = crashed.map(({ name, moment, sessions, inFlight, outcome }) => {
      const payment = paymentOf(requestsOf(name), inFlight)
      const { calls, identities, paidAgain, paidTwice } = payment
      const same = (part: keyof typeof outcome) => isDeepStrictEqual(outcome[part], straight.outcome[part])
      return {
        moment,
        sessions,
        inFlight: inFlight.length,
        sameSkill: same('bestSkill'),
        sameVerdicts: same('verdicts'),
        sameRest: same('versions') && same('tests'),
        sameCalls: isDeepStrictEqual(identities, reference.identities),
        paid: calls,
        paidAgain,
        paidTwice,
      }
    })
    return { events: straight.events, paid: reference.calls, runs }
  } finally {
    await server.close()
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}

/** By the digest of the key that was sent. */
async function readRequests(logFile: string): Promise<Map<string | null, RequestRecord[]>> {
  const byKey = new Map<string | null, RequestRecord[]>()
  for (const line of (await readFile(logFile, 'utf8')).split('\n')) {
    if (line === '') continue
    const record = JSON.parse(line) as RequestRecord
    const key = record.headers.authorization
    const known = byKey.get(key)
    if (known === undefined) byKey.set(key, [record])
    else known.push(record)
  }
  return byKey
}
