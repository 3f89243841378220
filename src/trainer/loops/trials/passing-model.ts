import { areAlike, causeOf } from './pool.js'
import type { Trial, TrialEdit } from './types.js'

/**
 * Model of passing: a task passes only if the skill has a remedy for every cause that the task has. The
 * unknowns are which edits are right, which causes each task has, and how noisy each task is.
 */

export const editKinds = { none: 0, right: 1, harmful: 2 } as const
export type EditKind = (typeof editKinds)[keyof typeof editKinds]

/** 0: the result varies. 1: the task always passes. 2: it fails unless the skill meets all its needs. */
export type TaskKind = 0 | 1 | 2

export interface Observation {
  readonly score: number
  /** Expected effect on the score of the skill's edits for all tasks. */
  readonly offset: number
  /** Number of right edits in the skill for each cause of the task. */
  readonly served: Uint8Array
  /** Number of harmful edits in the skill that target one of the task's causes. */
  harms: number
}

export interface TaskState {
  readonly causes: readonly number[]
  readonly observations: readonly Observation[]
  readonly needs: Uint8Array
  /** Whether an edit was proposed from this task, for each cause. */
  readonly isOrigin: readonly boolean[]
  hidden: 0 | 1
  kind: TaskKind
}

/** A task that an edit may affect, with its attempts with and without the edit. */
export interface Use {
  readonly task: TaskState
  /** Index of the edit's cause among those of the task. */
  readonly cause: number
  readonly isOrigin: boolean
  readonly with: readonly Observation[]
  readonly without: readonly Observation[]
}

export interface Rates {
  /** Probabilities of passing: `base` with a need unmet, `ceiling` with all needs met. */
  readonly base: number
  readonly ceiling: number
}

/** Share of the probability of passing that a harmful edit takes away. */
const harm = 0.7
const certain = 0.96
const mostHarms = 7

/** Log likelihood of an attempt's score, with this many harmful edits in the skill. */
export type LogLikelihood = (observation: Observation, rate: number, harms: number) => number

/** Index of the pass rate that applies to an attempt. */
export function rateOf(kind: TaskKind, isUnmet: boolean): number {
  return 2 * kind + (isUnmet ? 0 : 1)
}

export function createLikelihood({ base, ceiling }: Rates): LogLikelihood {
  const rates = [base, ceiling, certain, certain, 1 - certain, certain]
  const tables = Array.from({ length: mostHarms + 1 }, (_, harms) => {
    const passing = rates.map(rate => Math.max(0.02, Math.min(0.98, rate * (1 - harm) ** harms)))
    return { passing, pass: passing.map(Math.log), fail: passing.map(rate => Math.log(1 - rate)) }
  })
  // Caches results: each sweep asks for the same few values again, and logarithms would take most of the
  // time.
  const known = new Map<Observation, Float64Array>()
  const calculate = ({ score, offset }: Observation, rate: number, harms: number): number => {
    const own = tables[harms]
    const probability = Math.max(0.02, Math.min(0.98, (own?.passing[rate] ?? 0.5) + offset))
    return score * Math.log(probability) + (1 - score) * Math.log(1 - probability)
  }
  return (observation, rate, allHarms) => {
    const { score, offset } = observation
    const harms = Math.min(mostHarms, allHarms)
    if (offset === 0) {
      const own = tables[harms]
      return score * (own?.pass[rate] ?? 0) + (1 - score) * (own?.fail[rate] ?? 0)
    }
    let own = known.get(observation)
    if (own === undefined) {
      own = new Float64Array(rates.length * (mostHarms + 1)).fill(Number.NaN)
      known.set(observation, own)
    }
    const at = harms * rates.length + rate
    const found = own[at] ?? Number.NaN
    if (!Number.isNaN(found)) return found
    const value = calculate(observation, rate, harms)
    own[at] = value
    return value
  }
}

/** Whether an attempt's skill leaves a need of the task unmet, ignoring the cause `except`. */
export function isUnmet({ hidden, needs }: TaskState, { served }: Observation, except = -1): boolean {
  if (hidden === 1) return true
  for (let cause = 0; cause < needs.length; cause++)
    if (cause !== except && needs[cause] === 1 && served[cause] === 0) return true
  return false
}

export interface PassingModel {
  readonly tasks: readonly TaskState[]
  /** Tasks that each edit was tried on. */
  readonly uses: readonly (readonly Use[])[]
}

export function createModel(
  trials: readonly Trial[],
  edits: readonly TrialEdit[],
  offset: (trial: Trial) => number,
): PassingModel {
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
  const seen: { readonly observation: Observation; readonly present: readonly (readonly number[])[] }[][] =
    names.map(() => [])
  for (const trial of trials) {
    const task = taskIndex.get(trial.task)
    if (task === undefined) continue
    const own = [...(concerned[task]?.keys() ?? [])]
    const inSkill = effective(
      trial.edits.flatMap(id => indexOf.get(id) ?? []),
      edits,
    )
    const present = own.map(cause => inSkill.filter(index => causeOfEdit[index] === cause))
    const observation = {
      score: trial.score,
      offset: offset(trial),
      served: new Uint8Array(own.length),
      harms: 0,
    }
    seen[task]?.push({ observation, present })
  }
  const tasks = names.map((_, index): TaskState => {
    const own = [...(concerned[index]?.entries() ?? [])]
    const attempts = seen[index] ?? []
    // Sampling starts from the simplest explanation: a task that passed without a remedy for a cause does not
    // have that cause.
    const isNeeded = (at: number) =>
      !attempts.some(({ observation, present }) => observation.score > 0.5 && present[at]?.length === 0)
    return {
      causes: own.map(([cause]) => cause),
      observations: attempts.map(({ observation }) => observation),
      needs: Uint8Array.from(own, (__, at) => (isNeeded(at) ? 1 : 0)),
      isOrigin: own.map(([, isOrigin]) => isOrigin),
      hidden: 0,
      kind: 0,
    }
  })
  const uses = edits.map((_, edit): Use[] =>
    [...(places[edit]?.entries() ?? [])].flatMap(([index, isOrigin]) => {
      const task = tasks[index]
      const cause = task?.causes.indexOf(causeOfEdit[edit] ?? 0) ?? -1
      if (task === undefined || cause < 0) return []
      const attempts = seen[index] ?? []
      const having = attempts.filter(({ present }) => present[cause]?.includes(edit) === true)
      const others = attempts.filter(one => !having.includes(one))
      if (having.length === 0) return []
      return [
        {
          task,
          cause,
          isOrigin,
          with: having.map(({ observation }) => observation),
          without: others.map(({ observation }) => observation),
        },
      ]
    }),
  )
  return { tasks, uses }
}

/**
 * Numbers the causes. Optimizers may reuse a name for different causes, so edits share a cause only if they
 * have the same name and concern about the same tasks.
 */
function groupByCause(edits: readonly TrialEdit[]): number[] {
  const groups: { readonly name: string; readonly concerned: ReadonlySet<string> }[] = []
  return edits.map(({ edit, concerned }) => {
    const name = causeOf(edit)
    const known = groups.findIndex(one => one.name === name && areAlike(one.concerned, concerned))
    return known >= 0 ? known : groups.push({ name, concerned }) - 1
  })
}

/** Edits whose text is not overwritten by a later edit of the skill. */
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
