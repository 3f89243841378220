import { parseArgs } from 'node:util'
import type { PresetName } from '../src/core/config/presets.js'
import { mean, points } from './figures.js'
import { milestones } from './peers/scores.js'
import { count, saveResult, table } from './table.js'
import type { Settings } from './worlds/in-process.js'
import type { WorldJob, WorldResult } from './worlds/job.js'
import { runJobs, showProgress } from './worlds/pool.js'
import { reportedWorlds, worldSpec } from './worlds/spec.js'

/**
 * Measures how well our trainers learn in worlds with a known truth, without HTTP: `learning [--seeds 20]
 * [--first-seed 1] [--worlds a,b] [--trainers default,paper]`. Scores are exact expected scores, not
 * measured ones.
 */

interface Trainer {
  readonly name: string
  readonly preset?: PresetName
  readonly settings?: Settings
}

const allTrainers: readonly Trainer[] = [
  { name: 'default' },
  { name: 'paper', preset: 'paper' },
  { name: 'steps, guarded', settings: { train: { loop: 'steps' }, evaluation: { gate: 'guarded' } } },
]

const text = { type: 'string' } as const
const { values: given } = parseArgs({
  options: { seeds: text, 'first-seed': text, worlds: text, trainers: text },
})
const seeds = Number(given.seeds ?? 20)
const firstSeed = Number(given['first-seed'] ?? 1)
if (!Number.isInteger(seeds) || seeds < 1) throw new Error('--seeds takes a whole number ≥ 1.')
const worlds = given.worlds?.split(',').map(worldSpec) ?? reportedWorlds
const trainers = allTrainers.filter(
  ({ name }) => given.trainers === undefined || given.trainers.split(',').includes(name),
)

interface LearningJob extends WorldJob {
  readonly trainer: string
}

const jobs: LearningJob[] = worlds.flatMap(({ name: world }) =>
  trainers.flatMap(({ name: trainer, ...how }) =>
    Array.from({ length: seeds }, (_, index) => ({ trainer, world, seed: firstSeed + index, ...how })),
  ),
)
const results = await runJobs(jobs, (_result, _job, done) => showProgress(done, jobs.length))

interface Row {
  readonly world: string
  readonly trainer: string
  readonly start: number
  readonly end: { readonly mean: number; readonly worst: number; readonly best: number }
  readonly possible: number
  /** Share of the possible gain that was achieved. */
  readonly reached: number
  readonly calls: number
  readonly optimizerCalls: number
  readonly at: readonly number[]
}

function rowOf(world: string, trainer: string, runs: readonly WorldResult[]): Row {
  const of = (pick: (run: WorldResult) => number) => mean(runs.map(pick))
  const ends = runs.map(({ end }) => end)
  const [start, end, possible] = [of(run => run.start), mean(ends), of(run => run.possible)]
  return {
    world,
    trainer,
    start,
    end: { mean: end, worst: Math.min(...ends), best: Math.max(...ends) },
    possible,
    reached: possible > start ? (end - start) / (possible - start) : Number.NaN,
    calls: of(run => run.targetCalls),
    optimizerCalls: of(run => run.optimizerCalls),
    at: milestones.map((_, index) => of(run => run.at[index] ?? 0)),
  }
}

const runsOf = (trainer: string, world?: string) =>
  results.filter((_, index) => {
    const job = jobs[index]
    return job?.trainer === trainer && (world === undefined || job.world === world)
  })
const rows = [
  ...worlds.flatMap(({ name }) =>
    trainers.map(({ name: trainer }) => rowOf(name, trainer, runsOf(trainer, name))),
  ),
  ...trainers.map(({ name }) => rowOf('all', name, runsOf(name))),
]
const paperRow = (world: string) => rows.find(row => row.world === world && row.trainer === 'paper')

const head = [
  'world',
  'trainer',
  'start',
  'end',
  'worst',
  'best',
  'possible',
  'of the possible gain',
  'calls',
  'calls, to paper',
  'optimizer calls',
  ...milestones.map(calls => `at ${count(calls)}`),
]
console.log(`True scores in points, mean over ${seeds} seeds.\n`)
console.log(
  table(
    head,
    rows.map(row => [
      row.world,
      row.trainer,
      points(row.start),
      points(row.end.mean),
      points(row.end.worst),
      points(row.end.best),
      points(row.possible),
      Number.isNaN(row.reached) ? '–' : `${Math.round(100 * row.reached)}%`,
      count(row.calls),
      (row.calls / (paperRow(row.world)?.calls ?? Number.NaN)).toFixed(2),
      count(row.optimizerCalls),
      ...row.at.map(points),
    ]),
  ),
)
saveResult('learning', {
  seeds,
  rows,
  runs: results.map((run, index) => ({ trainer: jobs[index]?.trainer, ...run })),
})
