import { normalCdf, normalQuantile } from './intervals.js'
import { hashSeed } from './random.js'
import { randomStream } from './repeats.js'

/**
 * A sequential sign-flip test of "the candidate is better" over tasks that run several times under both
 * skills. The mean difference of a task is one observation, however often the task ran.
 * If the skills are equal, all differences of a task could as well have the opposite sign, whether the target
 * is deterministic, pure noise, or anything between. So the sum of the task means is compared with its values
 * under random sign flips of whole tasks.
 */
export interface TaskDifference {
  readonly task: string
  /** Score under the candidate minus score under the current skill. */
  readonly difference: number
}

export interface SignFlipSettings {
  /** Number of tasks, and maximum passes over them under both skills. */
  readonly tasks: number
  readonly passes: number
  /**
   * False-positive rate over all interim analyses together: the share of candidates that change nothing and
   * are found better.
   */
  readonly alpha: number
}

/** Result so far. `continue` asks for more pairs; `undecided` means that more pairs would not help. */
export type SignFlipResult = 'better' | 'undecided' | 'hopeless' | 'continue'

export interface SignFlipTest {
  /** Adds the next pair. A final result does not change with later pairs. */
  add(pair: TaskDifference): SignFlipResult
  /** The result when there are no more pairs. */
  finish(): SignFlipResult
  /**
   * One-sided p-value at the latest analysis: the probability that equal skills are found better at an
   * earlier analysis, or do at least this well at this one. Valid although the test may stop early.
   */
  pValue(): number
}

const flips = 1999
const firstLook = 10
/** Minimum number of pairs between two analyses. Later, a tenth of the pairs so far if that is more. */
const lookEvery = 5
/** Alpha-spending exponent: early analyses get less of alpha than their share of the information. */
const spendingPower = 1.5
/** Tasks are not repeated further once repeats can raise the information by at most this share. */
const negligible = 0.05
/** The test gives up if the probability of finding the candidate better is below this. */
const hopeless = 0.02
/** The test does not give up before this many pairs. */
const leastToGiveUp = 15
/** Lower bound on the variance when deciding to give up, because few tasks estimate it poorly. */
const leastVariance = 0.05
const roundingNoise = 1e-9

export function createSignFlipTest(settings: SignFlipSettings): SignFlipTest {
  const means = new TaskMeans(settings)
  const sums = new FlippedSums()
  let pairs = 0
  let nextLook = firstLook
  let spent = 0
  let result: SignFlipResult = 'continue'
  return {
    add({ task, difference }) {
      if (result !== 'continue') return result
      sums.add(task, means.add(task, difference))
      pairs += 1
      if (pairs >= nextLook) result = look(false)
      return result
    },
    finish() {
      if (result === 'continue') result = look(true)
      return result
    },
    pValue: () => sums.pValue,
  }

  function look(isLast: boolean): SignFlipResult {
    nextLook = pairs + Math.max(lookEvery, Math.floor(pairs / 10))
    // The spending of alpha may use the sizes of the differences but not their signs; otherwise the
    // false-positive rate would not hold.
    const isFinal = isLast || means.repeatsAreUseless()
    spent = Math.max(spent, isFinal ? 1 : means.information() ** spendingPower)
    if (sums.exceeds(settings.alpha * spent)) return 'better'
    if (isFinal) return 'undecided'
    // Giving up never finds a candidate better, so this decision may use the signs.
    return pairs >= leastToGiveUp && means.probabilityOfSuccess() < hopeless ? 'hopeless' : 'continue'
  }
}

interface Task {
  count: number
  sum: number
  squares: number
}

/** Mean difference of each task, and how much of the means' variance is noise that repeats would remove. */
class TaskMeans {
  readonly #tasks = new Map<string, Task>()

  constructor(readonly settings: SignFlipSettings) {}

  /** Adds a difference and returns the change of the task's mean. */
  add(name: string, difference: number): number {
    const task = this.#tasks.get(name) ?? { count: 0, sum: 0, squares: 0 }
    this.#tasks.set(name, task)
    const before = meanOf(task)
    task.count += 1
    task.sum += difference
    task.squares += difference ** 2
    return meanOf(task) - before
  }

  /** Information so far, as a share of the information from all passes over all tasks. */
  information(): number {
    const { now, end } = this.#squares()
    const share =
      now > roundingNoise ? Math.max(end / now, 1 / this.settings.passes) : 1 / this.settings.passes
    return Math.min(1, (this.#tasks.size / this.settings.tasks) * share)
  }

  /** Whether all tasks ran and vary so little that running them again would change almost nothing. */
  repeatsAreUseless(): boolean {
    const isComplete = this.#tasks.size === this.settings.tasks
    if (!isComplete || ![...this.#tasks.values()].some(({ count }) => count > 1)) return false
    const { now, end } = this.#squares()
    return end >= (1 - negligible) * now
  }

  /** Probability that the candidate is found better at the end, if the true mean is the one observed. */
  probabilityOfSuccess(): number {
    const { tasks, alpha } = this.settings
    const seen = this.#tasks.size
    const { now, end } = this.#squares()
    const mean = [...this.#tasks.values()].reduce((sum, task) => sum + meanOf(task), 0) / seen
    const varianceNow = Math.max(now / seen, leastVariance) / seen
    const varianceAtEnd = Math.max(end / seen, roundingNoise) / tasks
    // Assumes that a fifth of alpha is spent before the last analysis.
    const needed = normalQuantile(1 - 0.8 * alpha) * Math.sqrt(varianceAtEnd)
    const change = Math.sqrt(Math.max(varianceNow - varianceAtEnd, roundingNoise))
    return normalCdf((mean - needed) / change)
  }

  /** Sum of the squared task means: as it is now, and as expected after all passes. */
  #squares(): { readonly now: number; readonly end: number } {
    const noise = this.#noise()
    let now = 0
    let removable = 0
    for (const task of this.#tasks.values()) {
      now += meanOf(task) ** 2
      removable += noise * (1 / task.count - 1 / this.settings.passes)
    }
    return { now, end: Math.max(0, now - removable) }
  }

  /** Variance between repeats of a task. One pseudo-repeat of pure noise is added. */
  #noise(): number {
    let within = 0
    let repeats = 0
    let total = 0
    for (const task of this.#tasks.values()) {
      within += Math.max(0, task.squares - task.count * meanOf(task) ** 2)
      repeats += task.count - 1
      total += task.squares / task.count
    }
    const most = total / Math.max(1, this.#tasks.size)
    return Math.min(most, (within + most) / (repeats + 1))
  }
}

const meanOf = ({ count, sum }: Task): number => (count === 0 ? 0 : sum / count)

/** The actual sum of the task means, and its values under random sign flips. */
class FlippedSums {
  pValue = 1
  #actual = 0
  readonly #flipped = new Float64Array(flips)
  /** The flips under which an earlier analysis would have found the candidate better. */
  readonly #exceeded = new Uint8Array(flips)
  #exceededCount = 0

  readonly #signs = new Map<string, Int8Array>()

  add(task: string, change: number): void {
    if (change === 0) return
    const signs = this.#signsOf(task)
    this.#actual += change
    for (let flip = 0; flip < flips; flip += 1)
      this.#flipped[flip] = (this.#flipped[flip] ?? 0) + change * (signs[flip] ?? 0)
  }

  /**
   * Whether the actual sum is so high that at most a share `alpha` of all flips has been found better by now.
   */
  exceeds(alpha: number): boolean {
    const left = this.#flipped.filter((sum, flip) => sum > roundingNoise && this.#exceeded[flip] === 0).sort()
    const allowed = Math.floor(alpha * (flips + 1) + roundingNoise) - this.#exceededCount
    const higher = left.length - firstAtLeast(left, this.#actual - roundingNoise)
    // The actual signs count as one of the flips, which makes the level exact.
    this.pValue = this.#actual > roundingNoise ? (this.#exceededCount + higher + 1) / (flips + 1) : 1
    if (this.#actual > roundingNoise && higher + 1 <= allowed) return true
    const limit = criticalValue(left, allowed)
    for (let flip = 0; flip < flips; flip += 1) {
      if (this.#exceeded[flip] === 1 || (this.#flipped[flip] ?? 0) < limit) continue
      this.#exceeded[flip] = 1
      this.#exceededCount += 1
    }
    return false
  }

  /** Random signs that depend only on the task's name. */
  #signsOf(task: string): Int8Array {
    const known = this.#signs.get(task)
    if (known !== undefined) return known
    const random = randomStream(hashSeed(task))
    const signs = Int8Array.from({ length: flips }, () => (random() < 0.5 ? -1 : 1))
    this.#signs.set(task, signs)
    return signs
  }
}

/** A value that at most `allowed` of the sorted positive values reach. */
function criticalValue(sorted: Float64Array, allowed: number): number {
  if (allowed <= 0) return Number.POSITIVE_INFINITY
  const excluded = sorted[sorted.length - allowed - 1] ?? 0
  return excluded + roundingNoise
}

function firstAtLeast(sorted: Float64Array, value: number): number {
  let [low, high] = [0, sorted.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((sorted[middle] ?? 0) >= value) high = middle
    else low = middle + 1
  }
  return low
}

/** The final test repeats a small split until it has about this many pairs. */
const enoughPairs = 120

/** Maximum passes of a training's final test over the validation tasks under both skills. */
export function finalPasses(tasks: number): number {
  return Math.max(1, Math.min(6, Math.ceil(enoughPairs / Math.max(1, tasks))))
}
