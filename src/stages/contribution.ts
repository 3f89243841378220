import { brokenFloors, type Floors } from '../core/floors.js'
import { listed } from '../core/format.js'
import { pairsIn, scoredPairs, scoreOfAttempt } from '../core/metric.js'
import type { Interval } from '../core/ports.js'
import { pairedDifference } from '../core/statistics.js'
import type { Row, Scores } from '../core/task.js'

type Score = (summary: Scores) => number

/** A validation task on which the accepted candidate and its parent differ, and by how much. */
export interface ChangedTask {
  readonly task: string
  readonly before: number
  readonly by: number
}

export interface Changed {
  readonly gained: readonly ChangedTask[]
  readonly lost: readonly ChangedTask[]
}

/** Sums of scores that should be equal may differ in their last bits. */
const roundingNoise = 1e-9

/** What changed most comes first, otherwise in the order of the candidate's rows. */
export function changedTasks(parent: readonly Row[], candidate: readonly Row[], score: Score): Changed {
  const pairs = compared(parent, candidate)
  const changes = pairs.flatMap(pair => {
    const [before, after] = [scoreOfAttempt(pair.current, score), scoreOfAttempt(pair.candidate, score)]
    return before === undefined || after === undefined
      ? []
      : [{ task: pair.task, before, by: after - before }]
  })
  return {
    gained: changes.filter(({ by }) => by > roundingNoise).toSorted((one, other) => other.by - one.by),
    lost: changes.filter(({ by }) => by < -roundingNoise).toSorted((one, other) => one.by - other.by),
  }
}

export interface AttributionPlan {
  readonly tasks: readonly string[]
  /** Fresh attempts per task and text. */
  readonly rounds: number
  /** Whether the skill without idle edits can be evaluated too. If not, contributions are measured and all edits stay. */
  readonly mayDrop: boolean
  /** The fewest attempts with which edits could be dropped. */
  readonly needed: number
  /** Attempts for the search; what an evaluation takes is not among them. */
  readonly room: number
}

export interface AttributionNeeds extends Changed {
  /** Texts that lack some of the edits. */
  readonly variants: number
  /** Attempts that the evaluation of what is left takes. */
  readonly evaluation: number
}

/** More would be better spent on more tasks. */
const mostRounds = 4

/**
 * Which tasks are tried, and how often, with the candidate and with each variant. To leave edits out for good, every
 * task that was gained has to be tried, or what was gained elsewhere would be lost; and attempts are set aside to
 * evaluate the result. No plan if there is nothing to share out, or if the attempts are too few for a single task.
 */
export function planAttribution(
  { gained, lost, variants, evaluation }: AttributionNeeds,
  most: number,
): AttributionPlan | undefined {
  const texts = variants + 1
  const needed = texts * gained.length + evaluation
  const mayDrop = most >= needed
  const room = mayDrop ? most - evaluation : most
  const tasks = [...gained, ...lost].slice(0, Math.floor(room / texts)).map(({ task }) => task)
  if (gained.length === 0 || tasks.length === 0) return undefined
  const rounds = Math.min(mostRounds, Math.floor(room / (texts * tasks.length)))
  return { tasks, rounds, mayDrop, needed, room }
}

/**
 * Whether fresh attempts with the candidate show at least half of what it gained. The gate saw it at its luckiest, and
 * a gain that was luck is carried by no edit. Without a single scored attempt at some task nothing is shown.
 */
export function cameAgain(whole: readonly Row[], gained: readonly ChangedTask[], score: Score): boolean {
  let [again, gain] = [0, 0]
  for (const { task, before, by } of gained) {
    const scores = whole.flatMap(row => (row.task === task ? (scoreOfAttempt(row, score) ?? []) : []))
    if (scores.length === 0) return false
    again += scores.reduce((sum, value) => sum + value, 0) / scores.length - before
    gain += by
  }
  return again >= gain / 2 - roundingNoise
}

export interface Loss {
  /** What the edits that were left out are worth, as a share of the whole validation score; none if nothing was scored. */
  readonly contribution: Interval | undefined
  /** What the tasks add up to with these edits and without them. */
  readonly whole: number
  readonly without: number
  /** Nothing was lost, and that they carry one of the tasks that were gained is ruled out. */
  readonly idle: boolean
}

/** The one-sided 95% point of the normal distribution. */
const z95 = 1.6448536269514722

/**
 * Fresh attempts with the candidate against those without some of its edits, on the same tasks. The edits are idle only
 * if the tasks that were gained show it: on average nothing is lost, and the upper limit of what may be lost after all
 * is below what one of these tasks is worth. With a target that always answers alike, no loss at all is the proof.
 */
export function lossOf(
  whole: readonly Row[],
  without: readonly Row[],
  gained: readonly ChangedTask[],
  score: Score,
  validation: number,
): Loss {
  const tasks = meansOf(whole, without, score)
  const pairs = [...tasks.values()].map(({ with: candidate, without: current }) => ({ candidate, current }))
  return {
    contribution: pairs.length === 0 ? undefined : scaled(pairedDifference(pairs), pairs.length / validation),
    whole: pairs.reduce((sum, { candidate }) => sum + candidate, 0),
    without: pairs.reduce((sum, { current }) => sum + current, 0),
    idle: isIdle(tasks, gained),
  }
}

function scaled({ mean, low, high }: Interval, by: number): Interval {
  return { mean: mean * by, low: low * by, high: high * by }
}

interface TaskMeans {
  readonly with: number
  readonly without: number
  /** The variance of the difference of the two means, if both texts were the same. */
  readonly variance: number
}

function meansOf(
  whole: readonly Row[],
  without: readonly Row[],
  score: Score,
): ReadonlyMap<string, TaskMeans> {
  const found = new Map<string, { candidate: number; current: number }[]>()
  for (const { task, candidate, current } of scoredPairs(compared(without, whole)).pairs) {
    found.set(task, [...(found.get(task) ?? []), { candidate: score(candidate), current: score(current) }])
  }
  return new Map(
    [...found].map(([task, pairs]) => {
      const mean = (of: (pair: { candidate: number; current: number }) => number) =>
        pairs.reduce((sum, pair) => sum + of(pair), 0) / pairs.length
      const squares = mean(pair => (pair.candidate - pair.current) ** 2)
      const means = { with: mean(pair => pair.candidate), without: mean(pair => pair.current) }
      return [task, { ...means, variance: squares / pairs.length }]
    }),
  )
}

function isIdle(tasks: ReadonlyMap<string, TaskMeans>, gained: readonly ChangedTask[]): boolean {
  let [loss, variance, worth] = [0, 0, 0]
  for (const { task, by } of gained) {
    const means = tasks.get(task)
    // A task that the world failed on either side proves nothing.
    if (means === undefined) return false
    loss += means.with - means.without
    variance += means.variance
    worth += by / gained.length
  }
  return loss <= roundingNoise && loss + z95 * Math.sqrt(variance) < worth - roundingNoise
}

export interface SmallerSkill {
  readonly parent: readonly Row[]
  readonly whole: readonly Row[]
  readonly smaller: readonly Row[]
  readonly isShorter: boolean
  /** Whether no task may break that parent and candidate solve. */
  readonly noRegression: boolean
  readonly floors: Floors
}

/** Why the skill without its idle edits may not take the place of the one that was accepted; none if it may. */
export function objectionTo(skills: SmallerSkill, score: Score): string | undefined {
  const { pairs, abstain } = scoredPairs(compared(skills.whole, skills.smaller))
  if (abstain !== undefined) return abstain
  const sum = (side: 'current' | 'candidate') => pairs.reduce((total, pair) => total + score(pair[side]), 0)
  const difference = sum('candidate') - sum('current')
  const scores = `${(sum('candidate') / pairs.length).toFixed(4)} instead of ${(sum('current') / pairs.length).toFixed(4)}`
  if (difference < -roundingNoise) return `Left out, the validation score is ${scores}.`
  if (difference <= roundingNoise && !skills.isShorter)
    return 'Left out, the skill is not shorter, and its validation score is the same.'
  const below = brokenFloors(skills.parent, skills.smaller, skills.floors)
  if (below.length > 0) return `Left out, the skill is below a floor: ${below.join('; ')}.`
  const broken = skills.noRegression ? brokenTasks(skills, score) : []
  return broken.length === 0 ? undefined : `Left out, the skill fails what it solved: ${listed(broken)}.`
}

function brokenTasks({ parent, whole, smaller }: SmallerSkill, score: Score): string[] {
  const solvedBy = (rows: readonly Row[]) =>
    new Set(rows.filter(row => (scoreOfAttempt(row, score) ?? 0) >= 0.5).map(({ task }) => task))
  const [before, after, now] = [solvedBy(parent), solvedBy(whole), solvedBy(smaller)]
  return [...after].filter(task => before.has(task) && !now.has(task))
}

/** The same task and sample under two texts. */
function compared(current: readonly Row[], candidate: readonly Row[]) {
  return pairsIn([
    ...current.map(row => ({ side: 'current', row }) as const),
    ...candidate.map(row => ({ side: 'candidate', row }) as const),
  ])
}
