import type { Interval } from './interval.js'
import { scoreInterval } from './intervals.js'

/** One task under one skill, attempt by attempt. What the world failed is not among the scores. */
export interface RepeatedTask {
  readonly type: string
  readonly scores: readonly number[]
}

/** How much a skill differs from itself. */
export interface NoiseFloor {
  /** The mean over the tasks. */
  readonly score: number
  /** How often two attempts at the same task differ: the mean over the tasks that were scored twice, with 95%. */
  readonly disagreement: Interval
  /** Tasks whose attempts were not all alike. */
  readonly unsteady: number
  /** Tasks that were scored at least twice: what is known about noise comes from these. */
  readonly repeated: number
  /** Standard deviation of the score of these tasks from one evaluation to the next. */
  readonly deviation: number
}

/** Scores that differ by less are the same score, summed in another order. */
const roundingNoise = 1e-9

/** Not to be asked without a task that was scored twice: then nothing is known. */
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
 * Makes attempts that might have been measured: mostly what was measured at the task itself, and, as far as single
 * tasks waver, what was measured at any. For right and wrong this draws each task's chance from what its attempts
 * leave likely (Beta), without claiming noise where none was seen.
 */
export class Predictor {
  readonly #pool: readonly number[]
  /** How many attempts at a task weigh as much as what is known of all tasks. */
  readonly #strength: number

  constructor(tasks: readonly RepeatedTask[]) {
    this.#pool = tasks.flatMap(({ scores }) => scores)
    const within = tasks.flatMap(({ scores }) => (scores.length > 1 ? [varianceOf(scores)] : []))
    const centre = mean(this.#pool)
    const total = mean(this.#pool.map(score => (score - centre) ** 2))
    const share = total < roundingNoise ? 0 : Math.min(mostNoise, mean(within) / total)
    this.#strength = share / (1 - share)
  }

  /** Attempts at one task, one after the other, all under the same chance. */
  attemptsAt({ scores }: RepeatedTask, random: Random): () => number {
    const known = [...scores]
    return () => {
      const place = random() * (known.length + this.#strength)
      const score = known[Math.floor(place)] ?? this.#pool[Math.floor(random() * this.#pool.length)] ?? 0
      // An attempt tells as much about the task's chance as one that was measured.
      known.push(score)
      return score
    }
  }
}

/** If tasks are all alike, no more than so much of what differs is put down to noise within them. */
const mostNoise = 0.95

/** From 0 up to 1, 1 left out. */
export type Random = () => number

/** A stream of its own for each seed, cheap enough to have one per task and decision. */
export function randomStream(...seeds: readonly number[]): Random {
  let state = seeds.reduce((mixed, seed) => scramble(mixed + Math.imul(seed + 1, 0x9e3779b1)), 0)
  return () => {
    state = (state + 0x9e3779b9) | 0
    return scramble(state) / 2 ** 32
  }
}

/** Every bit of the result depends on every bit of the number. */
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

/** Without bias: what is left over after the mean took one. */
function varianceOf(scores: readonly number[]): number {
  const centre = mean(scores)
  return sumOf(scores, score => (score - centre) ** 2) / (scores.length - 1)
}

/** Of nothing, 0: not to be asked. */
export function mean(values: readonly number[]): number {
  return sumOf(values, value => value) / Math.max(1, values.length)
}

function sumOf<T>(items: readonly T[], value: (item: T) => number): number {
  return items.reduce((sum, item) => sum + value(item), 0)
}
