import { type Marginal, solvePositiveDefinite } from './cholesky.js'
import type { Trial, TrialEdit } from './types.js'

/** An estimate from the trials alone, without a prior. */
export interface Measured {
  readonly mean: number
  readonly sd: number
}

export interface EditEstimate {
  readonly edit: string
  /** Effect on fresh tasks that the edit concerns. Tasks that it was proposed from are excluded. */
  readonly effect: Measured
  /** Effect on the tasks that the edit does not concern. */
  readonly elsewhere: Measured
  /** Effect on the tasks that the edit was proposed from. It can refute an edit but never support it. */
  readonly origin: Measured
  /** Number of attempts with the edit at fresh tasks that it concerns, and number of those tasks. */
  readonly trials: number
  readonly tasks: number
}

export interface Estimates {
  readonly byEdit: ReadonlyMap<string, EditEstimate>
  /** Joint estimate for all edits that concern all tasks, from the trials alone, without a prior. */
  readonly everywhere: Marginal
}

export interface Estimated {
  /** Edits for some tasks whose effects are wanted. */
  readonly local: readonly TrialEdit[]
  /** Edits for all tasks. */
  readonly global: readonly TrialEdit[]
}

const unknown: Measured = { mean: 0, sd: 1 }

/** Prior standard deviations of the regression, as shares of the maximum score. */
const priors = { effect: 0.5, elsewhere: 0.15, origin: 0.5, baseline: 0.35 }

/**
 * Estimates the effects of all edits at once with a linear mixed model: every attempt is evidence for each
 * edit, whether it includes the edit or not. Each task has a random baseline, and so has each slot, so that
 * an easy topic is not mistaken for a good edit. All other edits are in the model too, because they affect
 * the attempts that include them.
 */
export function estimateEffects(
  trials: readonly Trial[],
  edits: readonly TrialEdit[],
  asked: Estimated,
): Estimates {
  const columns = createColumns(trials, edits, asked)
  const { size } = columns
  const noise = noiseOf(trials)
  const matrix = new Float64Array(size * size)
  const right = new Float64Array(size)
  for (const [column, deviation] of columns.deviations.entries())
    matrix[column * size + column] = 1 / deviation ** 2

  for (const [task, attempts] of groupByTask(trials)) {
    const total = new Float64Array(size)
    const touched = new Set<number>()
    let scores = 0
    for (const trial of attempts) {
      const active = columns.of(task, trial.edits)
      for (const row of active) {
        right[row] = (right[row] ?? 0) + trial.score / noise.within
        total[row] = (total[row] ?? 0) + 1
        touched.add(row)
        for (const column of active)
          matrix[row * size + column] = (matrix[row * size + column] ?? 0) + 1 / noise.within
      }
      scores += trial.score
    }
    // The task's random baseline is integrated out.
    const shared = noise.between / (noise.within * (noise.within + attempts.length * noise.between))
    const rows = [...touched]
    for (const row of rows) {
      const weight = shared * (total[row] ?? 0)
      right[row] = (right[row] ?? 0) - weight * scores
      for (const column of rows)
        matrix[row * size + column] = (matrix[row * size + column] ?? 0) - weight * (total[column] ?? 0)
    }
  }

  const { local, global } = asked
  const wanted = 3 * local.length + global.length
  const { solution, covariance, marginal } = solvePositiveDefinite(matrix, right, wanted)
  const measured = (column: number): Measured => {
    const deviation = columns.deviations[column] ?? 1
    const variance = covariance(column, column)
    // Divides out the prior, so that the estimate rests on the trials alone.
    const information = Math.max(1e-6, 1 / variance - 1 / deviation ** 2)
    return { mean: (solution[column] ?? 0) / variance / information, sd: Math.sqrt(1 / information) }
  }
  const counts = countTrials(trials, [...local, ...global])
  const none = { trials: 0, tasks: 0 }
  const byEdit = new Map<string, EditEstimate>()
  for (const [index, { edit }] of local.entries()) {
    const first = size - wanted + 3 * index
    const [origin, elsewhere, effect] = [measured(first), measured(first + 1), measured(first + 2)]
    byEdit.set(edit.id, { edit: edit.id, origin, elsewhere, effect, ...(counts.get(edit.id) ?? none) })
  }
  for (const [index, { edit }] of global.entries()) {
    const effect = measured(size - global.length + index)
    const rest = { origin: unknown, elsewhere: unknown }
    byEdit.set(edit.id, { edit: edit.id, effect, ...rest, ...(counts.get(edit.id) ?? none) })
  }
  const everywhere = marginal(global.length)
  for (let index = 0; index < global.length; index++) {
    const at = index * global.length + index
    everywhere.precision[at] = Math.max(1e-6, (everywhere.precision[at] ?? 0) - 1 / priors.effect ** 2)
  }
  return { byEdit, everywhere }
}

interface Columns {
  readonly size: number
  readonly deviations: readonly number[]
  of(task: string, edits: readonly string[]): readonly number[]
}

/**
 * Builds the columns of the regression: the intercept, the nuisance terms, three for each edit for some
 * tasks, and finally one for each edit for all tasks. The last leave out attempts at the few tasks that the
 * edit was proposed from.
 */
function createColumns(
  trials: readonly Trial[],
  edits: readonly TrialEdit[],
  { local, global }: Estimated,
): Columns {
  const used = new Set(trials.flatMap(trial => trial.edits))
  const isAsked = new Set([...local, ...global].map(({ edit }) => edit.id))
  const others = edits.filter(({ edit }) => used.has(edit.id) && !isAsked.has(edit.id))
  const slots = [...new Map(local.map(one => [one.slot, one.concerned])).values()]
  const deviations = [10, ...slots.map(() => priors.baseline)]
  const otherColumns = new Map<string, { concerned: number; edit: TrialEdit }>()
  for (const edit of others) {
    otherColumns.set(edit.edit.id, { concerned: deviations.length, edit })
    deviations.push(priors.effect)
  }
  const askedColumns = new Map<string, { first: number; edit: TrialEdit; origin: ReadonlySet<string> }>()
  for (const edit of local) {
    askedColumns.set(edit.edit.id, { first: deviations.length, edit, origin: new Set(edit.edit.tasks) })
    deviations.push(priors.origin, priors.elsewhere, priors.effect)
  }
  const globalColumns = new Map<string, { column: number; origin: ReadonlySet<string> }>()
  for (const { edit } of global) {
    globalColumns.set(edit.id, { column: deviations.length, origin: new Set(edit.tasks) })
    deviations.push(priors.effect)
  }
  return {
    size: deviations.length,
    deviations,
    of(task, active) {
      const columns = [0]
      slots.forEach((concerned, index) => {
        if (concerned.has(task)) columns.push(index + 1)
      })
      for (const id of active) {
        const own = askedColumns.get(id)
        if (own !== undefined) {
          const offset = own.origin.has(task) ? 0 : own.edit.concerned.has(task) ? 2 : 1
          columns.push(own.first + offset)
          continue
        }
        const everywhere = globalColumns.get(id)
        if (everywhere !== undefined && !everywhere.origin.has(task)) columns.push(everywhere.column)
        const other = otherColumns.get(id)
        if (other === undefined) continue
        const isNear = other.edit.concerned.has(task) || other.edit.edit.tasks.includes(task)
        if (isNear) columns.push(other.concerned)
      }
      return columns
    },
  }
}

function groupByTask(trials: readonly Trial[]): ReadonlyMap<string, readonly Trial[]> {
  const groups = new Map<string, Trial[]>()
  for (const trial of trials) {
    const group = groups.get(trial.task)
    if (group === undefined) groups.set(trial.task, [trial])
    else group.push(trial)
  }
  return groups
}

export interface Noise {
  readonly mean: number
  readonly within: number
  readonly between: number
}

/** Variance within and between tasks, estimated from the correlation of repeated attempts at a task. */
export function noiseOf(trials: readonly Trial[]): Noise {
  const mean = trials.reduce((sum, { score }) => sum + score, 0) / Math.max(1, trials.length)
  let squares = 0
  let products = 0
  let pairs = 0
  for (const group of groupByTask(trials).values()) {
    let sum = 0
    let own = 0
    for (const { score } of group) {
      sum += score - mean
      own += (score - mean) ** 2
    }
    squares += own
    products += (sum * sum - own) / 2
    pairs += (group.length * (group.length - 1)) / 2
  }
  const variance = Math.max(0.06, squares / Math.max(1, trials.length))
  // A few pairs say little, so eight pseudo-pairs with a correlation of 0.3 are added.
  const correlation = (products + 8 * 0.3 * variance) / ((pairs + 8) * variance)
  const share = Math.min(0.75, Math.max(0.1, correlation))
  return { mean, within: variance * (1 - share), between: variance * share }
}

function countTrials(trials: readonly Trial[], asked: readonly TrialEdit[]) {
  const counts = new Map(asked.map(({ edit }) => [edit.id, { trials: 0, seen: new Set<string>() }]))
  const byId = new Map(asked.map(one => [one.edit.id, one]))
  for (const { task, edits } of trials) {
    for (const id of edits) {
      const one = byId.get(id)
      const count = counts.get(id)
      if (one === undefined || count === undefined) continue
      if (!one.concerned.has(task) || one.edit.tasks.includes(task)) continue
      count.trials += 1
      count.seen.add(task)
    }
  }
  return new Map([...counts].map(([id, { trials, seen }]) => [id, { trials, tasks: seen.size }]))
}
