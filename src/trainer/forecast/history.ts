import type { StageName } from '../../core/log/event.js'
import type { Role } from '../../core/ports/model.js'
import type { RunView, Spending } from '../../core/view/fold.js'

/** A sum and the number of observations in it, for computing a rate from earlier runs. */
export interface Tally {
  readonly sum: number
  readonly count: number
}

/** Outcomes of the steps of earlier trainings whose relevant settings are the same. */
export interface StepCounts {
  /** Number of steps and of accepted candidates in each training. */
  readonly trainings: readonly { readonly steps: number; readonly accepted: number }[]
  /** Step counts of finished trainings with the same plan. */
  readonly lengths: Tally
  /** Steps that made no candidate for the gate. */
  readonly unproposed: Tally
  /** Total validation in splits, the number of skills that became current, and of rejected candidates. */
  readonly validation: { readonly splits: number; readonly currents: number; readonly rejected: number }
  /** Calls per step. */
  readonly analysts: Tally
  readonly merges: Tally
  readonly slowUpdates: Tally
}

/** Token usage of calls, from which mean lengths are computed. */
export type Usage = Pick<Spending, 'calls' | 'unknownUsage' | 'input' | 'output' | 'cachedInput'>

/** Measurements of a project's earlier runs: the only source of reply lengths and accept rates. */
export interface RunHistory {
  /** Run names, newest first. */
  readonly runs: readonly string[]
  readonly target: { readonly usage: Usage; readonly hasTrained: boolean } | undefined
  readonly judge: Usage | undefined
  /** Usage of all optimizer calls, and of each stage that calls only the optimizer. */
  readonly optimizer:
    | { readonly all: Usage; readonly stages: Readonly<Partial<Record<StageName, Usage>>> }
    | undefined
  /** Target calls per attempt: more than one if the target uses tools or takes several turns. */
  readonly callsPerAttempt: number
  readonly counts: StepCounts
}

/** An earlier run, and which of its measurements are valid under the current settings. */
export interface EarlierRun {
  readonly view: RunView
  readonly comparable: {
    /** Whether the reply lengths of the target, and those of the optimizer, are valid. */
    readonly target: boolean
    readonly optimizer: boolean
    /** Whether the number of optimizer calls per step is valid. */
    readonly reflection: boolean
    /** Whether the cost and the accept rate of the gate are valid. */
    readonly gate: boolean
    /** Whether the number of planned steps and the conditions for an early end are valid. */
    readonly plan: boolean
  }
}

export function historyOf(earlier: readonly EarlierRun[]): RunHistory | undefined {
  const asked = (role: Role) =>
    earlier.filter(({ view, comparable }) => {
      const known = role === 'optimizer' ? comparable.optimizer : comparable.target
      return known && (view.spending.roles[role]?.calls ?? 0) > 0
    })
  const [target, judge, optimizer] = [asked('target'), asked('judge'), asked('optimizer')]
  if (target.length === 0 && optimizer.length === 0) return undefined
  // If there are trainings, only they count: a training covers skills that have grown, and single attempts
  // with the first skill would dilute the mean.
  const trained = target.filter(({ view }) => view.kind === 'train' && view.steps.length > 0)
  const used = new Set([...target, ...judge, ...optimizer])
  return {
    runs: [...used].map(nameOf),
    target:
      target.length === 0
        ? undefined
        : {
            usage: usageIn(trained.length > 0 ? trained : target, 'target'),
            hasTrained: trained.length > 0,
          },
    judge: judge.length === 0 ? undefined : usageIn(judge, 'judge'),
    optimizer:
      optimizer.length === 0
        ? undefined
        : { all: usageIn(optimizer, 'optimizer'), stages: stagesOf(optimizer) },
    callsPerAttempt: Math.max(1, ratio(sumOver(target, targetCalls), sumOver(target, attemptsMade)) ?? 1),
    counts: countsOf(earlier),
  }
}

/** The name of a training has a number. An evaluation has only its project's name, so its kind is added. */
function nameOf({ view }: EarlierRun): string {
  return view.kind === 'train' ? view.run : `${view.kind} of ${view.run}`
}

const targetCalls = ({ view }: EarlierRun) => view.spending.roles.target?.calls ?? 0

function attemptsMade({ view: { attempts } }: EarlierRun): number {
  return attempts.scored + attempts.failed - attempts.cached
}

function stagesOf(runs: readonly EarlierRun[]): Partial<Record<StageName, Usage>> {
  const asking = ['reflect', 'aggregate', 'select', 'update', 'meta-skill', 'one-shot'] as const
  return Object.fromEntries(
    asking.map(stage => [stage, sumUsage(runs.map(({ view }) => view.spending.stages[stage]))]),
  )
}

function usageIn(runs: readonly EarlierRun[], role: Role): Usage {
  return sumUsage(runs.map(({ view }) => view.spending.roles[role]))
}

function sumUsage(parts: readonly (Spending | undefined)[]): Usage {
  const total = (of: keyof Usage) => parts.reduce((sum, part) => sum + (part?.[of] ?? 0), 0)
  return {
    calls: total('calls'),
    unknownUsage: total('unknownUsage'),
    input: total('input'),
    output: total('output'),
    cachedInput: total('cachedInput'),
  }
}

function countsOf(earlier: readonly EarlierRun[]): StepCounts {
  const stepped = earlier.filter(({ view }) => view.steps.some(({ outcome }) => outcome !== undefined))
  const reflected = stepped.filter(({ comparable }) => comparable.reflection)
  const merged = earlier.filter(run => run.comparable.reflection && mergedSteps(run) > 0)
  const trained = stepped.filter(({ view, comparable }) => view.kind === 'train' && comparable.gate)
  // Only finished trainings count: in a stopped one it is unknown which attempts belong to a completed
  // decision.
  const whole = trained.filter(({ view }) => view.outcome === 'finished' && view.attempts.cached === 0)
  const tally = (
    runs: readonly EarlierRun[],
    sum: (run: EarlierRun) => number,
    among: (run: EarlierRun) => number = stepCount,
  ): Tally => ({ sum: sumOver(runs, sum), count: sumOver(runs, among) })
  return {
    trainings: trained.map(run => ({ steps: stepCount(run), accepted: acceptedSteps(run) })),
    lengths: tally(trained.filter(isPlanned), stepCount, () => 1),
    unproposed: tally(trained, ({ view }) => view.steps.filter(isUnproposed).length),
    validation: {
      splits: sumOver(whole, run => attemptsAt(run, ['gate', 'baseline']) / Math.max(1, run.view.tasks.val)),
      currents: sumOver(whole, currentSkills),
      rejected: sumOver(whole, rejections),
    },
    analysts: tally(reflected, run => callsAt(run, ['reflect'])),
    merges: tally(merged, run => callsAt(run, ['aggregate', 'select']), mergedSteps),
    slowUpdates: tally(trained, acceptedSlowUpdates, ({ view }) => view.epochEnds.length),
  }
}

const isPlanned = ({ view, comparable }: EarlierRun) => comparable.plan && view.outcome === 'finished'

type Step = RunView['steps'][number]

const stepCount = ({ view }: EarlierRun) => view.steps.filter(({ outcome }) => outcome !== undefined).length
/** Number of steps whose patches were merged. A probe counts as one step. */
const mergedSteps = (run: EarlierRun) => (run.view.kind === 'probe' ? 1 : stepCount(run))
const acceptedSteps = ({ view }: EarlierRun) =>
  view.steps.filter(({ outcome }) => outcome === 'accepted').length
const acceptedSlowUpdates = ({ view }: EarlierRun) =>
  view.epochEnds.filter(({ slowUpdate }) => slowUpdate?.outcome === 'accepted').length
const isUnproposed = ({ gate, outcome }: Step) => outcome !== undefined && gate === undefined

function rejections({ view }: EarlierRun): number {
  const gates = [
    ...view.steps.map(({ gate }) => gate),
    ...view.epochEnds.map(({ slowUpdateGate }) => slowUpdateGate),
  ]
  return gates.filter(gate => gate?.action === 'reject' || gate?.action === 'abstain').length
}

/** Number of skills that were evaluated on the whole split, including the seed. */
function currentSkills(run: EarlierRun): number {
  const forced = run.view.epochEnds.filter(({ slowUpdate }) => slowUpdate?.outcome === 'forced').length
  return 1 + acceptedSteps(run) + acceptedSlowUpdates(run) + forced
}

function callsAt({ view }: EarlierRun, stages: readonly StageName[]): number {
  return stages.reduce((sum, stage) => sum + (view.spending.stages[stage]?.calls ?? 0), 0)
}

/** Number of the target's attempts in these stages, without the judge's calls in the same stages. */
function attemptsAt(run: EarlierRun, stages: readonly StageName[]): number {
  const target = targetCalls(run)
  const judge = run.view.spending.roles.judge?.calls ?? 0
  const perAttempt = Math.max(1, ratio(target, attemptsMade(run)) ?? 1)
  return (callsAt(run, stages) * (ratio(target, target + judge) ?? 1)) / perAttempt
}

const sumOver = (runs: readonly EarlierRun[], of: (run: EarlierRun) => number): number =>
  runs.reduce((sum, run) => sum + of(run), 0)

const ratio = (sum: number, among: number): number | undefined => (among === 0 ? undefined : sum / among)
