import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll } from 'vitest'
import { stringify } from 'yaml'
import type { ConfigInput } from '../../src/core/config/config.js'
import type { EventOf, EventType, RunEvent } from '../../src/core/log/event.js'
import { answerSimulated } from '../../src/simulated/responder.js'
import { generateSplits } from '../../src/simulated/world/generate.js'
import {
  type ChatReply,
  type ChatRequest,
  type LoopbackOptions,
  type LoopbackServer,
  startLoopbackServer,
} from '../../src/testing/index.js'
import { testHome } from '../support/test-home.js'

/** The command line as users run it: in its own process, from the build. */

const root = fileURLToPath(new URL('../../', import.meta.url))
const command = join(root, 'dist', 'cli', 'main.js')
if (!existsSync(command)) {
  throw new Error('End-to-end tests run the built command line, and dist/ is not there: npm run build')
}

const cleanups: (() => Promise<unknown>)[] = []
afterAll(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

export async function temporaryFolder(): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'skillopt-e2e-')))
  cleanups.push(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }))
  return folder
}

export interface Where {
  readonly cwd: string
  readonly env?: Readonly<Record<string, string>>
}

export interface Finished {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Passes only the variables needed to find Node: no keys, no proxies. */
export function start(args: readonly string[], { cwd, env }: Where): Started {
  const home = env?.HOME === undefined ? { SKILLOPT_HOME: testHome } : {}
  const variables = { PATH: process.env.PATH ?? '', NO_COLOR: '1', ...home, ...env }
  const child = spawn(process.execPath, [command, ...args], {
    cwd,
    env: variables,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  cleanups.push(async () => child.exitCode ?? child.signalCode ?? child.kill('SIGKILL'))
  const said = { stdout: '', stderr: '' }
  const waiting: { text: RegExp; found: () => void; ended: (error: Error) => void }[] = []
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (chunk: string) => {
      said[name] += chunk
      for (const one of waiting) if (one.text.test(said.stdout + said.stderr)) one.found()
    })
  }
  const finished = new Promise<Finished>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', code => {
      const end = new Error(`It ended with code ${code} first:\n${said.stdout}\n${said.stderr}`)
      for (const one of waiting) one.ended(end)
      resolve({ code, ...said })
    })
  })
  const says = (text: RegExp) =>
    new Promise<void>((found, ended) => {
      if (text.test(said.stdout + said.stderr)) found()
      else waiting.push({ text, found, ended })
    })
  return { child, finished, says }
}

export interface Started {
  readonly child: ChildProcess
  readonly finished: Promise<Finished>
  /** Resolves when the output matches; rejects if the process ends without a match. */
  says(text: RegExp): Promise<void>
}

export function skillopt(args: readonly string[], where: Where): Promise<Finished> {
  return start(args, where).finished
}

// ── Projects and servers ────────────────────────────────────────────────────

export const key = { E2E_KEY: 'key-of-the-end-to-end-tests' }

export function modelConfig(name: string, endpoint: string, more: object = {}) {
  return {
    model: `openai-compatible/${name}`,
    endpoint: `${endpoint}/v1`,
    apiKeyEnv: 'E2E_KEY',
    seed: true,
    ...more,
  }
}

/**
 * Answers like the simulated models, from the messages alone. Seeds depend on the endpoint, whose port
 * differs each time: ignoring them gives every test run the same training.
 */
export const parcelDesk = (request: ChatRequest): ChatReply => answerSimulated({ ...request, seed: 0 })

/** For runs whose calls are counted outside their process. */
export async function parcelServer(options: LoopbackOptions = {}): Promise<LoopbackServer> {
  const server = await startLoopbackServer({ respond: parcelDesk, apiKey: key.E2E_KEY, ...options })
  cleanups.push(() => server.close())
  return server
}

export interface ProjectOptions {
  /** An OpenAI-compatible server; defaults to the embedded simulated models. */
  readonly endpoint?: string
  /** Additional options of both models. */
  readonly model?: object
  /** Sections that replace those of the default config. */
  readonly config?: Partial<ConfigInput>
  readonly sizes?: { readonly train: number; readonly val: number; readonly test: number }
  readonly worldSeed?: number
}

/** A small training on the parcel desk's tasks: four steps with verdicts of both kinds, about 130 calls. */
export async function writeProject(folder: string, options: ProjectOptions = {}): Promise<string> {
  const { endpoint, model } = options
  const sizes = options.sizes ?? { train: 12, val: 8, test: 6 }
  for (const [split, tasks] of Object.entries(generateSplits(sizes, options.worldSeed ?? 8))) {
    await put(folder, `tasks/${split}.jsonl`, tasks.map(task => `${JSON.stringify(task)}\n`).join(''))
  }
  await put(folder, 'SKILL.md', await readFile(join(root, 'examples/quickstart/SKILL.md'), 'utf8'))
  const named = (name: string) =>
    endpoint === undefined ? { model: `simulated/${name}`, ...model } : modelConfig(name, endpoint, model)
  const config: ConfigInput = {
    name: 'parcels',
    environment: {
      use: 'tasks',
      train: 'tasks/train.jsonl',
      val: 'tasks/val.jsonl',
      test: 'tasks/test.jsonl',
    },
    models: { target: named('target'), optimizer: named('optimizer') } as ConfigInput['models'],
    reflect: { minibatchSize: 3 },
    ...options.config,
    // There are too few tasks for trials; these tests concern every kind of training, and the paper's loop
    // is shorter.
    train: { loop: 'steps', ...(options.config?.train ?? { epochs: 2, batchSize: 6 }) },
    evaluation: { gate: 'guarded', ...options.config?.evaluation },
  }
  await put(folder, 'skillopt.yaml', stringify(config))
  return folder
}

export async function put(folder: string, name: string, text: string): Promise<void> {
  const path = join(folder, name)
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, text)
}

// ── Results of a run ────────────────────────────────────────────────────────

/** Content of every file below a folder, by path. */
export async function filesOf(folder: string): Promise<Record<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const paths = entries.map(entry => ({ path: join(entry.parentPath, entry.name), isFile: entry.isFile() }))
  const read = paths.map(async ({ path, isFile }) => {
    const name = relative(folder, path).split(sep).join('/')
    return [isFile ? name : `${name}/`, isFile ? await readFile(path, 'utf8') : ''] as const
  })
  return Object.fromEntries((await Promise.all(read)).sort(([left], [right]) => (left < right ? -1 : 1)))
}

export const textOf = (directory: string, name: string) => readFile(join(directory, name), 'utf8')

export const jsonOf = async (directory: string, name: string) => JSON.parse(await textOf(directory, name))

export async function eventsOf(directory: string): Promise<RunEvent[]> {
  const lines = (await textOf(directory, 'events.jsonl')).split('\n').filter(line => line !== '')
  return lines.map(line => JSON.parse(line) as RunEvent)
}

export function ofType<T extends EventType>(events: readonly RunEvent[], type: T): EventOf<T>[] {
  return events.filter((event): event is EventOf<T> => event.type === type)
}

/**
 * Results that must not depend on interruptions: the skill, every verdict, every version, the test scores.
 */
export async function resultOf(directory: string) {
  const events = await eventsOf(directory)
  return {
    best: await textOf(directory, 'best_skill.md'),
    verdicts: ofType(events, 'gate.decided').map(({ body }) => body),
    versions: ofType(events, 'skill.version').map(({ body }) => ({
      version: body.version,
      skill: body.skill,
    })),
    tests: ofType(events, 'test.finished')
      .map(({ body }) => body)
      .sort((left, right) => left.which.localeCompare(right.which)),
    finished: ofType(events, 'run.finished').map(({ body }) => body),
  }
}
