import type { Config } from '../../core/config/config.js'
import type { Counts, Tally } from './history.js'

/** What is taken to happen at a step. */
export interface Rates {
  /** How likely a step is to be accepted when so many were before it: the more there were, the less is left to find. */
  accepted(before: number): number
  readonly unproposed: number
  /** What a rejected candidate takes of the gate, and what every skill that becomes the current one does, in splits. */
  readonly rejectedSplits: number
  readonly currentSplits: number
  /** The most that one decision may take. */
  readonly mostSplits: number
  /** How likely a slow update is to be accepted. */
  readonly guidance: number
  /** Of a training's own expectation, the part of its steps that trainings like it have made. */
  readonly length: (expected: number) => number
}

interface GateRates {
  /** How likely the first candidate is to be accepted. */
  readonly first: number
  readonly rejectedSplits: number
}

/** From trainings in simulated worlds; a first guess, which an earlier run of the project soon outweighs. */
const ofGate: Readonly<Record<string, GateRates>> = {
  strict: { first: 0.8, rejectedSplits: 0.5 },
  guarded: { first: 0.55, rejectedSplits: 0.35 },
  paired: { first: 0.45, rejectedSplits: 0.3 },
  always: { first: 1, rejectedSplits: 1 },
}
/** It is not known when a gate of the user's own stops. */
const ofOwnGate: GateRates = { first: 0.6, rejectedSplits: 1 }
const everyTask = 1

/** What is left of the first chance when so many were accepted: there is something to find for two, then ever less. */
const remaining = (before: number): number => Math.min(1, 2 ** (1 - before))
const unproposed = 0.15
const guidance = 0.1

/** Steps, decisions, epochs and trainings whose measured outcomes weigh as much as the first guess. */
const weight = { steps: 4, decisions: 2, epochs: 3, trainings: 1 }

export function ratesFor(config: Config, validation: number, counts: Counts | undefined): Rates {
  const { evaluation, optimizer } = config
  const { gate } = evaluation
  const assumed = ofGate[gate] ?? ofOwnGate
  const isWhole = gate === 'strict' && !evaluation.earlyStop
  const chance = gate === 'always' ? 1 : firstChance(assumed.first, counts?.courses ?? [])
  const idle = blended(unproposed, weight.steps, counts?.unproposed)
  const repeats = repeatsOf(gate, validation)
  const currentSplits = 1 + repeats.current
  return {
    accepted: before => (gate === 'always' ? 1 - idle : Math.min(1 - idle, chance * remaining(before))),
    unproposed: idle,
    rejectedSplits: blended(
      isWhole ? everyTask : assumed.rejectedSplits,
      weight.decisions,
      rejectedIn(counts, currentSplits),
    ),
    currentSplits,
    mostSplits: currentSplits + repeats.decision,
    guidance:
      optimizer.slowUpdate.accept === 'force' ? 1 : blended(guidance, weight.epochs, counts?.slowUpdates),
    length: expected => blended(expected, weight.trainings, counts?.lengths) / expected,
  }
}

/** The first guess and what was counted, by how much there was to count. */
export function blended(assumed: number, weight: number, counted: Tally | undefined): number {
  return (assumed * weight + (counted?.sum ?? 0)) / (weight + (counted?.among ?? 0))
}

/** What is left of all validation without the skills that became the current one. */
function rejectedIn(counts: Counts | undefined, currentSplits: number): Tally | undefined {
  if (counts === undefined) return undefined
  const { splits, currents, rejected } = counts.validation
  return { sum: rejected === 0 ? 0 : Math.max(0, splits - currents * currentSplits), among: rejected }
}

/** Attempts beyond the first at each task, in splits: at each new current skill, and at most at a decision. */
function repeatsOf(gate: string, validation: number): { current: number; decision: number } {
  const splits = (attempts: number) => attempts / Math.max(1, validation)
  if (gate === 'paired') {
    const current = splits(Math.min(validation, Math.max(40, Math.ceil(0.4 * validation))))
    return { current, decision: splits(Math.max(24, validation)) }
  }
  return { current: 0, decision: gate === 'guarded' ? splits(Math.max(24, validation / 2)) : 0 }
}

/** The chance of the first candidate with which as many would have been accepted as were, weighed with the guess. */
function firstChance(assumed: number, courses: Counts['courses']): number {
  const steps = courses.reduce((sum, course) => sum + course.steps, 0)
  if (steps === 0) return assumed
  const accepted = courses.reduce((sum, course) => sum + course.accepted, 0)
  let [low, high] = [0, 1]
  for (let round = 0; round < 20; round++) {
    const middle = (low + high) / 2
    const expected = courses.reduce((sum, course) => sum + expectedAccepts(middle, course.steps), 0)
    if (expected < accepted) low = middle
    else high = middle
  }
  return blended(assumed, weight.steps, { sum: high * steps, among: steps })
}

function expectedAccepts(first: number, steps: number): number {
  let chances = [1]
  for (let step = 0; step < steps; step++) {
    const moved = chances.map((chance, before) => chance * first * remaining(before))
    chances = [...chances, 0].map(
      (chance, before) => chance - (moved[before] ?? 0) + (before === 0 ? 0 : (moved[before - 1] ?? 0)),
    )
  }
  return chances.reduce((sum, chance, accepted) => sum + chance * accepted, 0)
}
