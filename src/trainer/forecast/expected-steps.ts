import type { Config } from '../../core/config/config.js'
import { epochEndOf } from '../../core/config/loop-defaults.js'
import type { Plan } from '../loops/steps/step-plan.js'
import type { Rates } from './rates.js'

/** Expected course of a training: means over all possible outcomes of its steps. */
export interface ExpectedSteps {
  readonly steps: number
  readonly accepted: number
  /** Steps whose candidate was rejected by the gate. */
  readonly rejected: number
  /** Batches to run; fewer than one per step if attempts are reused. */
  readonly batches: number
  /**
   * Number of epochs after the first. `compared` counts the skills compared at their ends: one per epoch, or
   * two if the skill has changed.
   */
  readonly laterEpochs: number
  readonly compared: number
  /** Probability that the last skill differs from the first. */
  readonly changed: number
}

/**
 * Share of the train tasks that still fail, averaged over all epochs after the first. Measured in trainings
 * in simulated worlds.
 */
const stillFailing = 0.3

/** A state and its probability: the number of accepted steps, and of steps since the last change. */
interface Branch {
  readonly accepted: number
  readonly idle: number
  readonly chance: number
}

/**
 * Follows the probability of every training state step by step. How long the skill has been unchanged decides
 * what a step costs and whether it is the last.
 */
export function expectSteps(
  { epochs, stepsPerEpoch }: Pick<Plan, 'epochs' | 'stepsPerEpoch'>,
  { train, optimizer }: Pick<Config, 'train' | 'optimizer'>,
  rates: Rates,
): ExpectedSteps {
  const { patience, reuse, focus } = train
  const { hasSlowUpdate } = epochEndOf({ train, optimizer })
  // A partial batch needs a step of its own, so the tasks are divided evenly between the steps.
  const tried = focus + (1 - focus) * stillFailing
  const laterSteps = Math.ceil(tried * stepsPerEpoch)
  const most = stepsPerEpoch + (epochs - 1) * laterSteps
  const course = { steps: 0, accepted: 0, rejected: 0, batches: 0, laterEpochs: 0, compared: 0, changed: 0 }
  let branches: readonly Branch[] = [{ accepted: 0, idle: 0, chance: 1 }]
  for (let step = 0; step < most; step++) {
    const isLater = step >= stepsPerEpoch
    const inEpoch = isLater ? laterSteps : stepsPerEpoch
    const position = isLater ? (step - stepsPerEpoch) % laterSteps : step
    const batch = isLater ? (tried * stepsPerEpoch) / laterSteps : 1
    const next: Branch[] = []
    const over: Branch[] = []
    for (const { accepted, idle, chance } of branches) {
      // A task comes up once per epoch, so only attempts from the previous epoch can be reused. Any of its
      // tasks is equally likely to come up.
      const known = reuse === 'reuse' ? Math.min(1, Math.max(0, idle - position) / inEpoch) : 0
      const success = chance * rates.accepted(accepted)
      course.steps += chance
      course.batches += chance * batch * (1 - known)
      course.accepted += success
      course.rejected += Math.max(0, chance * (1 - rates.unproposed) - success)
      const rest = { accepted, idle: idle + 1, chance: chance - success }
      next.push({ accepted: accepted + 1, idle: 0, chance: success })
      if (patience > 0 && rest.idle >= patience) over.push(rest)
      else next.push(rest)
    }
    const isLast = position === inEpoch - 1
    const ending = isLast ? [...over, ...next] : over
    for (const { idle, chance } of isLater ? ending : []) {
      course.laterEpochs += chance
      course.compared += chance * (idle <= position ? 2 : 1)
    }
    branches = mergeBranches(isLast && isLater && hasSlowUpdate ? afterSlowUpdate(next, rates) : next)
    for (const { accepted, chance } of step === most - 1 ? [...over, ...branches] : over)
      course.changed += accepted > 0 ? chance : 0
  }
  return scale(course, rates.lengthFactor(course.steps))
}

/**
 * Scales the estimate to the length of earlier trainings with the same plan. Those lengths include effects
 * that the probabilities omit, such as an early end because every task is solved.
 */
function scale({ changed, ...sums }: ExpectedSteps, by: number): ExpectedSteps {
  const all = Object.entries(sums).map(([name, sum]) => [name, sum * by])
  return { ...sums, ...Object.fromEntries(all), changed }
}

/** An accepted slow update changes the skill, so it resets the idle count like any other edit. */
function afterSlowUpdate(branches: readonly Branch[], { guidance }: Rates): Branch[] {
  return branches.flatMap(({ accepted, idle, chance }) => [
    { accepted: accepted + 1, idle: 0, chance: chance * guidance },
    { accepted, idle, chance: chance * (1 - guidance) },
  ])
}

function mergeBranches(branches: readonly Branch[]): Branch[] {
  const known = new Map<string, Branch>()
  for (const branch of branches) {
    const key = `${branch.accepted} ${branch.idle}`
    const chance = branch.chance + (known.get(key)?.chance ?? 0)
    // Drops very unlikely states: they cost time and do not affect the mean.
    if (chance > 1e-9) known.set(key, { ...branch, chance })
  }
  return [...known.values()]
}
