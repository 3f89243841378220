import type { Config } from '../../core/config/config.js'
import { epochEndOf } from '../../core/config/loop-defaults.js'
import type { Plan } from '../loops/steps/step-plan.js'
import type { Rates } from './rates.js'

/** How a training is expected to go: means over all the ways in which its steps may turn out. */
export interface Course {
  readonly steps: number
  readonly accepted: number
  /** Steps whose candidate came to the gate in vain. */
  readonly rejected: number
  /** Batches that are tried: less than one per step where attempts are reused. */
  readonly batches: number
  /** Epochs from the second on, and the skills compared at their ends: one, or two if the skill has changed. */
  readonly laterEpochs: number
  readonly compared: number
  /** How likely the last skill is another than the first. */
  readonly changed: number
}

/** Of the train tasks, in the mean over the epochs from the second on. From trainings in simulated worlds. */
const stillFailing = 0.3

/** How likely it is that so many were accepted, and that the skill has been the same for so many steps. */
interface Branch {
  readonly accepted: number
  readonly idle: number
  readonly chance: number
}

/**
 * Step by step, with the chance of every state that a training can be in: what a step costs and whether it is the last
 * depends on how many steps the skill has been the same.
 */
export function expectedCourse(
  { epochs, stepsPerEpoch }: Pick<Plan, 'epochs' | 'stepsPerEpoch'>,
  { train, optimizer }: Pick<Config, 'train' | 'optimizer'>,
  rates: Rates,
): Course {
  const { patience, reuse, focus } = train
  const { hasSlowUpdate } = epochEndOf({ train, optimizer })
  // One batch more than whole ones make a step more, and the tasks are divided evenly between them.
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
      // Tasks of this epoch's earlier batches do not come up again; of those before, each is as likely as the next.
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
    branches = joined(isLast && isLater && hasSlowUpdate ? guided(next, rates) : next)
    for (const { accepted, chance } of step === most - 1 ? [...over, ...branches] : over)
      course.changed += accepted > 0 ? chance : 0
  }
  return scaled(course, rates.length(course.steps))
}

/** As trainings with the same plan went: they know what the chances do not, such as when every task was solved. */
function scaled({ changed, ...sums }: Course, by: number): Course {
  const all = Object.entries(sums).map(([name, sum]) => [name, sum * by])
  return { ...sums, ...Object.fromEntries(all), changed }
}

/** Guidance that is accepted is a new beginning like any other text. */
function guided(branches: readonly Branch[], { guidance }: Rates): Branch[] {
  return branches.flatMap(({ accepted, idle, chance }) => [
    { accepted: accepted + 1, idle: 0, chance: chance * guidance },
    { accepted, idle, chance: chance * (1 - guidance) },
  ])
}

function joined(branches: readonly Branch[]): Branch[] {
  const known = new Map<string, Branch>()
  for (const branch of branches) {
    const key = `${branch.accepted} ${branch.idle}`
    const chance = branch.chance + (known.get(key)?.chance ?? 0)
    // What hardly ever happens costs time to follow and does not show in a mean.
    if (chance > 1e-9) known.set(key, { ...branch, chance })
  }
  return [...known.values()]
}
