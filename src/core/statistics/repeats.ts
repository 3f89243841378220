import { type Interval, scoreInterval } from './intervals.js'

/** The scores of all attempts at one task under one skill, without external failures. */
export interface RepeatedTask {
  readonly type: string
  readonly scores: readonly number[]
}

/** Noise of a skill: how much its own results differ between evaluations. */
export interface NoiseFloor {
  /** Mean score over the tasks. */
  readonly score: number
  /**
   * How often two attempts at the same task differ: the mean over tasks with at least two scores, with its
   * 95% interval.
   */
  readonly disagreement: Interval
  /** Number of tasks whose attempts differ. */
  readonly unsteady: number
  /** Number of tasks with at least two scores, from which the noise is estimated. */
  readonly repeated: number
  /** Standard deviation of the mean score of these tasks between evaluations. */
  readonly deviation: number
}

/** Smaller differences come from rounding, because the scores were summed in another order. */
const roundingNoise = 1e-9

/** Measures the noise of a skill. At least one task needs two scores; otherwise the noise is unknown. */
export function noiseFloor(tasks: readonly RepeatedTask[]): NoiseFloor {
  const scored = tasks.map(({ scores }) => scores).filter(scores => scores.length > 0)
  const repeated = scored.filter(scores => scores.length > 1)
  const disagreements = repeated.map(disagreementOf)
  return {
    score: mean(scored.map(mean)),
    disagreement: scoreInterval(disagreements),
    unsteady: disagreements.filter(share => share > 0).length,
    repeated: repeated.length,
    deviation: Math.sqrt(sumOf(repeated, varianceOf)) / repeated.length,
  }
}

/**
 * Simulates further attempts at measured tasks: mostly draws from the task's own scores and, if single tasks
 * vary, some from the scores of all tasks. For 0/1 scores this draws each task's pass probability from its
 * posterior (Beta), without assuming noise where none was seen.
 */
export class AttemptSimulator {
  readonly #pool: readonly number[]
  /** Weight of the pooled scores, in attempts at a task. */
  readonly #strength: number

  constructor(tasks: readonly RepeatedTask[]) {
    this.#pool = tasks.flatMap(({ scores }) => scores)
    const within = tasks.flatMap(({ scores }) => (scores.length > 1 ? [varianceOf(scores)] : []))
    const centre = mean(this.#pool)
    const total = mean(this.#pool.map(score => (score - centre) ** 2))
    const share = total < roundingNoise ? 0 : Math.min(mostNoise, mean(within) / total)
    this.#strength = share / (1 - share)
  }

  /** Successive attempts at one task, all with the same pass probability. */
  attemptsAt({ scores }: RepeatedTask, random: Random): () => number {
    const known = [...scores]
    return () => {
      const place = random() * (known.length + this.#strength)
      const score = known[Math.floor(place)] ?? this.#pool[Math.floor(random() * this.#pool.length)] ?? 0
      // The drawn score counts for later draws, since it is as informative about the pass probability as a
      // measured one.
      known.push(score)
      return score
    }
  }
}

/** Maximum share of the variance attributed to noise within tasks, reached if all tasks are alike. */
const mostNoise = 0.95

/** A number from 0 (inclusive) to 1 (exclusive). */
export type Random = () => number

/** An independent stream for each combination of seeds, cheap enough for one per task and decision. */
export function randomStream(...seeds: readonly number[]): Random {
  let state = seeds.reduce((mixed, seed) => scramble(mixed + Math.imul(seed + 1, 0x9e3779b1)), 0)
  return () => {
    state = (state + 0x9e3779b9) | 0
    return scramble(state) / 2 ** 32
  }
}

/** Hash in which every output bit depends on every input bit. */
function scramble(number: number): number {
  let mixed = number | 0
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x21f0aaad)
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97)
  return (mixed ^ (mixed >>> 15)) >>> 0
}

function disagreementOf(scores: readonly number[]): number {
  let different = 0
  for (const [index, score] of scores.entries())
    for (const other of scores.slice(index + 1)) if (Math.abs(score - other) > roundingNoise) different += 1
  return (2 * different) / (scores.length * (scores.length - 1))
}

/** Unbiased sample variance. */
function varianceOf(scores: readonly number[]): number {
  const centre = mean(scores)
  return sumOf(scores, score => (score - centre) ** 2) / (scores.length - 1)
}

/** Returns 0 for an empty list, which callers should avoid. */
export function mean(values: readonly number[]): number {
  return sumOf(values, value => value) / Math.max(1, values.length)
}

function sumOf<T>(items: readonly T[], value: (item: T) => number): number {
  return items.reduce((sum, item) => sum + value(item), 0)
}
