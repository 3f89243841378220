import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isDeepStrictEqual } from 'node:util'
import type { ConfigInput } from '../src/core/config/config.js'
import { exitCodes } from '../src/core/errors/errors.js'
import type { EventOf, RunEvent } from '../src/core/log/event.js'
import { outcomeOf, readEvents } from './crash-runs.js'
import { writeBenchProject } from './project.js'

export const cli = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url))

/** One row of the table. A dash marks a column that does not apply to the scenario. */
export interface ChaosRow {
  readonly what: string
  /** Number of kills, faults or jumps. */
  readonly happened: number
  /** Runs whose result differs from the undisturbed run. */
  readonly lost: number
  /** Scores that the undisturbed run does not have. */
  readonly wrongScores: number | '-'
  readonly caps: 'held' | 'PASSED' | '-'
  readonly note: string
}

export type Loop = 'trials' | 'steps'

export const configs: Record<Loop, Pick<ConfigInput, 'train' | 'reflect' | 'trials'>> = {
  trials: {
    train: { loop: 'trials', epochs: 10 },
    reflect: { minibatchSize: 4 },
    trials: { round: 12, accept: 0.5, drop: 0.02, checkpoint: 1 },
  },
  steps: { train: { loop: 'steps', epochs: 2, batchSize: 12 }, reflect: { minibatchSize: 4 } },
}
export const sizes = { train: 16, val: 10, test: 8 }

interface ProjectOptions {
  readonly loop?: Loop
  /** Overrides for a role's model options. */
  readonly models?: (role: string) => object
}

/** A project in its own folder, with replaceable models. */
export class ChaosProject {
  private constructor(readonly folder: string) {}

  static async create(url: string, options: ProjectOptions = {}) {
    const folder = await mkdtemp(join(tmpdir(), 'skillopt-chaos-'))
    const project = join(folder, 'project')
    await writeBenchProject(project, { url, sizes, config: configs[options.loop ?? 'steps'] })
    const file = join(project, 'skillopt.json')
    const config = JSON.parse(await readFile(file, 'utf8')) as { models: Record<string, object> }
    for (const [role, model] of Object.entries(config.models)) {
      // A short timeout, so that silent or dead servers are detected soon.
      config.models[role] = { ...model, timeout: 3, ...options.models?.(role) }
    }
    await writeFile(file, JSON.stringify(config))
    return new ChaosProject(folder)
  }

  out(name: string): string {
    return join(this.folder, 'runs', name)
  }

  /** Runs one process and returns its exit code, or the signal that ended it. */
  session(name: string, { more = [], env = {}, out = this.out(name), started }: SessionOptions = {}) {
    const args = [cli, 'train', join(this.folder, 'project'), '--yes', '--json', '--out', out, ...more]
    return processOf(args, { cwd: this.folder, env, ...(started === undefined ? {} : { started }) })
  }

  /** Repeats the same command until the run finishes, however often it is paused or killed. */
  async toEnd(name: string, options: SessionOptions & { readonly most?: number } = {}): Promise<number> {
    const most = options.most ?? 60
    for (let sessions = 1; sessions <= most; sessions++) {
      const { code, signal, stderr } = await this.session(name, options)
      if (code === 0) return sessions
      if (code !== exitCodes.paused && signal === null)
        throw new Error(`${name} ended with code ${code}:\n${stderr}`)
    }
    throw new Error(`${name} did not end in ${most} sessions.`)
  }

  remove(): Promise<void> {
    return rm(this.folder, { recursive: true, force: true, maxRetries: 5 })
  }
}

export interface SessionOptions {
  readonly more?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  readonly out?: string
  /** Called with the process and a way to listen to the events that it writes to its log. */
  readonly started?: (child: ChildProcess, onEvent: (listener: (count: number) => void) => void) => void
}

interface Ended {
  readonly code: number | null
  readonly signal: string | null
  readonly stderr: string
}

export function processOf(
  args: readonly string[],
  { cwd, env, started }: { readonly cwd: string } & Pick<SessionOptions, 'env' | 'started'>,
): Promise<Ended> {
  const child = spawn(process.execPath, args, {
    cwd,
    env: { PATH: process.env.PATH ?? '', HOME: cwd, SKILLOPT_HOME: join(cwd, 'kept'), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let stderr = ''
  child.stderr.on('data', chunk => {
    stderr = (stderr + String(chunk)).slice(-4000)
  })
  let events = 0
  const listeners: ((count: number) => void)[] = []
  child.stdout.on('data', (chunk: Buffer) => {
    for (const byte of chunk) if (byte === 10) events += 1
    for (const listener of listeners) listener(events)
  })
  started?.(child, listener => listeners.push(listener))
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code, signal) => resolve({ code, signal, stderr }))
  })
}

/** Every score of a run, in sorted order. */
export function scoresOf(events: readonly RunEvent[]): string[] {
  return events
    .filter((event): event is EventOf<'attempt.finished'> => event.type === 'attempt.finished')
    .map(({ body }) => JSON.stringify([body.skill, body.task, body.sample, body.stage, body.outcome]))
    .sort()
}

/** Attempts without a score: on a machine so busy that replies time out, they change what is learned. */
function unscoredIn(events: readonly RunEvent[]): number {
  return events.filter(event => event.type === 'attempt.finished' && event.body.outcome.status === 'failed')
    .length
}

/** Compares a run with an undisturbed one. */
export async function compared(directory: string, undisturbed: string) {
  const [events, reference] = await Promise.all([readEvents(directory), readEvents(undisturbed)])
  const known = new Map<string, number>()
  for (const score of scoresOf(reference)) known.set(score, (known.get(score) ?? 0) + 1)
  let wrongScores = 0
  for (const score of scoresOf(events)) {
    const left = known.get(score) ?? 0
    if (left === 0) wrongScores += 1
    else known.set(score, left - 1)
  }
  const isSame = isDeepStrictEqual(await outcomeOf(directory), await outcomeOf(undisturbed))
  return { isSame, wrongScores, unscored: unscoredIn(events), unscoredBefore: unscoredIn(reference) }
}
