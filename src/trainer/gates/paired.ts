import type { Gate, GateFactory, Seen, Side, Verdict, Wanted } from '../../core/ports/gate.js'
import type { Interval } from '../../core/statistics/intervals.js'
import {
  expectedScore,
  fitNoise,
  permutationPValue,
  poissonBinomialPmf,
  weightedTailProbability,
} from '../../core/statistics/noise-model.js'
import { seededShuffle } from '../../core/statistics/random.js'
import { abstainReason, missingAttempts, scoreOfAttempt } from '../../core/task/metric.js'
import { chanceText, plural } from '../../core/text/format.js'

/**
 * Accepts only gains that noise does not explain. The p-value is the probability that a candidate that
 * changed nothing scores this high. The target's noise is estimated from the current skill, which runs part
 * of its tasks twice.
 * Tasks that the current skill fails come first, since only they can gain; a candidate that gains nothing
 * there ends early. If the result depends on few tasks, they are rerun under both skills.
 */

/**
 * Interim analyses: the share of the solved tasks after which the gate may accept, and the part of alpha
 * spent there. The parts add up to more than one because the analyses share data: this is the O'Brien-Fleming
 * boundary.
 */
const looks = [
  { share: 0.25, part: 0.03 },
  { share: 0.5, part: 0.15 },
  { share: 0.75, part: 0.3 },
  { share: 1, part: 0.5 },
] as const
const repeatAlphaShare = 0.3
/** The gate gives up below this likelihood ratio of a worthwhile gain against no change. */
const minLikelihoodRatio = 0.05
/** The gate gives up if a candidate with that gain would be accepted less often than this. */
const minAcceptProbability = 0.2
/** Candidate attempts per request. Fixed, because a verdict must not depend on how many calls run at once. */
const chunk = 8
/** Fresh attempts per task and skill, when the result depends on few tasks. */
const repeats = 4

type Answer = ReturnType<Gate['next']>
type PartialVerdict = Omit<Verdict, 'complete' | 'effect'>

export const createGate: GateFactory = ({ tasks, score, settings }): Gate => {
  const shuffled = seededShuffle(tasks, 1)
  const probed = shuffled.slice(0, Math.max(40, Math.ceil(0.4 * tasks.length)))
  const ask = (side: Side, ids: readonly string[], sample: number): Wanted[] =>
    ids.map(task => ({ side, task, sample }))
  return {
    id: 'paired',
    score,
    next(seen) {
      const known = missingAttempts(seen, [...ask('current', tasks, 0), ...ask('current', probed, 1)])
      if (known.length > 0) return { run: known }
      const evidence = new Evidence(seen, { order: shuffled, score, smallestGain: settings.smallestGain })
      const end = (verdict: PartialVerdict) => abstainIfUnfair(evidence, seen, verdict)

      if (evidence.isFutile()) {
        return end({
          decision: 'reject',
          reason: `A gain of ${points(evidence.targetGain)} is ruled out: ${evidence.figures()}.`,
        })
      }
      const failing = missingAttempts(seen, ask('candidate', evidence.failing, 0))
      if (failing.length > 0) return { run: failing.slice(0, chunk) }

      const solved = missingAttempts(seen, ask('candidate', evidence.solved, 0))
      const seenShare = evidence.solved.length === 0 ? 1 : 1 - solved.length / evidence.solved.length
      const look = looks.findLast(({ share }) => seenShare >= share)
      if (look !== undefined && evidence.gain() > 0) {
        const chance = evidence.pValue()
        if (chance <= look.part * settings.falseAccepts) {
          const reason = `If the edit did nothing, a result this good would occur ${chanceText(chance)} of the time: ${evidence.figures()}.`
          return end({ decision: 'accept', reason })
        }
      }
      if (solved.length > 0) {
        const next = looks.find(({ share }) => share > seenShare)?.share ?? 1
        const until = Math.max(
          1,
          Math.ceil(next * evidence.solved.length) - (evidence.solved.length - solved.length),
        )
        return { run: solved.slice(0, Math.min(until, Math.max(chunk, Math.ceil(tasks.length / 8)))) }
      }
      return decideAfterAllTasks(evidence, seen, end)
    },
  }

  /** Decides after every task ran once. A few changed tasks are rerun; many are mostly noise. */
  function decideAfterAllTasks(
    evidence: Evidence,
    seen: readonly Seen[],
    end: (verdict: PartialVerdict) => Answer,
  ): Answer {
    const { changed } = evidence
    const affordable = 2 * repeats * changed.length <= Math.max(24, tasks.length)
    if (evidence.gain() > 0 && changed.length > 0 && affordable) {
      const fresh = Array.from({ length: repeats }, (_, index) => index + 2).flatMap(sample => [
        ...ask('current', changed, sample),
        ...ask('candidate', changed, sample),
      ])
      const missing = missingAttempts(seen, fresh)
      if (missing.length > 0) return { run: missing }
      const chance = evidence.repeatPValue(repeats)
      const again = `the ${plural(changed.length, 'changed task')} ran ${repeats} more times under both skills; by chance, a result this good would occur ${chanceText(chance)} of the time; ${evidence.figures()}`
      if (chance <= repeatAlphaShare * settings.falseAccepts)
        return end({ decision: 'accept', reason: `Confirmed: ${again}.` })
      return end({ decision: 'reject', reason: `Not confirmed: ${again}.` })
    }
    if (evidence.interval().high < settings.smallestGain || evidence.gain() <= 0)
      return end({
        decision: 'reject',
        reason: `No gain beyond noise: ${evidence.figures()}.`,
      })
    return end({
      decision: 'underpowered',
      reason: `${tasks.length} tasks are too few to tell with this noise: ${evidence.figures()}.`,
    })
  }

  /** Abstains if external failures hit one side more than the other, even if there is a verdict. */
  function abstainIfUnfair(evidence: Evidence, seen: readonly Seen[], verdict: PartialVerdict): Answer {
    const unpaired = missingAttempts(seen, ask('candidate', evidence.unscored, 0))
    if (verdict.decision === 'accept' && unpaired.length > 0) return { run: unpaired }
    const complete = missingAttempts(seen, ask('candidate', tasks, 0)).length === 0
    const abstain = abstainReason(seen)
    if (abstain !== undefined) return { decision: 'abstain', complete, reason: abstain }
    return { ...verdict, complete, effect: evidence.interval() }
  }
}

/** The candidate's results by task, compared with the results expected under the current skill. */
class Evidence {
  readonly failing: readonly string[]
  readonly solved: readonly string[]
  /**
   * Tasks that failed for external reasons under the current skill. They only help to detect that one side
   * has more external failures than the other.
   */
  readonly unscored: readonly string[]
  /** Tasks whose first attempts differ. */
  readonly changed: readonly string[]
  /** The gain that the gate tests for: large enough to be worthwhile and detectable. */
  readonly targetGain: number
  readonly #expected: ReadonlyMap<string, number>
  readonly #candidate: ReadonlyMap<string, number>
  readonly #fresh: { readonly current: Map<string, number>; readonly candidate: Map<string, number> }
  /** Tasks with an external failure among their fresh attempts, which makes the sides incomparable. */
  readonly #lost: ReadonlySet<string>

  constructor(
    seen: readonly Seen[],
    {
      order,
      score,
      smallestGain,
    }: { readonly order: readonly string[]; readonly score: Gate['score']; readonly smallestGain: number },
  ) {
    const current = new Map<string, number[]>()
    const candidate = new Map<string, number>()
    const fresh = { current: new Map<string, number>(), candidate: new Map<string, number>() }
    const lost = new Set<string>()
    for (const { side, row } of seen) {
      const value = scoreOfAttempt(row, score)
      if (value === undefined) {
        if (row.sample > 1) lost.add(row.task)
        continue
      }
      if (row.sample > 1) fresh[side].set(row.task, (fresh[side].get(row.task) ?? 0) + Math.round(value))
      else if (side === 'candidate') candidate.set(row.task, value)
      else current.set(row.task, [...(current.get(row.task) ?? []), value])
    }
    const noise = fitNoise([...current.values()])
    const known = order.filter(task => current.has(task))
    this.unscored = order.filter(task => !current.has(task))
    const mean = (task: string) => meanOf(current.get(task) ?? [])
    this.#expected = new Map(known.map(task => [task, expectedScore(noise, current.get(task) ?? [])]))
    this.#candidate = candidate
    this.#fresh = fresh
    this.#lost = lost
    this.failing = known.filter(task => mean(task) < 0.5)
    this.solved = known.filter(task => mean(task) >= 0.5)
    this.changed = known.filter(task => {
      const value = candidate.get(task)
      return value !== undefined && Math.abs(value - (current.get(task)?.[0] ?? 0)) >= 0.5
    })
    const deviation = Math.sqrt(sumOf(known, task => variance(this.#expectation(task))))
    this.targetGain = Math.max(smallestGain, (1.9 * deviation) / Math.max(1, known.length))
  }

  #expectation(task: string): number {
    return this.#expected.get(task) ?? 0.5
  }

  #seen(tasks: readonly string[]): readonly string[] {
    return tasks.filter(task => this.#candidate.has(task))
  }

  #surplus(task: string): number {
    return (this.#candidate.get(task) ?? 0) - this.#expectation(task)
  }

  /** Factor from the seen tasks to all of these tasks: unseen tasks are assumed to behave like seen ones. */
  #weight(tasks: readonly string[]): number {
    return tasks.length / Math.max(1, this.#seen(tasks).length)
  }

  /** Estimated mean gain over all tasks. */
  gain(): number {
    const part = (tasks: readonly string[]) =>
      this.#weight(tasks) * sumOf(this.#seen(tasks), task => this.#surplus(task))
    return (part(this.failing) + part(this.solved)) / Math.max(1, this.#expected.size)
  }

  /**
   * Whether to give up: acceptance has become improbable, or the likelihood ratio of the gain against no
   * change is too low.
   */
  isFutile(): boolean {
    const tasks = this.#seen([...this.failing, ...this.solved])
    const room = sumOf([...this.#expected.keys()], task => 1 - this.#expectation(task))
    const share = Math.min(0.9, (this.targetGain * this.#expected.size) / Math.max(room, 1e-9))
    if (this.#acceptProbability(share) < minAcceptProbability) return true
    const logarithm = sumOf(tasks, task => {
      const before = this.#expectation(task)
      const after = before + (1 - before) * share
      const value = this.#candidate.get(task) ?? 0
      return value * Math.log(after / before) + (1 - value) * Math.log((1 - after) / (1 - before))
    })
    return logarithm < Math.log(minLikelihoodRatio)
  }

  /** Probability that the final result is significant if unseen tasks gain this share of their headroom. */
  #acceptProbability(share: number): number {
    const all = [...this.#expected.keys()]
    const open = all.filter(task => !this.#candidate.has(task))
    if (open.length === 0) return 1
    const needed = 1.8 * Math.sqrt(sumOf(all, task => variance(this.#expectation(task))))
    const surplus = sumOf(this.#seen(all), task => this.#surplus(task))
    const hoped = sumOf(open, task => (1 - this.#expectation(task)) * share)
    const deviation = Math.sqrt(sumOf(open, task => variance(this.#expectation(task))))
    return normalCdf((surplus + hoped - needed) / deviation)
  }

  /** p-value: probability that a candidate that changed nothing gains at least as much on the seen tasks. */
  pValue(): number {
    const failing = this.#seen(this.failing)
    const solved = this.#seen(this.solved)
    const chances = (tasks: readonly string[]) =>
      poissonBinomialPmf(tasks.map(task => this.#expectation(task)))
    const total = (tasks: readonly string[]) => sumOf(tasks, task => this.#candidate.get(task) ?? 0)
    if (failing.length === 0)
      return weightedTailProbability(chances(solved), [1], { weight: 1, total: total(solved) })
    const weight = solved.length === 0 ? 1 : this.#weight(this.solved) / this.#weight(this.failing)
    return weightedTailProbability(chances(failing), chances(solved), {
      weight,
      total: total(failing) + weight * total(solved),
    })
  }

  repeatPValue(each: number): number {
    const whole = this.changed.filter(task => !this.#lost.has(task))
    return permutationPValue(
      whole.map(task => ({
        candidate: this.#fresh.candidate.get(task) ?? 0,
        current: this.#fresh.current.get(task) ?? 0,
        each,
      })),
    )
  }

  /** 95% confidence interval of the gain, by normal approximation. */
  interval(): Interval {
    const mean = this.gain()
    const part = (tasks: readonly string[]) =>
      this.#weight(tasks) ** 2 * sumOf(this.#seen(tasks), task => variance(this.#expectation(task)))
    const deviation = Math.sqrt(part(this.failing) + part(this.solved)) / Math.max(1, this.#expected.size)
    return { mean, low: mean - 1.96 * deviation, high: mean + 1.96 * deviation }
  }

  figures(): string {
    const { mean, low, high } = this.interval()
    const gained = (tasks: readonly string[]) => {
      const seen = this.#seen(tasks)
      return `${format(sumOf(seen, task => this.#candidate.get(task) ?? 0))} of ${seen.length}`
    }
    return `it passed ${gained(this.failing)} tasks that the current skill fails and ${gained(this.solved)} that it solves, a gain of ${points(mean)} (${points(low)} to ${points(high)})`
  }
}

/** Cumulative distribution function of the standard normal, approximated. */
function normalCdf(z: number): number {
  return 1 / (1 + Math.exp(-1.5976 * z - 0.070566 * z ** 3))
}

const variance = (chance: number): number => chance * (1 - chance)
const sumOf = <T>(items: readonly T[], value: (item: T) => number): number =>
  items.reduce((sum, item) => sum + value(item), 0)
const meanOf = (values: readonly number[]): number =>
  sumOf(values, value => value) / Math.max(1, values.length)
const format = (value: number): string => String(Math.round(value * 10) / 10)
const points = (share: number): string => `${(100 * share).toFixed(1)} points`
