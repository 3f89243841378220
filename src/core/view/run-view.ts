import type { EventBody, StageName } from '../log/event.js'
import type { Verdict } from '../ports/gate.js'
import type { Role } from '../ports/model.js'
import type { Interval } from '../statistics/interval.js'

/**
 * What every reader shows of a run. Only aggregates: its size grows with steps, versions and merged edits, never with
 * calls or attempts.
 */
export interface RunView {
  /** Empty until the log's first event was seen. */
  readonly run: string
  readonly kind: EventBody<'run.started'>['kind']
  readonly product: string
  readonly simulated: boolean
  readonly config: unknown
  readonly sources: Readonly<Record<string, string>>
  readonly seedSkill: string
  /** 0 also where an imported run did not record it. */
  readonly tasks: { readonly train: number; readonly val: number; readonly test: number }
  readonly epochs: number
  readonly stepsPerEpoch: number
  readonly forkedFrom: string | undefined
  readonly importedFrom: string | undefined
  /** `trials` once a round of trials was designed: then a step is a round. */
  readonly loop: 'steps' | 'trials'

  readonly events: number
  readonly startedAt: number
  readonly lastAt: number
  /** Time within sessions: the hours between a stop and a resume are not part of it. */
  readonly activeMs: number
  readonly sessions: number
  /** Of the last session: a reader on the same machine can tell a run that died from one that works. */
  readonly pid: number | undefined
  readonly limits: Readonly<Record<string, number>>
  readonly outcome: RunOutcome
  readonly stopped: { readonly message: string; readonly hint: string | undefined } | undefined
  /** Why a finished training ended: after all epochs, or before. */
  readonly because: string | undefined

  readonly epoch: number
  readonly step: number
  readonly stage: StageName | undefined
  /** The stages of the step that is being worked on, and a baseline or test beside it, in order of their start. */
  readonly stages: readonly StageProgress[]
  readonly steps: readonly StepView[]
  readonly epochEnds: readonly EpochEndView[]
  readonly series: {
    readonly train: readonly Point[]
    readonly validation: readonly Point[]
    readonly best: readonly Point[]
  }
  readonly baseline: EventBody<'evaluation.finished'> | undefined
  /** One per number: a slow update takes the place of the version that its epoch's last step left. */
  readonly versions: readonly EventBody<'skill.version'>[]
  readonly best: EventBody<'best.changed'> | undefined
  /** The gate's word on the last skill, when only the end of the run validated it. */
  readonly lastVerdict: GateView | undefined
  /** Of a training by trials: every edit that ever was on trial, in the order in which they joined. */
  readonly trialEdits: readonly TrialEditView[]
  /** Of a training by trials: the skill against the last checkpoint, on validation. */
  readonly checkpoints: readonly CheckpointView[]
  /** Of a training by trials: the trained skill against the seed. Absent if they are the same text. */
  readonly finalTest: GateView | undefined
  readonly tests: readonly EventBody<'test.finished'>[]
  /** Skill -> its rows on the test split, for a comparison task by task. */
  readonly testRows: Readonly<Record<string, string>>
  /** Of an evaluation: the skills, by the names that they were given last. */
  readonly skills: EventBody<'skills.named'>['skills']
  /** Of an evaluation: the splits that are done. Of a training they are in its steps and tests. */
  readonly evaluations: readonly EventBody<'evaluation.finished'>[]
  readonly oneShot: EventBody<'one-shot.finished'> | undefined
  readonly comparison: EventBody<'comparison.finished'> | undefined
  /** Of a mining of tasks: how many came of it. */
  readonly mining: EventBody<'mining.finished'> | undefined

  readonly spending: {
    readonly total: Spending
    readonly roles: Readonly<Partial<Record<Role, Spending>>>
    readonly stages: Readonly<Partial<Record<StageName, Spending>>>
  }
  readonly failedTries: Readonly<Record<string, number>>
  /** `cached` are among the scored: other runs made them. */
  readonly attempts: { readonly scored: number; readonly failed: number; readonly cached: number }
  readonly failedAttempts: Readonly<Record<string, number>>
  readonly optimizerFailures: number
  readonly unmatchedEdits: number
  /** The latest trouble, for the live view. */
  readonly lastFailure: { readonly at: number; readonly kind: string; readonly message: string } | undefined
  readonly callsInFlight: number
  /** Calls that were under way when a session ended: they may have been charged without leaving a reply. */
  readonly callsLost: number
}

/** A view in the making: its fields may be set, what they hold may not be changed. */
export type Draft = { -readonly [Field in keyof RunView]: RunView[Field] }

export type RunOutcome = 'running' | 'finished' | 'paused' | 'cap' | 'interrupted' | 'failed'

export interface Point {
  readonly step: number
  readonly value: number
}

export interface StageProgress {
  readonly stage: StageName
  readonly epoch: number
  readonly step: number
  readonly done: number
  readonly failed: number
  /** 0 when nobody said how much there is to do. */
  readonly total: number
  readonly finished: boolean
  readonly startedAt: number
  readonly lastAt: number
  /** `done` when the current session came to this stage: a rate must not count what an earlier session did. */
  readonly doneBefore: number
}

export interface Spending {
  readonly calls: number
  readonly tries: number
  readonly failedTries: number
  readonly input: number
  readonly output: number
  readonly cachedInput: number
  /** Calls for which the provider did not say what they used. */
  readonly unknownUsage: number
  /** US dollars, over the calls whose price is known. */
  readonly cost: number
  readonly unknownCost: number
  /** Reserved for tries that may have been charged although no reply arrived. */
  readonly perhaps: { readonly input: number; readonly output: number; readonly cost: number }
}

export type EditFate =
  | 'merged'
  | 'dropped'
  | 'selected'
  | TrialFate
  | EventBody<'update.finished'>['reports'][number]['status']

/** What became of an edit on trial. One that was kept was accepted before, and passed the last check. */
export type TrialFate = 'on-trial' | EventBody<'edit.decided'>['decision']

/** What trials say about an edit. */
export interface EvidenceView {
  /** Effect on the tasks that it concerns, with its 95% interval; absent before there were trials. */
  readonly effect: Interval | undefined
  readonly elsewhere: Interval | undefined
  /** Probability that it helps. */
  readonly helps: number
  readonly trials: number
  readonly tasks: number
}

export interface TrialView {
  /** What went wrong, in the optimizer's words; empty if it gave none. Edits with the same cause are alternatives. */
  readonly cause: string
  /** Number of train tasks that it concerns. */
  readonly concerned: number
  /** The round that it joined in, and that of the latest decision. */
  readonly admitted: number
  readonly decided: number | undefined
  readonly evidence: EvidenceView | undefined
}

export interface EditView {
  readonly id: string
  readonly op: EventBody<'aggregate.finished'>['edits'][number]['op']
  /** What a suggestion is about, or what a rewrite changed. */
  readonly title: string | undefined
  readonly target: string | undefined
  readonly content: string | undefined
  readonly why: string | undefined
  /** 0 where it was not recorded. */
  readonly support: number
  readonly from: 'failure' | 'success' | 'unknown'
  /** The first few of `taskCount`; the step's files have all. */
  readonly tasks: readonly string[]
  readonly taskCount: number
  readonly fate: EditFate
  readonly reason: string | undefined
  readonly match: 'exact' | 'tolerant' | undefined
  /** Of an edit that is judged by trials of its own. */
  readonly trial?: TrialView
}

export type TrialEditView = EditView & { readonly fate: TrialFate; readonly trial: TrialView }

export interface GateView {
  readonly candidate: string
  readonly current: number
  readonly score: number
  readonly best: number
  readonly action: EventBody<'gate.decided'>['action']
  readonly verdict: Verdict
}

export interface CheckpointView extends GateView {
  readonly epoch: number
  readonly step: number
}

/** A step that is a round of trials. */
export interface RoundView {
  /** Different skills in the round, and attempts with all of them. */
  readonly variants: number
  readonly attempts: number
  /** Edits that joined before the round, and proposals that did not: known already, or no room. */
  readonly admitted: readonly string[]
  readonly known: number
  readonly full: number
  /** Proposals that were refused, such as for hidden text, with the reason. */
  readonly refused: readonly { readonly edit: string; readonly reason: string }[]
}

export interface StepView {
  readonly epoch: number
  readonly step: number
  readonly budget: number | undefined
  readonly taskCount: number
  readonly skill: string
  readonly startedAt: number
  /** Active time of the whole run when the step began and ended: their difference leaves pauses out. */
  readonly activeFrom: number
  readonly activeTo: number | undefined
  /** Spending of the whole run when the step began and ended. Calls that were under way count when they finish. */
  readonly spentFrom: Spending
  readonly spentTo: Spending | undefined
  readonly rollout: { hard: number; soft: number; scored: number; failed: number } | undefined
  readonly proposed: { readonly patches: number; readonly failure: number; readonly success: number }
  /** In a round of trials: those that were decided on in it, as they were then. */
  readonly edits: readonly EditView[]
  readonly round: RoundView | undefined
  readonly optimizerFailures: number
  readonly candidate: { readonly skill: string; readonly text: string } | undefined
  readonly evaluation:
    | { hard: number; soft: number; scored: number; failed: number; score: number }
    | undefined
  readonly gate: GateView | undefined
  readonly outcome: StepOutcome | undefined
}

export type StepOutcome = EventBody<'step.finished'>['outcome']

export interface EpochEndView {
  readonly epoch: number
  readonly slowUpdate: EventBody<'slow-update.finished'> | undefined
  readonly slowUpdateGate: GateView | undefined
  readonly metaSkill: EventBody<'meta-skill.finished'> | undefined
}

export const noSpending: Spending = {
  calls: 0,
  tries: 0,
  failedTries: 0,
  input: 0,
  output: 0,
  cachedInput: 0,
  unknownUsage: 0,
  cost: 0,
  unknownCost: 0,
  perhaps: { input: 0, output: 0, cost: 0 },
}

export function createView(): RunView {
  return {
    run: '',
    kind: 'train',
    product: '',
    simulated: false,
    config: undefined,
    sources: {},
    seedSkill: '',
    tasks: { train: 0, val: 0, test: 0 },
    epochs: 0,
    stepsPerEpoch: 0,
    forkedFrom: undefined,
    importedFrom: undefined,
    loop: 'steps',
    events: 0,
    startedAt: 0,
    lastAt: 0,
    activeMs: 0,
    sessions: 0,
    pid: undefined,
    limits: {},
    outcome: 'running',
    stopped: undefined,
    because: undefined,
    epoch: 0,
    step: 0,
    stage: undefined,
    stages: [],
    steps: [],
    epochEnds: [],
    series: { train: [], validation: [], best: [] },
    baseline: undefined,
    versions: [],
    best: undefined,
    lastVerdict: undefined,
    trialEdits: [],
    checkpoints: [],
    finalTest: undefined,
    tests: [],
    testRows: {},
    skills: [],
    evaluations: [],
    oneShot: undefined,
    comparison: undefined,
    mining: undefined,
    spending: { total: noSpending, roles: {}, stages: {} },
    failedTries: {},
    attempts: { scored: 0, failed: 0, cached: 0 },
    failedAttempts: {},
    optimizerFailures: 0,
    unmatchedEdits: 0,
    lastFailure: undefined,
    callsInFlight: 0,
    callsLost: 0,
  }
}
