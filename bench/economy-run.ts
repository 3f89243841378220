import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { RunEvent } from '../src/core/event.js'
import type { PresetName } from '../src/core/presets.js'
import { skillHash } from '../src/core/skill.js'
import { assembleForEvaluation } from '../src/project/assemble.js'
import { loadProject } from '../src/project/load.js'
import type { Character } from '../src/simulated/character.js'
import { evaluate } from '../src/stages/rollout.js'
import { readRun } from '../src/store/read-run.js'
import { inProcessModel, worldRun } from '../test/world.js'
import { readCallGraph } from './call-graph.js'
import { skillopt } from './command-line.js'
import { type Protocol, protocolOf, skillsOf, type Taken, takenBy } from './economy-log.js'
import { listSchedule } from './list-schedule.js'
import { writeBenchProject } from './project.js'
import type { World } from './worlds.js'

export const compared = ['paper', 'default'] as const satisfies readonly PresetName[]
export type Compared = (typeof compared)[number]

/** What `train --dry-run --json` thinks most likely. */
export interface Expected {
  readonly calls: number
  readonly tokens: number
  readonly cost: number
}

export interface MeasuredRun {
  readonly world: string
  readonly preset: Compared
  readonly seed: number
  readonly taken: Taken
  /** On tasks that no split contains. */
  readonly trueScore: { readonly seed: number; readonly best: number }
  /** The true score of each skill that was the current one, over the target's calls made when it became so. */
  readonly curve: readonly { readonly calls: number; readonly score: number }[]
  readonly forecast: {
    /** As for the first run of a project. */
    readonly first: Expected
    /** The same after `--probe`, whose few calls are not part of the run. */
    readonly probed?: Expected
    /** With an earlier run of the project to learn from: other tasks of the same world. */
    readonly later?: Expected
  }
  /** Of `paper` only: whether it does what was published, and as fast as its calls allow. */
  readonly protocol?: Protocol
  readonly boundMs?: number
}

export interface Plan {
  /** For projects and runs of all that is measured. */
  readonly folder: string
  /** Of the simulated models. */
  readonly url: string
  readonly world: World
  readonly preset: Compared
  readonly seed: number
  readonly freshTasks: number
}

const lanes = { target: 8, optimizer: 8 }

/** Far from the seeds that settings are tried out with: a setting is not to be judged by what it was chosen by. */
const seedBase = 1000

/** US dollars per million tokens, as of a small target and a larger optimizer: so that there is a cost to forecast. */
const prices = { target: { input: 0.25, output: 2 }, optimizer: { input: 1.25, output: 10 } }

/**
 * A whole training by the command line. Everything else is done before it begins or after it has ended, so that it does
 * not count. Runs of one preset in one world lie side by side, so that a forecast has an earlier one to learn from.
 */
export async function measureRun(plan: Plan): Promise<MeasuredRun> {
  const { world, preset, seed } = plan
  const place = join(plan.folder, world.name, preset)
  const project = join(place, 'project')
  await writeBenchProject(project, {
    ...{ url: plan.url, prices, concurrency: lanes.target, seed: seedBase + seed },
    sizes: { ...world.sizes, fresh: plan.freshTasks },
    config: { preset, train: { seed: seedBase + seed } },
  })
  const elsewhere = join(plan.folder, 'empty')
  await mkdir(elsewhere, { recursive: true })
  const first = await expectedBy(project, elsewhere)
  const aside = join(plan.folder, 'probed', world.name, preset, String(seed))
  await mkdir(aside, { recursive: true })
  const probed = await expectedBy(project, aside, '--probe', '--yes')
  const later = seed > 1 ? await expectedBy(project, place) : undefined

  const run = (number: number) => join('runs', `bench-${String(number).padStart(3, '0')}`)
  await skillopt(['train', 'project', '--yes', '--quiet', '--out', run(seed)], place)

  const directory = join(place, run(seed))
  const reader = await readRun(directory)
  const events: RunEvent[] = []
  for await (const event of reader.events()) events.push(event)
  const taken = takenBy(events)
  const skills = skillsOf(events)
  const scoreOf = await trueScorer(project, world.character)
  const curve: MeasuredRun['curve'][number][] = []
  for (const { skill, calls } of skills.current)
    curve.push({ calls, score: await scoreOf(await reader.get(skill)) })
  const best = await scoreOf(await reader.get(skills.best))
  const paper =
    preset === 'paper' ? { protocol: protocolOf(events), boundMs: await boundOf(directory) } : undefined
  // One earlier run is enough to learn from.
  await rm(join(place, run(seed - 1)), { recursive: true, force: true })
  return {
    ...{ world: world.name, preset, seed, taken },
    trueScore: { seed: await scoreOf(await reader.get(skills.seed)), best },
    curve: [...curve, { calls: taken.targetCalls, score: best }],
    forecast: { first, probed, ...(later === undefined ? {} : { later }) },
    ...paper,
  }
}

async function expectedBy(project: string, cwd: string, ...flags: readonly string[]): Promise<Expected> {
  const { total } = JSON.parse(await skillopt(['train', project, '--dry-run', '--json', ...flags], cwd))
  return { calls: total.calls.likely, tokens: total.tokens.likely, cost: total.cost.likely }
}

async function boundOf(directory: string): Promise<number> {
  return listSchedule((await readCallGraph(directory)).calls, lanes).ms
}

/** The same world without HTTP and latency, on tasks that training never saw: as many as it takes to know the score. */
async function trueScorer(
  project: string,
  character: Character,
): Promise<(skill: string) => Promise<number>> {
  const flags = { 'environment.test': 'tasks/fresh.jsonl' }
  const loaded = await loadProject({ project, flags, env: {} })
  const setup = await assembleForEvaluation(loaded, {
    createModel: async () => inProcessModel('target', undefined, character),
  })
  const known = new Map<string, number>()
  return async skill => {
    const hash = skillHash(skill)
    const { run } = worldRun(setup)
    const place = { stage: 'test', epoch: 0, step: 0 } as const
    const score =
      known.get(hash) ?? (await evaluate(run, skill, 'test', setup.tasks.test, 2 * lanes.target, place)).hard
    known.set(hash, score)
    return score
  }
}
