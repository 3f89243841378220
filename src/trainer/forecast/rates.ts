import type { Config } from '../../core/config/config.js'
import type { StepCounts, Tally } from './history.js'

/** Rates that the forecast assumes for a step. */
export interface Rates {
  /** Probability that a step is accepted after this many accepted ones; it falls as less is left. */
  accepted(before: number): number
  readonly unproposed: number
  /** Validation in splits: for a rejected candidate, and for each skill that becomes current. */
  readonly rejectedSplits: number
  readonly currentSplits: number
  /** Maximum validation for one decision, in splits. */
  readonly mostSplits: number
  /** Probability that a slow update is accepted. */
  readonly guidance: number
  /** Correction factor for the expected number of steps, from similar trainings. */
  readonly lengthFactor: (expected: number) => number
}

interface GateRates {
  /** Probability that the first candidate is accepted. */
  readonly first: number
  readonly rejectedSplits: number
}

/** Priors from trainings in simulated worlds. One earlier run of the project soon outweighs them. */
const gatePriors: Readonly<Record<string, GateRates>> = {
  strict: { first: 0.8, rejectedSplits: 0.5 },
  guarded: { first: 0.55, rejectedSplits: 0.35 },
  paired: { first: 0.45, rejectedSplits: 0.3 },
  always: { first: 1, rejectedSplits: 1 },
}
/** When a custom gate stops is unknown, so every candidate is assumed to see the whole split. */
const customGatePrior: GateRates = { first: 0.6, rejectedSplits: 1 }
const everyTask = 1

/**
 * Accept rate after this many accepted edits, as a share of the first accept rate: 1 for the first two edits,
 * then halving.
 */
const acceptDecay = (before: number): number => Math.min(1, 2 ** (1 - before))
const unproposed = 0.15
const guidance = 0.1

/** Weight of the prior: the number of measured steps, decisions, epochs and trainings that count as much. */
const weight = { steps: 4, decisions: 2, epochs: 3, trainings: 1 }

export function ratesFor(config: Config, validation: number, counts: StepCounts | undefined): Rates {
  const { evaluation, optimizer } = config
  const { gate } = evaluation
  const assumed = gatePriors[gate] ?? customGatePrior
  const isWhole = gate === 'strict' && !evaluation.earlyStop
  const chance = gate === 'always' ? 1 : firstAcceptRate(assumed.first, counts?.trainings ?? [])
  const idle = blend(unproposed, weight.steps, counts?.unproposed)
  const repeats = repeatsOf(gate, validation)
  const currentSplits = 1 + repeats.current
  return {
    accepted: before => (gate === 'always' ? 1 - idle : Math.min(1 - idle, chance * acceptDecay(before))),
    unproposed: idle,
    rejectedSplits: blend(
      isWhole ? everyTask : assumed.rejectedSplits,
      weight.decisions,
      rejectedIn(counts, currentSplits),
    ),
    currentSplits,
    mostSplits: currentSplits + repeats.decision,
    guidance:
      optimizer.slowUpdate.accept === 'force' ? 1 : blend(guidance, weight.epochs, counts?.slowUpdates),
    lengthFactor: expected => blend(expected, weight.trainings, counts?.lengths) / expected,
  }
}

/** Weighted mean of the prior and the measured rate. */
export function blend(assumed: number, weight: number, counted: Tally | undefined): number {
  return (assumed * weight + (counted?.sum ?? 0)) / (weight + (counted?.count ?? 0))
}

/** Validation spent on rejected candidates: the total minus that of the skills that became current. */
function rejectedIn(counts: StepCounts | undefined, currentSplits: number): Tally | undefined {
  if (counts === undefined) return undefined
  const { splits, currents, rejected } = counts.validation
  return { sum: rejected === 0 ? 0 : Math.max(0, splits - currents * currentSplits), count: rejected }
}

/** Repeated attempts in splits: `current` per new current skill, `decision` at most per decision. */
function repeatsOf(gate: string, validation: number): { current: number; decision: number } {
  const splits = (attempts: number) => attempts / Math.max(1, validation)
  if (gate === 'paired') {
    const current = splits(Math.min(validation, Math.max(40, Math.ceil(0.4 * validation))))
    return { current, decision: splits(Math.max(24, validation)) }
  }
  return { current: 0, decision: gate === 'guarded' ? splits(Math.max(24, validation / 2)) : 0 }
}

/** The first accept rate that explains the observed number of accepted candidates, blended with the prior. */
function firstAcceptRate(assumed: number, courses: StepCounts['trainings']): number {
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
  return blend(assumed, weight.steps, { sum: high * steps, count: steps })
}

function expectedAccepts(first: number, steps: number): number {
  let chances = [1]
  for (let step = 0; step < steps; step++) {
    const moved = chances.map((chance, before) => chance * first * acceptDecay(before))
    chances = [...chances, 0].map(
      (chance, before) => chance - (moved[before] ?? 0) + (before === 0 ? 0 : (moved[before - 1] ?? 0)),
    )
  }
  return chances.reduce((sum, chance, accepted) => sum + chance * accepted, 0)
}
