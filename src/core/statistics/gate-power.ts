import type { GateFactory, GateSettings, Seen, Side, Verdict } from '../ports/gate.js'
import { wilsonInterval } from './intervals.js'
import { mean, Predictor, type Random, type RepeatedTask, randomStream } from './repeats.js'

/**
 * What gates make of edits whose truth is known, on a skill that is as noisy as was measured. All draws are seeded: the
 * same rows give the same figures. Simulations take a while, so they yield after each decision and can be left there.
 */
type Simulation<T> = Generator<void, T>

export interface CheckedGate {
  readonly name: string
  readonly create: GateFactory
  readonly settings: GateSettings
}

/** Decisions about edits that change nothing. */
export interface NullDecisions {
  readonly decisions: number
  /** The share that is accepted. */
  readonly accepted: number
  /** The share that ends without a verdict, since the tasks are too few for their noise. */
  readonly underpowered: number
  /** Attempts per decision: all under the candidate, and under the current skill those after each task's first. */
  readonly attempts: number
}

const decisionsAboutNothing = 2000
/** The share of edits with a gain that must be accepted for the gain to count as detected. */
const power = 0.8
/** How closely the smallest gain is looked for: half a point. */
const gainStep = 0.005
/** Where the search for a number of tasks ends, and how closely it looks. */
export const mostTasks = 800
const sizeStep = 1.25

/** How often a gate accepts an edit that changes nothing. */
export function* decideAboutNothing(
  gate: CheckedGate,
  tasks: readonly RepeatedTask[],
): Simulation<NullDecisions> {
  const world = new Predictor(tasks)
  let accepted = 0
  let underpowered = 0
  let attempts = 0
  for (let number = 0; number < decisionsAboutNothing; number += 1) {
    const played = play(gate, world, tasks, 0, number)
    if (played.verdict.decision === 'accept') accepted += 1
    if (played.verdict.decision === 'underpowered') underpowered += 1
    attempts += played.attempts
    yield
  }
  const share = (count: number) => count / decisionsAboutNothing
  return {
    decisions: decisionsAboutNothing,
    accepted: share(accepted),
    underpowered: share(underpowered),
    attempts: share(attempts),
  }
}

/** How often a gate accepts an edit that truly gains so much. */
export function* acceptanceOf(
  gate: CheckedGate,
  tasks: readonly RepeatedTask[],
  gain: number,
): Simulation<number> {
  const { accepted, played } = yield* acceptances(gate, tasks, gain, { decisions: 1000 })
  return accepted / played
}

/** Whether it accepts 8 of 10. Far from that, a few decisions tell. */
function* detects(
  gate: CheckedGate,
  tasks: readonly RepeatedTask[],
  gain: number,
  size = tasks.length,
): Simulation<boolean> {
  const isClear = (accepted: number, played: number) => {
    const { low, high } = wilsonInterval(accepted / played, played)
    return played % 20 === 0 && (low > power || high < power)
  }
  const { accepted, played } = yield* acceptances(gate, tasks, gain, { decisions: 200, size, isClear })
  return accepted / played >= power
}

function* acceptances(
  gate: CheckedGate,
  tasks: readonly RepeatedTask[],
  gain: number,
  {
    decisions,
    size = tasks.length,
    isClear = () => false,
  }: { decisions: number; size?: number; isClear?: (accepted: number, played: number) => boolean },
): Simulation<{ readonly accepted: number; readonly played: number }> {
  const world = new Predictor(tasks)
  // Stopping early does not change the decision; it would only take longer to play.
  const whole = { ...gate, settings: { ...gate.settings, earlyStop: false } }
  let accepted = 0
  let played = 0
  while (played < decisions && !(played > 0 && isClear(accepted, played))) {
    const those = size === tasks.length ? tasks : tasksLike(tasks, size, played)
    if (play(whole, world, those, gain, played).verdict.decision === 'accept') accepted += 1
    played += 1
    yield
  }
  return { accepted, played }
}

/** The most that an edit can gain: then it solves everything. */
export function roomFor(tasks: readonly RepeatedTask[]): number {
  return 1 - mean(tasks.map(({ scores }) => mean(scores)))
}

/** The smallest gain that a gate accepts 8 times of 10; none if it misses even an edit that solves everything. */
export function* smallestGain(
  gate: CheckedGate,
  tasks: readonly RepeatedTask[],
): Simulation<number | undefined> {
  const room = roomFor(tasks)
  if (!(yield* detects(gate, tasks, room))) return undefined
  let missed = 0
  let found = Math.ceil(room / gainStep)
  while (found - missed > 1) {
    const middle = Math.floor((missed + found) / 2)
    if (yield* detects(gate, tasks, middle * gainStep)) found = middle
    else missed = middle
  }
  return Math.min(room, found * gainStep)
}

/** How many tasks like these a gate needs to accept 8 of 10 edits with this gain; none if `mostTasks` are too few. */
export function* tasksNeeded(
  gate: CheckedGate,
  tasks: readonly RepeatedTask[],
  gain: number,
): Simulation<number | undefined> {
  const limit = Math.max(mostTasks, tasks.length)
  let few = 1
  let enough = tasks.length
  while (!(yield* detects(gate, tasks, gain, enough))) {
    if (enough === limit) return undefined
    few = enough
    enough = Math.min(limit, 2 * enough)
  }
  while (enough / few > sizeStep && enough - few > 1) {
    const middle = Math.round(Math.sqrt(few * enough))
    if (yield* detects(gate, tasks, gain, middle)) enough = middle
    else few = middle
  }
  return enough
}

/** The points of the normal distribution below which 95% and 80% of it lie. */
const normal95 = 1.6448536269514722
const normal80 = 0.8416212335729143

/**
 * How often each task has to be tried under both skills, so that noise looks like this gain in 5% of cases at most, and
 * hides it in 20%. `deviation` is that of one evaluation.
 */
export function repeatsNeeded(deviation: number, gain: number): number {
  return Math.max(1, Math.ceil((2 * deviation ** 2 * (normal95 + normal80) ** 2) / gain ** 2))
}

/** Plays one decision the way training does. Each task has a stream of its own, so that the order does not matter. */
function play(
  { create, settings }: CheckedGate,
  world: Predictor,
  tasks: readonly RepeatedTask[],
  gain: number,
  number: number,
): { readonly verdict: Verdict; readonly attempts: number } {
  const lifts = gain === 0 ? [] : liftsOf(tasks, gain, randomStream(number))
  const tries = tasks.map((task, index) => {
    const random = randomStream(number, index)
    const next = world.attemptsAt(task, random)
    const lift = lifts[index] ?? 0
    return (side: Side) => {
      const score = next()
      return side === 'candidate' && lift > 0 && random() < lift ? 1 : score
    }
  })
  const gate = create({ tasks: tasks.map((_, index) => String(index)), score: ({ hard }) => hard, settings })
  const seen: Seen[] = []
  let attempts = 0
  for (;;) {
    const step = gate.next(seen)
    if (!('run' in step)) return { verdict: step, attempts }
    for (const { side, task, sample } of step.run) {
      const attempt = tries[Number(task)]
      if (attempt === undefined) throw new Error(`The gate asked for the unknown task "${task}".`)
      const hard = attempt(side)
      // The current skill's first attempt at each task is there before the decision.
      if (side === 'candidate' || sample > 0) attempts += 1
      seen.push({ side, row: { task, type: tasks[Number(task)]?.type ?? '', sample, hard, soft: hard } })
    }
  }
}

/** An edit mends one task after the other until it has its gain: by task, the share of failures that become passes. */
function liftsOf(tasks: readonly RepeatedTask[], gain: number, random: Random): number[] {
  const lifts = new Array<number>(tasks.length).fill(0)
  let left = gain * tasks.length
  const order = tasks.map(({ scores }, index) => ({ index, room: 1 - mean(scores), key: random() }))
  for (const { index, room } of order.sort((one, other) => one.key - other.key)) {
    if (left <= 0) break
    if (room <= 0) continue
    const step = Math.min(left, room)
    lifts[index] = step / room
    left -= step
  }
  return lifts
}

/** The tasks that a split of another size might have had; some of them more than once. */
function tasksLike(tasks: readonly RepeatedTask[], size: number, number: number): RepeatedTask[] {
  const random = randomStream(number, size)
  return Array.from({ length: size }, () => tasks[Math.floor(random() * tasks.length)] as RepeatedTask)
}
