import { differenceInterval, mean, points, range, signed } from '../figures.js'
import { count, table } from '../table.js'
import type { Settings } from './in-process.js'
import type { WorldJob, WorldResult } from './job.js'
import { runJobs, showProgress } from './pool.js'
import type { WorldSpec } from './spec.js'

/** A change of the trainer or the world, compared with the defaults on the same worlds and seeds. */
export interface Variant {
  readonly name: string
  readonly settings?: Settings
  readonly constants?: NonNullable<WorldJob['constants']>
  readonly change?: Partial<WorldSpec>
}

export interface Compared {
  readonly name: string
  readonly end: number
  /** Difference of the final score, paired by world and seed. */
  readonly difference: { readonly mean: number; readonly low: number; readonly high: number }
  readonly calls: number
  /** Ratio of calls to those of the defaults. */
  readonly callRatio: number
  readonly worlds: Readonly<Record<string, number>>
}

export interface ComparisonPlan {
  readonly worlds: readonly string[]
  readonly seeds: number
  /** First seed: constants are tuned on different seeds than results are reported on. */
  readonly firstSeed?: number
  readonly variants: readonly Variant[]
}

interface VariantJob extends WorldJob {
  readonly variant: string
}

/** Runs all variants; the defaults come first in the result. */
export async function compareVariants(plan: ComparisonPlan): Promise<Compared[]> {
  const variants: readonly Variant[] = [{ name: 'defaults' }, ...plan.variants]
  const jobs: VariantJob[] = variants.flatMap(({ name: variant, ...how }) =>
    plan.worlds.flatMap(world =>
      Array.from({ length: plan.seeds }, (_, index) => ({
        variant,
        world,
        seed: (plan.firstSeed ?? 1) + index,
        ...how,
      })),
    ),
  )
  const results = await runJobs(jobs, (_result, _job, done) => showProgress(done, jobs.length))
  const perVariant = plan.worlds.length * plan.seeds
  const runsOf = (index: number) => results.slice(index * perVariant, (index + 1) * perVariant)
  const base = runsOf(0)
  return variants.map(({ name }, index) => compare(name, runsOf(index), base))
}

function compare(name: string, runs: readonly WorldResult[], base: readonly WorldResult[]): Compared {
  const calls = mean(runs.map(({ targetCalls }) => targetCalls))
  const worlds = [...new Set(runs.map(({ world }) => world))]
  return {
    name,
    end: mean(runs.map(({ end }) => end)),
    difference: differenceInterval(runs.map(({ end }, index) => end - (base[index]?.end ?? 0))),
    calls,
    callRatio: calls / mean(base.map(({ targetCalls }) => targetCalls)),
    worlds: Object.fromEntries(
      worlds.map(world => [world, mean(runs.filter(run => run.world === world).map(({ end }) => end))]),
    ),
  }
}

export function comparisonTable(rows: readonly Compared[]): string {
  const worlds = Object.keys(rows[0]?.worlds ?? {})
  return table(
    ['variant', 'end', 'against defaults', '95% interval', 'calls', 'ratio of calls', ...worlds],
    rows.map((row, index) => [
      row.name,
      points(row.end),
      index === 0 ? '' : signed(row.difference.mean),
      index === 0 ? '' : range(row.difference, signed),
      count(row.calls),
      row.callRatio.toFixed(2),
      ...worlds.map(world => points(row.worlds[world] ?? 0)),
    ]),
  )
}
