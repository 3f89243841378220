import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type { RunEvent } from '../src/core/log/event.js'
import { startSimulatedProcess } from '../src/simulated/process.js'
import { digestOf, type RequestRecord } from '../src/simulated/request-log.js'
import { mapConcurrently } from '../src/trainer/stages/concurrency.js'
import { type CrashedRun, type Moment, paymentOf, runCrashed, runStraight } from './crash-runs.js'
import { type BenchProject, writeBenchProject } from './project.js'

export interface SuiteOptions {
  /** The built command line. */
  readonly cli: string
  readonly sizes: BenchProject['sizes']
  readonly config: BenchProject['config']
  moments(events: readonly RunEvent[]): readonly Moment[]
  /** Number of concurrent runs, each in its own process. */
  readonly parallel: number
}

export interface SuiteRun extends Pick<CrashedRun, 'moment' | 'sessions'> {
  readonly inFlight: number
  readonly sameSkill: boolean
  readonly sameVerdicts: boolean
  /** Versions and test scores are the same too. */
  readonly sameRest: boolean
  /** The run made exactly the model requests of the uninterrupted run. */
  readonly sameCalls: boolean
  readonly paid: number
  readonly paidAgain: number
  readonly paidTwice: number
}

export interface SuiteResult {
  readonly events: readonly RunEvent[]
  /** Number of calls that the uninterrupted run paid for. */
  readonly paid: number
  readonly runs: readonly SuiteRun[]
}

/**
 * Runs a training as a user would, against a server in a third process that logs its requests: once without
 * interruption, then once per moment, killed there and restarted. All runs use one server, because replies
 * depend on the request, and identities on the endpoint.
 */
export async function crashSuite(options: SuiteOptions): Promise<SuiteResult> {
  const folder = await mkdtemp(join(tmpdir(), 'skillopt-crash-'))
  const logFile = join(folder, 'requests.jsonl')
  const server = await startSimulatedProcess({
    logFile,
    // Long enough that every kill meets calls in flight; some calls fail, so that kills also hit failures
    // and retries.
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
    const crashed = await mapConcurrently(
      options.moments(straight.events),
      options.parallel,
      (moment, index) => runCrashed(runner, `killed-${index}`, moment),
    )
    // Closing the server flushes its log.
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

/** Requests grouped by the digest of the API key. */
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
