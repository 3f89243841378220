import { hashSeed, PythonRandom } from '../../../core/statistics/random.js'
import { constants } from './constants.js'
import { isGlobal, type Trial, type TrialEdit } from './types.js'

/** A skill to try: the current one with pending edits, or without accepted ones to be confirmed. */
export interface Variant {
  /** Pending edits that are included. */
  readonly pending: readonly string[]
  /** Accepted edits that are left out. */
  readonly without: readonly string[]
}

export interface PlannedTrial {
  readonly task: string
  readonly variant: Variant
}

export interface DesignInput {
  readonly round: number
  readonly seed: number
  /** Attempts in the round. */
  readonly size: number
  /** Share of the attempts that go to the least tried tasks, whatever edits are on trial. */
  readonly explore: number
  readonly tasks: readonly string[]
  readonly trials: readonly Trial[]
  /** Running trials. They count as made, whatever their result will be. */
  readonly running: readonly Trial[]
  readonly pending: readonly TrialEdit[]
  /** Accepted edits with an uncertain effect, which some attempts leave out. */
  readonly probation: readonly TrialEdit[]
  /** Probability that an edit helps. */
  helps(edit: string): number
  /** Share of the attempts that include an edit for all tasks. */
  inclusion(edit: string): number
  /** Number of tasks that the edit concerns and that fail under the current skill. */
  headroom(edit: TrialEdit): number
  /** The accepted edit for the same cause, if the given edit does not depend on it. */
  rival(edit: TrialEdit): TrialEdit | undefined
  /** Whether a pending edit may still help according to its evidence. */
  isViable(edit: TrialEdit): boolean
}

/**
 * Decides which tasks a round tries, and under which skill. Each attempt focuses on a cause and tries its
 * most promising remedy on a fresh task.
 * Each edit for all tasks is in a share of the attempts, drawn independently, so that every attempt is
 * evidence about it. Remedies for causes that the task does not have are left out, since they only add noise.
 */
export function designRound(input: DesignInput): PlannedTrial[] {
  const random = new PythonRandom(hashSeed(`${input.seed} trials ${input.round}`))
  const history = historyOf([...input.trials, ...input.running])
  const slots = slotsOf(input.pending.filter(one => !isGlobal(one, input.tasks.length)))
  const globals = input.pending.filter(one => isGlobal(one, input.tasks.length))
  const focused = focus(input, { slots, history, random })
  const accepted = input.probation.filter(one => isGlobal(one, input.tasks.length))
  const on = balancedGlobals([...globals, ...accepted], input, random)
  return focused.map(({ task, arm, isBare, controls, leftOut }, index) => {
    const chosen =
      isBare === true
        ? []
        : slots
            .filter(([first]) => first?.slot !== controls)
            .flatMap(slot => levelOf(slot, { task, arm, input, random }) ?? [])
    const isOn = new Set([...chosen, ...(on[index] ?? [])])
    return {
      task,
      variant: {
        pending: input.pending.map(({ edit }) => edit.id).filter(id => isOn.has(id)),
        without: [
          ...(leftOut === undefined ? [] : [leftOut.edit.id]),
          ...accepted.map(({ edit }) => edit.id).filter(id => !isOn.has(id)),
        ],
      },
    }
  })
}

/** Alternative remedies for one cause. */
type Slot = readonly TrialEdit[]

function slotsOf(edits: readonly TrialEdit[]): Slot[] {
  const names = [...new Set(edits.map(({ slot }) => slot))]
  return names.map(name => edits.filter(({ slot }) => slot === name))
}

interface Focused {
  readonly task: string
  /** The edit that the attempt tests; absent for attempts at the least tried tasks. */
  readonly arm?: TrialEdit
  /** A control attempt without any remedies. */
  readonly isBare?: boolean
  /** A control attempt without this accepted edit. */
  readonly leftOut?: TrialEdit
  /** A control attempt without remedies for this cause. */
  readonly controls?: string
}

interface FocusContext {
  readonly slots: readonly Slot[]
  readonly history: History
  readonly random: PythonRandom
}

/**
 * Gives each attempt to the edit with the highest expected gain: one that probably helps, on tasks that fail
 * now. The rest of the round goes to the least tried tasks.
 */
function focus(input: DesignInput, { slots, history, random }: FocusContext): Focused[] {
  const order = new Map(random.shuffle(input.tasks).map((task, index) => [task, index]))
  const used = new Set<string>()
  const planned: Focused[] = []
  const take = (one: Focused) => {
    used.add(one.task)
    planned.push(one)
  }
  const untried = input.tasks.filter(task => history.tried(task) === 0).length
  const explored = Math.min(untried, Math.round(input.size * input.explore))
  const underWay = new Map<string, number>()
  for (const { edit, concerned } of [...input.pending, ...input.probation])
    for (const { task, edits } of input.running)
      if (concerned.has(task) && edits.includes(edit.id))
        underWay.set(edit.id, (underWay.get(edit.id) ?? 0) + 1)
  // Confirming an accepted edit is worth more, the more likely it is to be wrong.
  const worth = (arm: TrialEdit) => {
    const helps = input.helps(arm.edit.id)
    if (arm.status === 'accepted') return 1 - helps
    return input.isViable(arm) ? helps : constants.doubtful * helps
  }
  const weight = (arm: TrialEdit) =>
    worth(arm) * input.headroom(arm) * constants.sameEdit ** (underWay.get(arm.edit.id) ?? 0)
  const slotLoad = new Map<string, number>()
  const value = (arm: TrialEdit) => weight(arm) * constants.sameCause ** (slotLoad.get(arm.slot) ?? 0)
  const controls = new Map<string, number>()
  const open = new Set([
    ...slots.flat(),
    ...input.probation.filter(one => !isGlobal(one, input.tasks.length)),
  ])
  while (planned.length < input.size - explored && open.size > 0) {
    const [arm] = [...open].sort((one, other) => value(other) - value(one))
    if (arm === undefined) break
    const arms = slots.find(slot => slot.includes(arm)) ?? []
    const task = freshTask(arm, { history, used, order, slots, isViable: input.isViable })
    if (task === undefined) {
      open.delete(arm)
      continue
    }
    slotLoad.set(arm.slot, (slotLoad.get(arm.slot) ?? 0) + 1)
    const control = needsControl([arm, ...arms.filter(one => one !== arm)], { history, controls })
      ? controlTask(arms, { history, used, order })
      : undefined
    if (control !== undefined) {
      controls.set(arm.slot, (controls.get(arm.slot) ?? 0) + 1)
      take({ task: control, controls: arm.slot })
      continue
    }
    underWay.set(arm.edit.id, (underWay.get(arm.edit.id) ?? 0) + 1)
    const solved =
      arm.status === 'accepted' && chance(random, constants.localLeftOut)
        ? solvedTask(arm, { history, used, order })
        : undefined
    if (solved !== undefined) take({ task: solved, arm, leftOut: arm })
    else {
      const rival = input.rival(arm)
      const isAlone = rival !== undefined && chance(random, constants.rivalLeftOut)
      take(isAlone ? { task, arm, leftOut: rival } : { task, arm })
    }
  }
  const rest = input.tasks
    .filter(task => !used.has(task))
    .toSorted(
      (one, other) =>
        history.tried(one) - history.tried(other) || (order.get(one) ?? 0) - (order.get(other) ?? 0),
    )
  for (const task of rest.slice(0, Math.max(0, input.size - planned.length)))
    take({ task, isBare: history.tried(task) === 0 })
  return planned
}

function needsControl(
  slot: Slot,
  { history, controls }: { readonly history: History; readonly controls: ReadonlyMap<string, number> },
): boolean {
  const [best] = slot
  if (best === undefined) return false
  const ids = slot.map(({ edit }) => edit.id)
  let without = controls.get(best.slot) ?? 0
  let tried = 0
  for (const task of best.concerned) {
    tried += history.triedWith(best.edit.id, task)
    without += history.tried(task)
    for (const id of ids) without -= history.triedWith(id, task)
  }
  return without < constants.controls * (tried + 1)
}

function controlTask(
  slot: Slot,
  { history, used, order }: Omit<FreshContext, 'slots' | 'isViable'>,
): string | undefined {
  const origin = new Set(slot.flatMap(({ edit }) => edit.tasks))
  const candidates = [...(slot[0]?.concerned ?? [])].filter(
    task => !origin.has(task) && !used.has(task) && order.has(task),
  )
  const rank = (task: string) => history.tried(task) * 1e3 + (order.get(task) ?? 0)
  return candidates.toSorted((one, other) => rank(one) - rank(other))[0]
}

interface FreshContext {
  readonly history: History
  readonly used: ReadonlySet<string>
  readonly order: ReadonlyMap<string, number>
  readonly slots: readonly Slot[]
  isViable(edit: TrialEdit): boolean
}

/**
 * Picks a task that the edit concerns but was not proposed from. It prefers tasks that the edit was not tried
 * on, that no other open cause concerns, and that failed without the edit.
 */
function freshTask(
  arm: TrialEdit,
  { history, used, order, slots, isViable }: FreshContext,
): string | undefined {
  const { edit, concerned, slot } = arm
  const origin = new Set(edit.tasks)
  const others = slots.filter(one => one[0]?.slot !== slot && one.some(isViable))
  const rank = (task: string) =>
    history.triedWith(edit.id, task) * 1e6 +
    others.filter(([first]) => first?.concerned.has(task)).length * 1e4 +
    Math.round(10 * history.passRate(task)) * 1e3 +
    (order.get(task) ?? 0) / 1e3
  const candidates = [...concerned].filter(
    task =>
      !origin.has(task) &&
      !used.has(task) &&
      order.has(task) &&
      history.triedWith(edit.id, task) < constants.perTask,
  )
  const [first] = candidates.toSorted((one, other) => rank(one) - rank(other))
  return first
}

/**
 * Among the tasks that an accepted edit concerns, the one with the highest pass rate. An attempt shows
 * whether it still passes without the edit.
 */
function solvedTask(
  { edit, concerned }: TrialEdit,
  { history, used, order }: Omit<FreshContext, 'slots' | 'isViable'>,
): string | undefined {
  const rank = (task: string) =>
    10 * (history.tried(task) - history.triedWith(edit.id, task)) - 5 * history.passRate(task)
  return [...concerned]
    .filter(task => !edit.tasks.includes(task) && !used.has(task) && order.has(task))
    .filter(task => history.triedWith(edit.id, task) > 0)
    .toSorted((one, other) => rank(one) - rank(other))[0]
}

/** The remedy for a cause that one attempt includes, if any. */
function levelOf(
  slot: Slot,
  {
    task,
    arm,
    input,
    random,
  }: {
    readonly task: string
    readonly arm: TrialEdit | undefined
    readonly input: DesignInput
    readonly random: PythonRandom
  },
): string | undefined {
  if (arm !== undefined && slot.includes(arm)) return arm.edit.id
  if (arm?.status === 'accepted' && slot.some(({ concerned }) => concerned.has(task))) return undefined
  const viable = slot.filter(one => input.isViable(one))
  const best = drawn(viable, input, random)
  const draw = random.below(resolution) / resolution
  if (best === undefined) return undefined
  const isPromising = input.helps(best.edit.id) >= constants.promising
  if (best.concerned.has(task) || best.edit.tasks.includes(task))
    return draw < (isPromising ? constants.besidePromising : constants.beside) ? best.edit.id : undefined
  return isPromising && draw < constants.elsewhere ? best.edit.id : undefined
}

/** Draws one of the remedies at random, weighted by a power of its probability of helping. */
function drawn(
  remedies: readonly TrialEdit[],
  input: DesignInput,
  random: PythonRandom,
): TrialEdit | undefined {
  const weights = remedies.map(({ edit }) => input.helps(edit.id) ** constants.greed)
  let left = (random.below(resolution) / resolution) * weights.reduce((sum, weight) => sum + weight, 0)
  return remedies.find((_, index) => {
    left -= weights[index] ?? 0
    return left < 0
  })
}

/**
 * Chooses the edits for all tasks in each attempt, each independently. The better an edit looks, the larger
 * its share of the attempts. So harmful edits do not drown the effect of the others, and of two edits that
 * cancel each other one gets ahead.
 */
function balancedGlobals(
  edits: readonly TrialEdit[],
  { size, inclusion }: Pick<DesignInput, 'size' | 'inclusion'>,
  random: PythonRandom,
): string[][] {
  const attempts = Array.from({ length: size }, () => [] as string[])
  for (const { edit } of edits) {
    const exact = size * inclusion(edit.id)
    const count = Math.floor(exact) + (chance(random, exact - Math.floor(exact)) ? 1 : 0)
    for (const attempt of random.shuffle(attempts).slice(0, count)) attempt.push(edit.id)
  }
  return attempts
}

const resolution = 1 << 20

function chance(random: PythonRandom, probability: number): boolean {
  return random.below(resolution) < probability * resolution
}

interface History {
  tried(task: string): number
  triedWith(edit: string, task: string): number
  /** Mean score of all attempts at a task; one half if there are none. */
  passRate(task: string): number
}

function historyOf(trials: readonly Trial[]): History {
  const tried = new Map<string, { count: number; score: number }>()
  const together = new Map<string, number>()
  for (const { task, score, edits } of trials) {
    const one = tried.get(task) ?? { count: 0, score: 0 }
    tried.set(task, { count: one.count + 1, score: one.score + score })
    for (const edit of edits) together.set(`${edit} ${task}`, (together.get(`${edit} ${task}`) ?? 0) + 1)
  }
  return {
    tried: task => tried.get(task)?.count ?? 0,
    triedWith: (edit, task) => together.get(`${edit} ${task}`) ?? 0,
    passRate(task) {
      const one = tried.get(task)
      return one === undefined ? 0.5 : one.score / one.count
    },
  }
}
