import type { Gate, GateFactory, Seen, Side, Verdict, Wanted } from '../../core/ports/gate.js'
import {
  type FlippedTasks,
  gainLikelihood,
  lossLikelihood,
  signTestPValue,
} from '../../core/statistics/discordant-pairs.js'
import type { Interval } from '../../core/statistics/intervals.js'
import { permutationPValue } from '../../core/statistics/noise-model.js'
import { seededShuffle } from '../../core/statistics/random.js'
import { abstainReason, missingAttempts, scoreOfAttempt } from '../../core/task/metric.js'
import { chanceText, plural } from '../../core/text/format.js'

/**
 * Accepts candidates that are probably better and very unlikely to be harmful, with as few attempts as
 * possible. A neutral edit costs little, but harm stays in the skill, so the gate tolerates some luck and
 * almost no harm.
 * Tasks run in rounds: each round tries the same share of the failed and the solved tasks, failed ones first,
 * and each is twice as large as the one before. The gate may accept after each round, and give up at any
 * time.
 */

/** Maximum p-value of a gain after all tasks. It is smaller after earlier rounds. */
const maxPValue = 0.3
/**
 * Maximum probability that a change that costs `smallestGain` does as well as the candidate. The gate tests
 * after every round, but the count is conservative: overall it accepts fewer than 5% of such changes.
 */
const maxLossProbability = 0.065
/** Futility threshold: the gate gives up if a gain of `smallestGain` is at most this probable. */
const minGainProbability = 0.15
/**
 * Failed tasks of the first round, and attempts per request. Fixed, because a verdict must not depend on the
 * concurrency.
 */
const firstRound = 16
const chunk = 8
/** Maximum fresh attempts per task and skill, when the result depends on few tasks. */
const repeats = 4

/** Sums that differ by less than this are equal up to rounding. */
const roundingNoise = 1e-9

type Answer = ReturnType<Gate['next']>
type PartialVerdict = Omit<Verdict, 'complete' | 'effect'>

export const createGate: GateFactory = ({ tasks, score, settings }): Gate => {
  const order = seededShuffle(tasks, 1)
  const ask = (side: Side, ids: readonly string[], sample = 0): Wanted[] =>
    ids.map(task => ({ side, task, sample }))

  return {
    id: 'guarded',
    score,
    next(seen) {
      const baseline = missingAttempts(seen, ask('current', order))
      if (baseline.length > 0) return { run: baseline }
      const evidence = gatherEvidence(seen, order, score)
      const { failed, solved, pairs } = evidence
      const end = (finding: PartialVerdict) => abstainIfUnfair(evidence, seen, finding)

      if (evidence.possible <= roundingNoise)
        return end({ decision: 'reject', reason: `The score cannot rise further: ${evidence.figures}.` })
      const worthwhile = settings.smallestGain * evidence.known
      if (failed.tried + solved.tried > 0 && gainLikelihood(pairs, worthwhile) <= minGainProbability)
        return end({
          decision: 'reject',
          reason: `A gain of ${points(settings.smallestGain)} has become unlikely: ${evidence.figures}.`,
        })

      const rounds = roundsOf(failed.all.length, solved.all.length)
      if (
        rounds.some(share => isDone(failed, share) && isDone(solved, share)) &&
        evidence.gain > roundingNoise
      ) {
        const pValue = signTestPValue(pairs)
        const lossProbability = lossLikelihood(pairs, worthwhile)
        const seenShare = (failed.tried + solved.tried) / Math.max(1, evidence.known)
        if (pValue <= maxPValue * Math.sqrt(seenShare) && lossProbability <= maxLossProbability) {
          const reason = `Probably better: ${evidence.figures}. If the edit did nothing, a result this good would occur ${chanceText(pValue)} of the time; if it cost ${points(settings.smallestGain)}, ${chanceText(lossProbability)}.`
          return end({ decision: 'accept', reason })
        }
      }
      const next = nextTasks(evidence, rounds)
      return next.length > 0
        ? { run: ask('candidate', next.slice(0, chunk)) }
        : decideAfterAllTasks(evidence, seen, end)
    },
  }

  /**
   * Decides when all tasks ran and the result is unclear. If few tasks changed, they are rerun; if many did,
   * the difference is mostly noise.
   */
  function decideAfterAllTasks(
    evidence: Evidence,
    seen: readonly Seen[],
    end: (finding: PartialVerdict) => Answer,
  ): Answer {
    const { changed, gain, figures } = evidence
    if (gain <= roundingNoise)
      return end({ decision: 'reject', reason: `The score did not rise: ${figures}.` })
    if (2 * repeats * changed.length > Math.max(24, tasks.length / 2))
      return end({ decision: 'underpowered', reason: `Too few tasks to tell: ${figures}.` })
    for (let round = 1; ; round += 1) {
      const missing = missingAttempts(seen, [
        ...ask('current', changed, round),
        ...ask('candidate', changed, round),
      ])
      if (missing.length > 0) return { run: missing }
      const chance = permutationPValue(freshPasses(seen, changed, { each: round, score }))
      const again = `the ${plural(changed.length, 'changed task')} ran ${plural(round, 'more time')} under both skills; by chance, a result this good would occur ${chanceText(chance)} of the time; before, ${figures}`
      if (chance <= maxPValue / 3) return end({ decision: 'accept', reason: `Confirmed: ${again}.` })
      if (chance > 0.5 || round === repeats)
        return end({ decision: 'reject', reason: `Not confirmed: ${again}.` })
    }
  }

  /** Abstains if external failures hit one side more than the other, even if there is a verdict. */
  function abstainIfUnfair(evidence: Evidence, seen: readonly Seen[], finding: PartialVerdict): Answer {
    const unpaired = missingAttempts(seen, ask('candidate', evidence.unscored))
    if (finding.decision === 'accept' && unpaired.length > 0) return { run: unpaired }
    const complete = missingAttempts(seen, ask('candidate', tasks)).length === 0
    const abstain = abstainReason(seen)
    if (abstain !== undefined) return { decision: 'abstain', complete, reason: abstain }
    return { ...finding, complete, effect: evidence.effect }
  }
}

/** The tasks that the current skill failed, or those that it solved, in the order in which they are tried. */
interface TaskGroup {
  readonly all: readonly string[]
  readonly untried: readonly string[]
  readonly tried: number
}

interface Evidence {
  readonly failed: TaskGroup
  readonly solved: TaskGroup
  /**
   * Tasks that failed for external reasons under the current skill. They only help to detect that one side
   * has more external failures than the other.
   */
  readonly unscored: readonly string[]
  /** Number of tasks with a score under the current skill. */
  readonly known: number
  readonly pairs: FlippedTasks
  readonly changed: readonly string[]
  /** Gain in score, summed over the tried tasks; `possible` is the maximum with the untried ones. */
  readonly gain: number
  readonly possible: number
  readonly effect: Interval
  readonly figures: string
}

function gatherEvidence(seen: readonly Seen[], order: readonly string[], score: Gate['score']): Evidence {
  const current = new Map<string, number>()
  const candidate = new Map<string, number | undefined>()
  for (const { side, row } of seen) {
    if (row.sample !== 0) continue
    const value = scoreOfAttempt(row, score)
    if (side === 'candidate') candidate.set(row.task, value)
    else if (value !== undefined) current.set(row.task, value)
  }
  const kindOf = (belongs: (score: number) => boolean): TaskGroup => {
    const all = order.filter(task => belongs(current.get(task) ?? Number.NaN))
    const untried = all.filter(task => !candidate.has(task))
    return { all, untried, tried: all.length - untried.length }
  }
  const failed = kindOf(value => value < 0.5)
  const solved = kindOf(value => value >= 0.5)
  const differences = new Map<string, number>()
  for (const [task, value] of candidate) {
    const before = current.get(task)
    if (before !== undefined && value !== undefined) differences.set(task, value - before)
  }
  const changed = [...differences.keys()].filter(task => Math.abs(differences.get(task) ?? 0) > roundingNoise)
  const gained = changed.filter(task => (differences.get(task) ?? 0) > 0).length
  const pairs = {
    gained,
    lost: changed.length - gained,
    ofFailed: shareTried(failed),
    ofSolved: shareTried(solved),
  }
  const gain = sumOf([...differences.values()])
  const open = [...failed.untried, ...solved.untried]
  const mean = gain / Math.max(1, differences.size)
  // Adds one flip to the observed ones, because zero flips among few tasks do not prove zero variance.
  const margin =
    (1.96 * Math.sqrt(sumOf([...differences.values()].map(value => value ** 2)) + 1)) /
    Math.max(1, differences.size)
  return {
    failed,
    solved,
    unscored: order.filter(task => !current.has(task)),
    known: current.size,
    pairs,
    changed,
    gain,
    possible: gain + sumOf(open.map(task => 1 - (current.get(task) ?? 1))),
    effect: { mean, low: Math.max(-1, mean - margin), high: Math.min(1, mean + margin) },
    figures: `${gained} better and ${pairs.lost} worse of ${plural(differences.size, 'task')} tried, ${current.size} in all`,
  }
}

const shareTried = ({ all, tried }: TaskGroup): number => (all.length === 0 ? 1 : tried / all.length)

/** Cumulative share of failed and solved tasks after each round. It doubles, up to 1 in the last. */
function roundsOf(failed: number, solved: number): number[] {
  const first = Math.max(firstRound / Math.max(1, failed), firstRound / (1.5 * (failed + solved)))
  const rounds: number[] = []
  for (let share = first; share < 1; share *= 2) rounds.push(share)
  return [...rounds, 1]
}

/**
 * Tasks to try next. Failed tasks come first while there is no gain, because solved tasks can only reveal
 * losses.
 */
function nextTasks({ failed, solved, gain }: Evidence, rounds: readonly number[]): readonly string[] {
  for (const share of rounds) {
    const missing = upTo(failed, share)
    if (missing.length > 0) return missing
    const toCheck = gain > roundingNoise ? upTo(solved, share) : []
    if (toCheck.length > 0) return toCheck
  }
  return solved.untried
}

const countOf = ({ all }: TaskGroup, share: number): number => Math.ceil(share * all.length)
const isDone = (kind: TaskGroup, share: number): boolean => kind.tried === countOf(kind, share)
const upTo = (kind: TaskGroup, share: number): readonly string[] =>
  kind.untried.slice(0, Math.max(0, countOf(kind, share) - kind.tried))

/** Passes in the fresh attempts at each task. Tasks with an external failure are skipped. */
function freshPasses(
  seen: readonly Seen[],
  tasks: readonly string[],
  { each, score }: { readonly each: number; readonly score: Gate['score'] },
): { candidate: number; current: number; each: number }[] {
  return tasks.flatMap(task => {
    const fresh = seen.filter(({ row }) => row.task === task && row.sample > 0 && row.sample <= each)
    const passes = (side: Side) =>
      fresh.filter(one => one.side === side).map(({ row }) => scoreOfAttempt(row, score))
    const [candidate, current] = [passes('candidate'), passes('current')]
    const whole = [...candidate, ...current].every(value => value !== undefined)
    const count = (values: readonly (number | undefined)[]) =>
      sumOf(values.map(value => Math.round(value ?? 0)))
    return whole ? [{ candidate: count(candidate), current: count(current), each }] : []
  })
}

const sumOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0)
const points = (share: number): string => `${plural(Math.round(1000 * share) / 10, 'point')}`
