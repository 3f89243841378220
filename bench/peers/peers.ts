import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { runProgram } from '../../src/system/run-program.js'
import type { World, WorldTask } from '../worlds/world.js'
import { lastLine, type PeerEnvironment, type PeerPackage, peerVariables } from './environment.js'
import { gepaOptimizer } from './gepa-optimizer.js'
import type { Optimizer } from './optimizer.js'
import { ownOptimizer } from './own-optimizer.js'
import { type Note, type RoleCount, type ServerStats, startPeerServer } from './server.js'
import { skilloptOptimizer } from './skillopt-optimizer.js'

/** A trainer to compare on the same worlds: each run is its own process with its own server. */

export interface Peer {
  readonly name: string
  /** `own` is this repository's trainer, as built. */
  readonly package: PeerPackage | 'own'
  /** Training program: it reads a job file and writes a result file. */
  readonly script: string
  /** Mode passed to the script. */
  readonly mode: string
  readonly optimizer: Optimizer
}

/** Scripts stay in the source folder, while this module is compiled to another one. */
const scriptPath = (name: string) => fileURLToPath(new URL(`../../bench/peers/${name}`, import.meta.url))

export const peers: readonly Peer[] = [
  {
    name: 'Python SkillOpt, as shipped',
    package: 'skillopt',
    script: scriptPath('run_skillopt.py'),
    mode: 'forced',
    optimizer: skilloptOptimizer,
  },
  {
    name: 'Python SkillOpt, gated slow update',
    package: 'skillopt',
    script: scriptPath('run_skillopt.py'),
    mode: 'gated',
    optimizer: skilloptOptimizer,
  },
  { name: 'GEPA', package: 'gepa', script: scriptPath('run_gepa.py'), mode: '', optimizer: gepaOptimizer },
]

const ownScript = fileURLToPath(new URL('./own-trainer.js', import.meta.url))

/** Presets of our own trainer. They only run from the compiled benchmark. */
export const ownTrainers: readonly Peer[] = (['default', 'paper', 'thrifty'] as const).map(mode => ({
  name: `ours, ${mode}`,
  package: 'own',
  script: ownScript,
  mode,
  optimizer: ownOptimizer,
}))

export interface PeerRunOptions {
  /** Not needed for our own trainer. */
  readonly environment?: PeerEnvironment | undefined
  readonly seed: number
  /** Maximum number of metric calls, for peers that stop by a budget. */
  readonly budget?: number
  readonly concurrency?: number
  readonly latency?: { readonly target: number; readonly optimizer: number }
  readonly seconds?: number
}

/** Result of a training, in the same form for peers and our own trainer. */
export interface TrainingResult {
  readonly finalSkill: string
  /** Every skill that would have shipped at some point, in order. */
  readonly notes: readonly Note[]
  readonly target: Readonly<RoleCount>
  readonly optimizer: Readonly<RoleCount>
  readonly wallMs: number
  /** Attempts, as counted by the trainer. */
  readonly metricCalls?: number
  readonly details?: Readonly<Record<string, number>>
}

export type PeerOutcome =
  | (TrainingResult & { readonly failed?: undefined })
  /** One line for the table: why there is no result. */
  | { readonly failed: string }

const usualBudget = 2_600
const usualConcurrency = 16
const usualSeconds = 3_600

export async function runPeer(peer: Peer, world: World, options: PeerRunOptions): Promise<PeerOutcome> {
  const { environment, latency, seconds = usualSeconds } = options
  const program = peer.package === 'own' ? process.execPath : environment?.python
  if (program === undefined) {
    return { failed: `failed: ${environment?.problem ?? `${peer.package} is not installed`}` }
  }
  const folder = await mkdtemp(join(tmpdir(), 'skillopt-peer-'))
  const server = await startPeerServer({
    world,
    optimizer: peer.optimizer,
    ...(latency === undefined ? {} : { latency }),
  })
  try {
    const job = join(folder, 'job.json')
    const result = join(folder, 'result.json')
    await writeFile(
      job,
      JSON.stringify(await jobFor(peer, world, { ...options, folder, result, url: server.url })),
    )
    const started = performance.now()
    const command = [program, peer.script, job] as const
    const end = await runProgram(command, { env: peerVariables(), seconds })
    const wallMs = Math.round(performance.now() - started)
    const stats = server.stats()
    const problem = problemOf(end, stats, seconds)
    if (problem !== undefined) return { failed: `failed: ${problem}` }
    return { ...readResult(await readFile(result, 'utf8')), ...measured(stats), wallMs }
  } catch (error) {
    return { failed: `failed: ${error instanceof Error ? error.message : String(error)}` }
  } finally {
    await server.close()
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}

interface JobNeeds extends PeerRunOptions {
  readonly folder: string
  readonly result: string
  readonly url: string
}

/** Input of a trainer, as a JSON file. */
export interface Job {
  readonly tasks: Readonly<Record<'train' | 'val', readonly WorldTask[]>>
  readonly seedSkill: string
  readonly instructions: string
  readonly baseUrl: string
  readonly noteUrl: string
  readonly seed: number
  readonly budget: number
  readonly mode: string
  readonly concurrency: number
  /** Output folder for the trainer's own files. */
  readonly folder: string
  /** Result file that the trainer must write. */
  readonly result: string
  /** Prompts that the PyPI package lacks. */
  readonly prompts: Readonly<Record<string, string>>
}

/** Excludes the test tasks, so that no trainer can learn from them. */
async function jobFor(peer: Peer, world: World, needs: JobNeeds): Promise<Job> {
  const { seed, budget = usualBudget, concurrency = usualConcurrency, folder, result, url } = needs
  const { train, val } = world.tasks
  return {
    tasks: { train, val },
    seedSkill: world.seedSkill,
    instructions: world.instructions,
    baseUrl: url,
    noteUrl: new URL('/note', url).href,
    seed,
    budget,
    mode: peer.mode,
    concurrency,
    folder,
    result,
    prompts: peer.package === 'skillopt' ? await standInPrompts() : {},
  }
}

/** SkillOpt's name of a stage -> our prompt for it. */
const promptFiles: Readonly<Record<string, readonly [string, ...string[]]>> = {
  analyst_error: ['analyst-failure', 'form-edits'],
  analyst_success: ['analyst-success', 'form-edits'],
  merge_failure: ['merge'],
  merge_success: ['merge'],
  merge_final: ['merge'],
  ranking: ['rank'],
  slow_update: ['slow-update'],
  meta_skill: ['meta-skill'],
  lr_autonomous: ['learning-rate'],
}

async function standInPrompts(): Promise<Record<string, string>> {
  const read = (name: string) =>
    readFile(new URL(`../../src/trainer/stages/prompts/${name}.md`, import.meta.url), 'utf8')
  const entries = Object.entries(promptFiles).map(async ([name, [file, form]]) => {
    const text = await read(file)
    return [name, form === undefined ? text : text.replace('{{form}}', await read(form))] as const
  })
  return Object.fromEntries(await Promise.all(entries))
}

function problemOf(
  end: Awaited<ReturnType<typeof runProgram>>,
  stats: ServerStats,
  seconds: number,
): string | undefined {
  if (end === undefined) return 'Python is not where it was installed'
  // Checked before the exit code, since a trainer that continued without a reply has no valid result either.
  if (stats.problems[0] !== undefined) return stats.problems[0]
  if (end.code === undefined) return `not finished after ${seconds} s`
  return end.code === 0 ? undefined : lastLine(end.stderr)
}

interface ScriptResult {
  readonly skill: string
  readonly metricCalls?: number
  readonly details?: Readonly<Record<string, number>>
}

function readResult(text: string): Pick<TrainingResult, 'finalSkill' | 'metricCalls' | 'details'> {
  const { skill, ...counts } = JSON.parse(text) as ScriptResult
  return { finalSkill: skill, ...counts }
}

function measured({
  target,
  optimizer,
  notes,
}: ServerStats): Pick<TrainingResult, 'target' | 'optimizer' | 'notes'> {
  return { target: { ...target }, optimizer: { ...optimizer }, notes: [...notes] }
}
