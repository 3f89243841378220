import {
  createLikelihood,
  createModel,
  type EditKind,
  editKinds,
  isUnmet,
  type LogLikelihood,
  type Rates,
  rateOf,
  type TaskKind,
  type TaskState,
  type Use,
} from './passing-model.js'
import type { Trial, TrialEdit } from './types.js'

/**
 * Belief about an edit that concerns few tasks, from all trials by Gibbs sampling. Edits are judged jointly,
 * because a failed attempt says little about one remedy while another is missing.
 */

export interface JointBelief {
  readonly helps: number
  readonly harms: number
  /** Posterior odds of helping divided by prior odds. */
  readonly ratio: number
}

export interface JointOptions {
  readonly seed: number
  /** Belief about an edit before the last trials, from which sampling starts. */
  before(edit: string): Pick<JointBelief, 'helps' | 'harms'> | undefined
  /** Expected effect on an attempt's score of those edits in its skill that concern all tasks. */
  offset(trial: Trial): number
  readonly burnIn: number
  readonly sweeps: number
}

const { none, right, harmful } = editKinds

/** Pseudo-counts of the priors. */
const priors = {
  right: 1.2,
  other: 3.6,
  needed: { yes: 6, no: 2 },
  hidden: { yes: 1, no: 6 },
  noisy: { yes: 2, no: 2 },
  base: { pass: 1, fail: 2 },
  ceiling: { pass: 9, fail: 1 },
}
/** If an edit was proposed from a task, the task has the edit's cause with at least this probability. */
const neededAtOrigin = 0.9
/**
 * Lower bound on the likelihood ratio of helping against doing nothing, from the tasks that an edit was
 * proposed from.
 */
const leastOrigin = 0.3

interface Parameters extends Rates {
  /** Shares with a prior: of right edits, of tasks that have the cause they are matched with, and so on. */
  readonly share: number
  readonly needed: number
  readonly hidden: number
  readonly noisy: number
  readonly likelihood: LogLikelihood
}

const firstRates: Rates = { base: 0.3, ceiling: 0.9 }
const firstParameters: Parameters = {
  share: 0.25,
  needed: 0.75,
  hidden: 0.15,
  noisy: 0.5,
  ...firstRates,
  likelihood: createLikelihood(firstRates),
}

export function jointBeliefs(
  trials: readonly Trial[],
  edits: readonly TrialEdit[],
  { seed, before, offset, burnIn, sweeps }: JointOptions,
): ReadonlyMap<string, JointBelief> {
  const random = createRandom(seed)
  const used = new Set(trials.flatMap(trial => trial.edits))
  const known = edits.filter(({ edit, status }) => used.has(edit.id) || status === 'pending')
  const { tasks, uses } = createModel(trials, known, offset)
  const kinds = new Uint8Array(known.length)
  for (const [index, { edit }] of known.entries()) {
    const { helps = 0, harms = 0 } = before(edit.id) ?? {}
    setKind(index, helps > 0.5 ? right : harms > 0.5 ? harmful : none)
  }
  const tried = uses.map(own => own.some(({ isOrigin }) => !isOrigin))
  const helps = new Float64Array(known.length)
  const harms = new Float64Array(known.length)
  let parameters = firstParameters
  let share = 0
  for (let sweep = 0; sweep < burnIn + sweeps; sweep++) {
    const isCounted = sweep >= burnIn
    for (let edit = 0; edit < known.length; edit++) {
      setKind(edit, none)
      const weights = kindWeights(uses[edit] ?? [], parameters)
      setKind(edit, draw(weights, random) as EditKind)
      if (!isCounted) continue
      helps[edit] = (helps[edit] ?? 0) + (weights[right] ?? 0) / sweeps
      harms[edit] = (harms[edit] ?? 0) + (weights[harmful] ?? 0) / sweeps
    }
    for (const task of tasks) drawTask(task, parameters, random)
    parameters = parametersFrom(tasks, { kinds, tried })
    if (isCounted) share += parameters.share / sweeps
  }
  const odds = (1 - share) / share
  return new Map(
    known.map(({ edit }, index) => {
      const value = Math.min(0.9999, helps[index] ?? 0)
      return [edit.id, { helps: value, harms: harms[index] ?? 0, ratio: (value / (1 - value)) * odds }]
    }),
  )

  function setKind(edit: number, kind: EditKind): void {
    const was = kinds[edit]
    if (was === kind) return
    kinds[edit] = kind
    for (const { cause, with: attempts } of uses[edit] ?? []) {
      for (const observation of attempts) {
        observation.served[cause] =
          (observation.served[cause] ?? 0) + (kind === right ? 1 : 0) - (was === right ? 1 : 0)
        observation.harms += (kind === harmful ? 1 : 0) - (was === harmful ? 1 : 0)
      }
    }
  }
}

/** Probabilities that an edit does nothing, is right, or does harm, with all other unknowns fixed. */
function kindWeights(uses: readonly Use[], parameters: Parameters): readonly number[] {
  const other = Math.log((1 - parameters.share) / 2)
  const logs = [other, Math.log(parameters.share), other]
  let origin = 0
  for (const use of uses) {
    const found = logEvidence(use, parameters)
    if (use.isOrigin) origin += (found[right] ?? 0) - (found[none] ?? 0)
    else for (const kind of [none, right, harmful]) logs[kind] = (logs[kind] ?? 0) + (found[kind] ?? 0)
  }
  // The tasks that an edit was proposed from can only count against it.
  logs[right] = (logs[right] ?? 0) + Math.min(0, Math.max(Math.log(leastOrigin), origin))
  return normalized(logs)
}

/**
 * Log likelihoods of the outcomes at a task if an edit does nothing, is right, or does harm. Whether the
 * task has the edit's cause is marginalized out, because sampling the two in turn would mix poorly.
 */
function logEvidence(use: Use, parameters: Parameters): readonly number[] {
  const { likelihood } = parameters
  const { task, cause } = use
  const { kind } = task
  const prior = needPrior(task, cause, parameters)
  let free = Math.log(1 - prior)
  let needed = Math.log(prior)
  for (const observation of use.without) {
    const missing = isUnmet(task, observation, cause)
    const { harms } = observation
    const ifFree = likelihood(observation, rateOf(kind, missing), harms)
    free += ifFree
    needed +=
      missing || observation.served[cause] !== 0 ? ifFree : likelihood(observation, rateOf(kind, true), harms)
  }
  let [freeAsHarmful, neededAsNone, neededAsRight, neededAsHarmful] = [free, needed, needed, needed]
  for (const observation of use.with) {
    const missing = isUnmet(task, observation, cause)
    const { harms } = observation
    const served = rateOf(kind, missing)
    const asServed = likelihood(observation, served, harms)
    const servedHarmed = likelihood(observation, served, harms + 1)
    free += asServed
    freeAsHarmful += servedHarmed
    neededAsRight += asServed
    if (missing || observation.served[cause] !== 0) {
      neededAsNone += asServed
      neededAsHarmful += servedHarmed
    } else {
      const unserved = rateOf(kind, true)
      neededAsNone += likelihood(observation, unserved, harms)
      neededAsHarmful += likelihood(observation, unserved, harms + 1)
    }
  }
  return [logSum(free, neededAsNone), logSum(free, neededAsRight), logSum(freeAsHarmful, neededAsHarmful)]
}

function needPrior({ isOrigin }: TaskState, cause: number, { needed }: Parameters): number {
  return isOrigin[cause] === true ? Math.max(neededAtOrigin, needed) : needed
}

function drawTask(task: TaskState, parameters: Parameters, random: () => number): void {
  const { likelihood, noisy, base, hidden } = parameters
  const total = () => {
    let sum = 0
    for (const observation of task.observations) {
      const rate = rateOf(task.kind, isUnmet(task, observation))
      sum += likelihood(observation, rate, observation.harms)
    }
    return sum
  }
  for (let cause = 0; cause < task.needs.length; cause++) {
    const prior = needPrior(task, cause, parameters)
    let [without, having] = [0, 0]
    for (const observation of task.observations) {
      const { harms } = observation
      const missing = isUnmet(task, observation, cause)
      const free = likelihood(observation, rateOf(task.kind, missing), harms)
      without += free
      having +=
        missing || observation.served[cause] !== 0
          ? free
          : likelihood(observation, rateOf(task.kind, true), harms)
    }
    const no = Math.log(1 - prior) + without
    const yes = Math.log(prior) + having
    task.needs[cause] = random() < 1 / (1 + Math.exp(no - yes)) ? 1 : 0
  }
  task.hidden = 0
  const free = Math.log(1 - hidden) + total()
  task.hidden = 1
  const blocked = Math.log(hidden) + total()
  task.hidden = random() < 1 / (1 + Math.exp(free - blocked)) ? 1 : 0
  const logs = [noisy, (1 - noisy) * base, (1 - noisy) * (1 - base)].map((prior, kind) => {
    task.kind = kind as TaskKind
    return Math.log(prior) + total()
  })
  task.kind = draw(normalized(logs), random) as TaskKind
}

interface Drawn {
  readonly kinds: Uint8Array
  /** For each edit, whether any counted attempt includes it. */
  readonly tried: readonly boolean[]
}

function parametersFrom(tasks: readonly TaskState[], { kinds, tried }: Drawn): Parameters {
  // Untried edits are skipped, since they would only echo their prior.
  let [helpful, all] = [0, 0]
  for (const [edit, kind] of kinds.entries()) {
    if (tried[edit] !== true) continue
    all += 1
    if (kind === right) helpful += 1
  }
  let [needs, pairs, hidden, noisy] = [0, 0, 0, 0]
  const open = { pass: priors.base.pass, all: priors.base.pass + priors.base.fail }
  const full = { pass: priors.ceiling.pass, all: priors.ceiling.pass + priors.ceiling.fail }
  for (const task of tasks) {
    hidden += task.hidden
    pairs += task.needs.length
    for (const need of task.needs) needs += need
    if (task.kind !== 0) continue
    noisy += 1
    for (const observation of task.observations) {
      if (observation.harms > 0) continue
      const counts = isUnmet(task, observation) ? open : full
      counts.pass += observation.score
      counts.all += 1
    }
  }
  const base = Math.min(0.6, open.pass / open.all)
  const rates = { base, ceiling: Math.min(0.98, Math.max(base + 0.1, full.pass / full.all)) }
  return {
    share: (priors.right + helpful) / (priors.right + priors.other + all),
    needed: (priors.needed.yes + needs) / (priors.needed.yes + priors.needed.no + pairs),
    hidden: (priors.hidden.yes + hidden) / (priors.hidden.yes + priors.hidden.no + tasks.length),
    noisy: (priors.noisy.yes + noisy) / (priors.noisy.yes + priors.noisy.no + tasks.length),
    ...rates,
    likelihood: createLikelihood(rates),
  }
}

function logSum(one: number, other: number): number {
  const highest = Math.max(one, other)
  return highest + Math.log(Math.exp(one - highest) + Math.exp(other - highest))
}

function normalized(logs: readonly number[]): number[] {
  const highest = Math.max(...logs)
  const weights = logs.map(log => Math.exp(log - highest))
  const sum = weights.reduce((total, weight) => total + weight, 0)
  return weights.map(weight => weight / sum)
}

export function draw(weights: readonly number[], random: () => number): number {
  let left = random()
  for (let index = 0; index < weights.length - 1; index++) {
    left -= weights[index] ?? 0
    if (left < 0) return index
  }
  return weights.length - 1
}

/** A small, fast random generator (xorshift32): sampling draws some hundred thousand numbers per round. */
export function createRandom(seed: number): () => number {
  let state = seed | 1
  return () => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) / 4294967296
  }
}
