import { areAlike, causeOf } from './pool.js'
import type { Trial, TrialEdit } from './types.js'

/**
 * What all trials together say about edits that concern few tasks. A task passes only if a remedy is in the skill for every
 * cause that it suffers from, so that edits are judged jointly: an attempt that fails says little about one remedy while
 * another one is missing. Gibbs sampling over which edits are right, which tasks suffer from which causes, and how noisy
 * tasks are.
 */

export interface JointBelief {
  readonly helps: number
  readonly harms: number
  /** Posterior odds of helping over prior odds. */
  readonly ratio: number
}

export interface JointOptions {
  readonly seed: number
  /** What was believed of an edit before the last trials: sampling goes on from there. */
  before(edit: string): Pick<JointBelief, 'helps' | 'harms'> | undefined
  /** Expected change of an attempt's score by the edits for all tasks in its skill. */
  offset(trial: Trial): number
  readonly burnIn: number
  readonly sweeps: number
}

const none = 0
const right = 1
const harmful = 2

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
/** Share of the probability of passing that a harmful edit takes away. */
const harm = 0.7
const certain = 0.96
/** An edit fares on the tasks behind it as likely as this at worst, relative to one that does nothing. */
const leastOrigin = 0.3

interface Observation {
  readonly score: number
  /** Expected change of the score by edits for all tasks. */
  readonly offset: number
  /** For each cause of the task, the edits in the skill, as indexes. */
  readonly present: readonly (readonly number[])[]
}

interface TaskState {
  readonly causes: readonly number[]
  readonly observations: readonly Observation[]
  readonly needs: Uint8Array
  readonly needPriors: readonly boolean[]
  hidden: 0 | 1
  /** 0: answers differ, 1: always passes, 2: fails unless all is served. */
  kind: 0 | 1 | 2
}

interface Parameters {
  share: number
  needed: number
  hidden: number
  noisy: number
  base: number
  ceiling: number
  logs: {
    readonly rates: readonly number[]
    readonly pass: readonly number[]
    readonly fail: readonly number[]
  }
}

export function jointBeliefs(
  trials: readonly Trial[],
  edits: readonly TrialEdit[],
  { seed, before, offset, burnIn, sweeps }: JointOptions,
): ReadonlyMap<string, JointBelief> {
  const random = createRandom(seed)
  const used = new Set(trials.flatMap(trial => trial.edits))
  const known = edits.filter(({ edit, status }) => used.has(edit.id) || status === 'pending')
  const { tasks, uses } = createTasks(trials, known, offset)
  const kinds = Uint8Array.from(known, ({ edit }) => {
    const { helps = 0, harms = 0 } = before(edit.id) ?? {}
    return helps > 0.5 ? right : harms > 0.5 ? harmful : none
  })
  const p: Parameters = {
    share: 0.25,
    needed: 0.75,
    hidden: 0.15,
    noisy: 0.5,
    base: 0.3,
    ceiling: 0.9,
    logs: tabulate(0.3, 0.9),
  }
  const tried = uses.map(own => own.some(({ isOrigin }) => !isOrigin))
  const helps = new Float64Array(known.length)
  const harms = new Float64Array(known.length)
  let share = 0
  for (let sweep = 0; sweep < burnIn + sweeps; sweep++) {
    const isCounted = sweep >= burnIn
    for (let edit = 0; edit < known.length; edit++) {
      const other = Math.log((1 - p.share) / 2)
      let [asNone, asRight, asHarmful, origin] = [other, Math.log(p.share), other, 0]
      for (const { task, observation, isOrigin } of uses[edit] ?? []) {
        kinds[edit] = none
        const unchanged = logLikelihood(task, observation, kinds, p)
        kinds[edit] = right
        const better = logLikelihood(task, observation, kinds, p)
        if (isOrigin) {
          origin += better - unchanged
          continue
        }
        kinds[edit] = harmful
        asHarmful += logLikelihood(task, observation, kinds, p)
        asNone += unchanged
        asRight += better
      }
      asRight += Math.min(0, Math.max(Math.log(leastOrigin), origin))
      const logs = [asNone, asRight, asHarmful]
      const weights = normalized(logs)
      kinds[edit] = draw(weights, random)
      if (isCounted) {
        helps[edit] = (helps[edit] ?? 0) + (weights[right] ?? 0) / sweeps
        harms[edit] = (harms[edit] ?? 0) + (weights[harmful] ?? 0) / sweeps
      }
    }
    for (const task of tasks) updateTask(task, { kinds, p, random })
    updateParameters(p, { tasks, kinds, tried })
    if (isCounted) share += p.share / sweeps
  }
  const odds = (1 - share) / share
  return new Map(
    known.map(({ edit }, index) => {
      const value = Math.min(0.9999, helps[index] ?? 0)
      return [edit.id, { helps: value, harms: harms[index] ?? 0, ratio: (value / (1 - value)) * odds }]
    }),
  )
}

/** An attempt at a task that an edit may matter for, with the edit in the skill. */
interface Use {
  readonly task: TaskState
  readonly observation: Observation
  readonly isOrigin: boolean
}

function createTasks(trials: readonly Trial[], edits: readonly TrialEdit[], offset: JointOptions['offset']) {
  const causeOfEdit = groupByCause(edits)
  const indexOf = new Map(edits.map(({ edit }, index) => [edit.id, index]))
  const names = [...new Set(trials.map(({ task }) => task))]
  const taskIndex = new Map(names.map((name, index) => [name, index]))
  const concerned = names.map(() => new Map<number, boolean>())
  const places = edits.map(() => new Map<number, boolean>())
  for (const [index, one] of edits.entries()) {
    const origin = new Set(one.edit.tasks)
    for (const name of new Set([...one.concerned, ...origin])) {
      const task = taskIndex.get(name)
      if (task === undefined) continue
      const cause = causeOfEdit[index] ?? 0
      const own = concerned[task]
      own?.set(cause, own.get(cause) === true || origin.has(name))
      places[index]?.set(task, origin.has(name))
    }
  }
  const observations: Observation[][] = names.map(() => [])
  for (const trial of trials) {
    const task = taskIndex.get(trial.task)
    if (task === undefined) continue
    const own = [...(concerned[task]?.keys() ?? [])]
    const inSkill = effective(
      trial.edits.flatMap(id => indexOf.get(id) ?? []),
      edits,
    )
    const present = own.map(cause => inSkill.filter(index => causeOfEdit[index] === cause))
    observations[task]?.push({ score: trial.score, offset: offset(trial), present })
  }
  const tasks = names.map((_, index): TaskState => {
    const own = [...(concerned[index]?.entries() ?? [])]
    const seen = observations[index] ?? []
    // Sampling starts from the simplest story: a cause is no matter for a task that has passed without a remedy for it.
    const isNeeded = (at: number) =>
      !seen.some(({ score, present }) => score > 0.5 && present[at]?.length === 0)
    return {
      causes: own.map(([cause]) => cause),
      observations: seen,
      needs: Uint8Array.from(own, (__, at) => (isNeeded(at) ? 1 : 0)),
      needPriors: own.map(([, isOrigin]) => isOrigin),
      hidden: 0,
      kind: 0,
    }
  })
  const uses = edits.map((_, edit): Use[] =>
    [...(places[edit]?.entries() ?? [])].flatMap(([index, isOrigin]) => {
      const task = tasks[index]
      if (task === undefined) return []
      return task.observations
        .filter(({ present }) => present.some(own => own.includes(edit)))
        .map(observation => ({ task, observation, isOrigin }))
    }),
  )
  return { tasks, uses }
}

/**
 * The cause of each edit, as a number. Optimizers use one name for different causes at different times: edits have a cause
 * in common if they were named alike and concern about the same tasks.
 */
function groupByCause(edits: readonly TrialEdit[]): number[] {
  const groups: { readonly name: string; readonly concerned: ReadonlySet<string> }[] = []
  return edits.map(({ edit, concerned }) => {
    const name = causeOf(edit)
    const known = groups.findIndex(one => one.name === name && areAlike(one.concerned, concerned))
    return known >= 0 ? known : groups.push({ name, concerned }) - 1
  })
}

/** Edits whose text no later edit of the skill overwrites. */
function effective(indexes: readonly number[], edits: readonly TrialEdit[]): readonly number[] {
  return indexes.filter((index, at) => {
    const own = edits[index]?.edit
    if (own === undefined || !('content' in own)) return true
    return !indexes.slice(at + 1).some(later => {
      const other = edits[later]?.edit
      return (
        other !== undefined &&
        'target' in other &&
        other.op !== 'insert_after' &&
        own.content.includes(other.target)
      )
    })
  })
}

function logLikelihood(task: TaskState, observation: Observation, kinds: Uint8Array, p: Parameters): number {
  let unmet = task.hidden === 1
  let factor = 1
  for (let index = 0; index < task.causes.length; index++) {
    let served = false
    for (const edit of observation.present[index] ?? []) {
      const kind = kinds[edit]
      if (kind === right) served = true
      else if (kind === harmful) factor *= 1 - harm
    }
    if (!served && task.needs[index] === 1) unmet = true
  }
  const { score, offset } = observation
  const at = 2 * task.kind + (unmet ? 0 : 1)
  if (factor === 1 && offset === 0)
    return score * (p.logs.pass[at] ?? 0) + (1 - score) * (p.logs.fail[at] ?? 0)
  const probability = Math.max(0.02, Math.min(0.98, (p.logs.rates[at] ?? 0.5) * factor + offset))
  return score * Math.log(probability) + (1 - score) * Math.log(1 - probability)
}

/** Probabilities of passing, by kind of task and by whether all that it needs is served, with their logarithms. */
function tabulate(base: number, ceiling: number): Parameters['logs'] {
  const rates = [base, ceiling, certain, certain, 1 - certain, certain]
  return {
    rates,
    pass: rates.map(rate => Math.log(Math.max(0.02, rate))),
    fail: rates.map(rate => Math.log(1 - Math.max(0.02, rate))),
  }
}

interface Sampling {
  readonly kinds: Uint8Array
  readonly p: Parameters
  random(): number
}

function updateTask(task: TaskState, { kinds, p, random }: Sampling): void {
  const total = () => {
    let sum = 0
    for (const observation of task.observations) sum += logLikelihood(task, observation, kinds, p)
    return sum
  }
  for (let index = 0; index < task.needs.length; index++) {
    const prior = task.needPriors[index] === true ? Math.max(0.9, p.needed) : p.needed
    task.needs[index] = 0
    const no = Math.log(1 - prior) + total()
    task.needs[index] = 1
    const yes = Math.log(prior) + total()
    task.needs[index] = random() < 1 / (1 + Math.exp(no - yes)) ? 1 : 0
  }
  task.hidden = 0
  const free = Math.log(1 - p.hidden) + total()
  task.hidden = 1
  const blocked = Math.log(p.hidden) + total()
  task.hidden = random() < 1 / (1 + Math.exp(free - blocked)) ? 1 : 0
  const priorsOfKind = [p.noisy, (1 - p.noisy) * p.base, (1 - p.noisy) * (1 - p.base)]
  const logs = priorsOfKind.map((prior, kind) => {
    task.kind = kind as TaskState['kind']
    return Math.log(prior) + total()
  })
  task.kind = draw(normalized(logs), random) as TaskState['kind']
}

interface Known {
  readonly tasks: readonly TaskState[]
  readonly kinds: Uint8Array
  /** Of each edit, whether there is an attempt with it that counts. */
  readonly tried: readonly boolean[]
}

function updateParameters(p: Parameters, { tasks, kinds, tried }: Known): void {
  // Edits that were never tried would only echo what is assumed of them.
  let [helpful, all] = [0, 0]
  for (const [edit, kind] of kinds.entries()) {
    if (tried[edit] !== true) continue
    all += 1
    if (kind === right) helpful += 1
  }
  p.share = (priors.right + helpful) / (priors.right + priors.other + all)
  let [needs, pairs, hidden, noisy] = [0, 0, 0, 0]
  const open = { pass: priors.base.pass, fail: priors.base.fail }
  const full = { pass: priors.ceiling.pass, fail: priors.ceiling.fail }
  for (const task of tasks) {
    hidden += task.hidden
    if (task.kind === 0) noisy += 1
    for (let index = 0; index < task.needs.length; index++) {
      needs += task.needs[index] ?? 0
      pairs += 1
    }
    for (const { score, present } of task.observations) {
      let unmet = task.hidden === 1
      let isHarmed = false
      for (let index = 0; index < task.causes.length; index++) {
        let served = false
        for (const edit of present[index] ?? []) {
          if (kinds[edit] === right) served = true
          else if (kinds[edit] === harmful) isHarmed = true
        }
        if (!served && task.needs[index] === 1) unmet = true
      }
      if (isHarmed || task.kind === 1) continue
      if (!unmet && task.kind === 0) {
        full.pass += score
        full.fail += 1 - score
      }
      if (unmet && task.kind === 0) {
        open.pass += score
        open.fail += 1 - score
      }
    }
  }
  p.needed = (priors.needed.yes + needs) / (priors.needed.yes + priors.needed.no + pairs)
  p.hidden = (priors.hidden.yes + hidden) / (priors.hidden.yes + priors.hidden.no + tasks.length)
  p.noisy = (priors.noisy.yes + noisy) / (priors.noisy.yes + priors.noisy.no + tasks.length)
  p.base = Math.min(0.6, open.pass / (open.pass + open.fail))
  p.ceiling = Math.min(0.98, Math.max(p.base + 0.1, full.pass / (full.pass + full.fail)))
  p.logs = tabulate(p.base, p.ceiling)
}

function normalized(logs: readonly number[]): number[] {
  const highest = Math.max(...logs)
  const weights = logs.map(log => Math.exp(log - highest))
  const sum = weights.reduce((total, weight) => total + weight, 0)
  return weights.map(weight => weight / sum)
}

function draw(weights: readonly number[], random: () => number): number {
  let left = random()
  for (let index = 0; index < weights.length - 1; index++) {
    left -= weights[index] ?? 0
    if (left < 0) return index
  }
  return weights.length - 1
}

/** A small and fast generator (xorshift32): sampling draws some hundred thousand numbers a round. */
function createRandom(seed: number): () => number {
  let state = seed | 1
  return () => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) / 4294967296
  }
}
