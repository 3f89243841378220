import type { Gate, GateFactory, GateSettings, Seen, Verdict } from '../src/core/ports/gate.js'

/**
 * Simulates decisions with a known truth: each task has a pass probability under the current skill and one
 * under the candidate.
 */

export type Random = () => number

/** mulberry32: small, fast and portable. */
export function randomFrom(seed: number): Random {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

/**
 * Strength of the Beta distribution of the tasks' pass probabilities: at 0 each task passes always or never.
 */
export const noises = { none: 0, light: 0.15, medium: 0.6, heavy: 4 } as const
export type Noise = keyof typeof noises

export interface EditKind {
  readonly name: string
  /** Change of the mean pass probability. */
  readonly gain: number
  /** Additionally fixes some tasks and breaks others. */
  readonly mixed?: true
}

export const edits: readonly EditKind[] = [
  { name: 'null', gain: 0 },
  { name: '-5', gain: -0.05 },
  { name: '-5 mixed', gain: -0.05, mixed: true },
  { name: '-10', gain: -0.1 },
  { name: '+5', gain: 0.05 },
  { name: '+10', gain: 0.1 },
  { name: '+10 mixed', gain: 0.1, mixed: true },
  { name: '+20', gain: 0.2 },
]

/** Mean score of the current skill over all worlds. */
const baseScore = 0.7
const churn = 0.05

export function chancesOf(tasks: number, noise: Noise, random: Random): number[] {
  const strength = noises[noise]
  return Array.from({ length: tasks }, () => {
    if (strength === 0) return random() < baseScore ? 1 : 0
    return beta(baseScore * strength, (1 - baseScore) * strength, random)
  })
}

export function edited(chances: readonly number[], { gain, mixed }: EditKind, random: Random): number[] {
  if (!mixed) return shifted(chances, gain, random)
  return gain > 0
    ? shifted(shifted(chances, gain + churn, random), -churn, random)
    : shifted(shifted(chances, churn, random), gain - churn, random)
}

/** Fixes or breaks one task after another until the mean has moved by `gain`, as far as possible. */
function shifted(chances: readonly number[], gain: number, random: Random): number[] {
  const after = [...chances]
  let left = Math.abs(gain) * chances.length
  for (const index of shuffledIndices(chances.length, random)) {
    if (left <= 0) break
    const chance = after[index] ?? 0
    const step = Math.min(left, gain > 0 ? 1 - chance : chance)
    after[index] = chance + (gain > 0 ? step : -step)
    left -= step
  }
  return after
}

function shuffledIndices(count: number, random: Random): number[] {
  const order = Array.from({ length: count }, (_, index) => index)
  for (let index = count - 1; index > 0; index -= 1) {
    const other = Math.floor(random() * (index + 1))
    const kept = order[index] ?? 0
    order[index] = order[other] ?? 0
    order[other] = kept
  }
  return order
}

/** Attempts under the current skill. Each is drawn once, so that later decisions see the same result. */
export class CurrentSkill {
  readonly #drawn = new Map<string, number>()
  /** Attempts beyond the first per task: the gate's extra cost for measuring the current skill. */
  extra = 0

  constructor(
    readonly chances: readonly number[],
    readonly random: Random,
  ) {}

  /** Keeps the results that the skill had as a candidate. */
  keep(seen: readonly Seen[]): void {
    for (const { side, row } of seen)
      if (side === 'candidate') this.#drawn.set(`${row.task} ${row.sample}`, row.hard ?? 0)
  }

  draw(task: number, sample: number): number {
    const key = `${task} ${sample}`
    const known = this.#drawn.get(key)
    if (known !== undefined) return known
    if (sample > 0) this.extra += 1
    const score = this.random() < (this.chances[task] ?? 0) ? 1 : 0
    this.#drawn.set(key, score)
    return score
  }
}

export interface Played {
  readonly verdict: Verdict
  /** Attempts under the candidate. */
  readonly candidate: number
  /** New attempts under the current skill. */
  readonly current: number
  readonly seen: readonly Seen[]
}

export const settings: GateSettings = { earlyStop: true, falseAccepts: 0.05, smallestGain: 0.05 }

/** Plays one decision as the training loop does. */
export function play(
  create: GateFactory,
  current: CurrentSkill,
  candidate: readonly number[],
  random: Random,
  given: GateSettings = settings,
): Played {
  const names = candidate.map((_, index) => String(index))
  const gate: Gate = create({ tasks: names, score: ({ hard }) => hard, settings: given })
  const before = current.extra
  const seen: Seen[] = []
  let spent = 0
  for (;;) {
    const step = gate.next(seen)
    if (!('run' in step)) return { verdict: step, candidate: spent, current: current.extra - before, seen }
    for (const { side, task, sample } of step.run) {
      const index = Number(task)
      const hard =
        side === 'current' ? current.draw(index, sample) : random() < (candidate[index] ?? 0) ? 1 : 0
      if (side === 'candidate') spent += 1
      seen.push({ side, row: { task, type: '', sample, hard, soft: hard } })
    }
  }
}

function beta(a: number, b: number, random: Random): number {
  const one = gamma(a, random)
  const other = gamma(b, random)
  return one + other === 0 ? (random() < a / (a + b) ? 1 : 0) : one / (one + other)
}

/** Marsaglia and Tsang's method, with the usual boost for shapes below 1. */
function gamma(shape: number, random: Random): number {
  if (shape < 1) return gamma(shape + 1, random) * Math.max(random(), 1e-300) ** (1 / shape)
  const d = shape - 1 / 3
  const c = 1 / Math.sqrt(9 * d)
  for (;;) {
    const x = normal(random)
    const v = (1 + c * x) ** 3
    if (v <= 0) continue
    if (Math.log(Math.max(random(), 1e-300)) < 0.5 * x * x + d - d * v + d * Math.log(v)) return d * v
  }
}

function normal(random: Random): number {
  return Math.sqrt(-2 * Math.log(Math.max(random(), 1e-300))) * Math.cos(2 * Math.PI * random())
}
