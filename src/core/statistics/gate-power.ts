import type { GateFactory, GateSettings, Seen, Side, Verdict } from '../ports/gate.js'
import { wilsonInterval } from './intervals.js'
import { AttemptSimulator, mean, type Random, type RepeatedTask, randomStream } from './repeats.js'

/**
 * Simulates gate decisions about edits with a known effect, on a skill with the measured noise. All draws are
 * seeded, so the same rows give the same figures. Simulations are slow, so they yield after each decision and
 * can be abandoned there.
 */
type Simulation<T> = Generator<void, T>

export interface CheckedGate {
  readonly name: string
  readonly create: GateFactory
  readonly settings: GateSettings
}

/** Decisions of a gate about edits that change nothing. */
export interface NullDecisions {
  readonly decisions: number
  /** Share of the edits that is accepted. */
  readonly accepted: number
  /** Share of the decisions without a verdict, because there are too few tasks for their noise. */
  readonly underpowered: number
  /**
   * Attempts per decision: those under the candidate, and those under the current skill except the first at
   * each task.
   */
  readonly attempts: number
}

const nullDecisions = 2000
/** Share of edits with a given gain that must be accepted for the gain to count as detected. */
const power = 0.8
/** Resolution of the search for the smallest gain: half a point. */
const gainStep = 0.005
/** Upper limit and step factor of the search for a number of tasks. */
export const mostTasks = 800
const sizeStep = 1.25

/** Simulates how often a gate accepts an edit that changes nothing. */
export function* simulateNullEdits(
  gate: CheckedGate,
  tasks: readonly RepeatedTask[],
): Simulation<NullDecisions> {
  const simulator = new AttemptSimulator(tasks)
  let accepted = 0
  let underpowered = 0
  let attempts = 0
  for (let number = 0; number < nullDecisions; number += 1) {
    const played = simulateDecision(gate, simulator, { tasks, gain: 0, number })
    if (played.verdict.decision === 'accept') accepted += 1
    if (played.verdict.decision === 'underpowered') underpowered += 1
    attempts += played.attempts
    yield
  }
  const share = (count: number) => count / nullDecisions
  return {
    decisions: nullDecisions,
    accepted: share(accepted),
    underpowered: share(underpowered),
    attempts: share(attempts),
  }
}

/** Simulates how often a gate accepts an edit with a given true gain. */
export function* acceptRate(
  gate: CheckedGate,
  tasks: readonly RepeatedTask[],
  gain: number,
): Simulation<number> {
  const { accepted, played } = yield* countAccepted(gate, tasks, { gain, decisions: 1000 })
  return accepted / played
}

/**
 * Whether the gate accepts 8 of 10 edits with this gain. Stops early if the rate is clearly above or below.
 */
function* detects(
  gate: CheckedGate,
  tasks: readonly RepeatedTask[],
  { gain, size = tasks.length }: { readonly gain: number; readonly size?: number },
): Simulation<boolean> {
  const isClear = (accepted: number, played: number) => {
    const { low, high } = wilsonInterval(accepted / played, played)
    return played % 20 === 0 && (low > power || high < power)
  }
  const { accepted, played } = yield* countAccepted(gate, tasks, { gain, decisions: 200, size, isClear })
  return accepted / played >= power
}

function* countAccepted(
  gate: CheckedGate,
  tasks: readonly RepeatedTask[],
  {
    gain,
    decisions,
    size = tasks.length,
    isClear = () => false,
  }: {
    readonly gain: number
    readonly decisions: number
    readonly size?: number
    readonly isClear?: (accepted: number, played: number) => boolean
  },
): Simulation<{ readonly accepted: number; readonly played: number }> {
  const simulator = new AttemptSimulator(tasks)
  // Early stopping does not change the decision, and in a simulation it only takes time.
  const whole = { ...gate, settings: { ...gate.settings, earlyStop: false } }
  let accepted = 0
  let played = 0
  while (played < decisions && !(played > 0 && isClear(accepted, played))) {
    const those = size === tasks.length ? tasks : bootstrapTasks(tasks, size, played)
    if (
      simulateDecision(whole, simulator, { tasks: those, gain, number: played }).verdict.decision === 'accept'
    )
      accepted += 1
    played += 1
    yield
  }
  return { accepted, played }
}

/** Maximum possible gain: the gain of an edit that solves everything. */
export function maximumGain(tasks: readonly RepeatedTask[]): number {
  return 1 - mean(tasks.map(({ scores }) => mean(scores)))
}

/**
 * The smallest gain that a gate accepts 8 times out of 10; undefined if it misses even an edit that solves
 * everything.
 */
export function* minimumDetectableGain(
  gate: CheckedGate,
  tasks: readonly RepeatedTask[],
): Simulation<number | undefined> {
  const room = maximumGain(tasks)
  if (!(yield* detects(gate, tasks, { gain: room }))) return undefined
  let missed = 0
  let found = Math.ceil(room / gainStep)
  while (found - missed > 1) {
    const middle = Math.floor((missed + found) / 2)
    if (yield* detects(gate, tasks, { gain: middle * gainStep })) found = middle
    else missed = middle
  }
  return Math.min(room, found * gainStep)
}

/**
 * Number of tasks like these that a gate needs to accept 8 of 10 edits with this gain; undefined if
 * `mostTasks` are too few.
 */
export function* tasksNeeded(
  gate: CheckedGate,
  tasks: readonly RepeatedTask[],
  gain: number,
): Simulation<number | undefined> {
  const limit = Math.max(mostTasks, tasks.length)
  let few = 1
  let enough = tasks.length
  while (!(yield* detects(gate, tasks, { gain, size: enough }))) {
    if (enough === limit) return undefined
    few = enough
    enough = Math.min(limit, 2 * enough)
  }
  while (enough / few > sizeStep && enough - few > 1) {
    const middle = Math.round(Math.sqrt(few * enough))
    if (yield* detects(gate, tasks, { gain, size: middle })) enough = middle
    else few = middle
  }
  return enough
}

/** The 95% and 80% quantiles of the normal distribution. */
const normal95 = 1.6448536269514722
const normal80 = 0.8416212335729143

/**
 * How often each task must run under both skills for a false-positive rate of at most 5% and a power of 80%
 * at this gain. `deviation` is the standard deviation of one evaluation.
 */
export function repeatsNeeded(deviation: number, gain: number): number {
  return Math.max(1, Math.ceil((2 * deviation ** 2 * (normal95 + normal80) ** 2) / gain ** 2))
}

/**
 * Simulates one decision as training makes it. Each task has its own random stream, so that the order of
 * attempts does not matter.
 */
function simulateDecision(
  { create, settings }: CheckedGate,
  simulator: AttemptSimulator,
  {
    tasks,
    gain,
    number,
  }: { readonly tasks: readonly RepeatedTask[]; readonly gain: number; readonly number: number },
): { readonly verdict: Verdict; readonly attempts: number } {
  const lifts = gain === 0 ? [] : liftByTask(tasks, gain, randomStream(number))
  const tries = tasks.map((task, index) => {
    const random = randomStream(number, index)
    const next = simulator.attemptsAt(task, random)
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
      // The current skill's first attempt at each task was made before the decision, so it does not count.
      if (side === 'candidate' || sample > 0) attempts += 1
      seen.push({ side, row: { task, type: tasks[Number(task)]?.type ?? '', sample, hard, soft: hard } })
    }
  }
}

/**
 * Models an edit that fixes one task after the other until it reaches its gain. Returns, for each task, the
 * share of failures that become passes.
 */
function liftByTask(tasks: readonly RepeatedTask[], gain: number, random: Random): number[] {
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

/** Draws a bootstrap sample of tasks for a split of another size; tasks may repeat. */
function bootstrapTasks(tasks: readonly RepeatedTask[], size: number, number: number): RepeatedTask[] {
  const random = randomStream(number, size)
  return Array.from({ length: size }, () => tasks[Math.floor(random() * tasks.length)] as RepeatedTask)
}
