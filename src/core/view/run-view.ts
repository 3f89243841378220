import type { EventBody, StageName } from '../log/event.js'
import type { Verdict } from '../ports/gate.js'
import type { Role } from '../ports/model.js'
import type { Interval } from '../statistics/intervals.js'

/**
 * The state of a run as shown by all readers. It holds only aggregates: its size grows with steps, versions
 * and merged edits, never with calls or attempts.
 */
export interface RunView {
  /** Empty until the first event of the log. */
  readonly run: string
  readonly kind: EventBody<'run.started'>['kind']
  readonly product: string
  readonly simulated: boolean
  readonly config: unknown
  readonly sources: Readonly<Record<string, string>>
  readonly seedSkill: string
  /** Number of tasks in each split; 0 also if an imported run did not record it. */
  readonly tasks: { readonly train: number; readonly val: number; readonly test: number }
  readonly epochs: number
  readonly stepsPerEpoch: number
  readonly forkedFrom: string | undefined
  readonly importedFrom: string | undefined
  /** `trials` as soon as a round of trials was designed. A step is then a round. */
  readonly loop: 'steps' | 'trials'

  readonly events: number
  readonly startedAt: number
  readonly lastAt: number
  /** Time within sessions, without the time between a stop and a resume. */
  readonly activeMs: number
  readonly sessions: number
  /**
   * Process id of the last session. With it, a reader on the same machine can tell whether the run is still
   * alive.
   */
  readonly pid: number | undefined
  readonly limits: Readonly<Record<string, number>>
  readonly outcome: RunOutcome
  readonly stopped: { readonly message: string; readonly hint: string | undefined } | undefined
  /** Why a finished training ended: after all epochs, or for an earlier reason. */
  readonly because: string | undefined

  readonly epoch: number
  readonly step: number
  readonly stage: StageName | undefined
  /** Stages of the current step, and a concurrent baseline or test, in order of their start. */
  readonly stages: readonly StageProgress[]
  readonly steps: readonly StepView[]
  readonly epochEnds: readonly EpochEndView[]
  readonly series: {
    readonly train: readonly Point[]
    readonly validation: readonly Point[]
    readonly best: readonly Point[]
  }
  readonly baseline: EventBody<'evaluation.finished'> | undefined
  /** One per version number. A slow update replaces the version of its epoch's last step. */
  readonly versions: readonly EventBody<'skill.version'>[]
  readonly best: EventBody<'best.changed'> | undefined
  /** The gate's verdict on the last skill, if it was validated only at the end of the run. */
  readonly lastVerdict: GateView | undefined
  /** Trials loop: every edit that was ever on trial, in order of admission. */
  readonly trialEdits: readonly TrialEditView[]
  /** Trials loop: comparisons of the skill with the previous checkpoint, on validation. */
  readonly checkpoints: readonly CheckpointView[]
  /** Trials loop: the comparison of the trained skill with the seed. Absent if both are the same text. */
  readonly finalTest: GateView | undefined
  readonly tests: readonly EventBody<'test.finished'>[]
  /** Rows of each skill on the test split, by skill, for paired comparisons. */
  readonly testRows: Readonly<Record<string, string>>
  /** Evaluations: the skills under their latest names. */
  readonly skills: EventBody<'skills.named'>['skills']
  /** Evaluations: the finished splits. A training has steps and tests instead. */
  readonly evaluations: readonly EventBody<'evaluation.finished'>[]
  readonly oneShot: EventBody<'one-shot.finished'> | undefined
  readonly comparison: EventBody<'comparison.finished'> | undefined
  /** Task mining: its result counts. */
  readonly mining: EventBody<'mining.finished'> | undefined

  readonly spending: {
    readonly total: Spending
    readonly roles: Readonly<Partial<Record<Role, Spending>>>
    readonly stages: Readonly<Partial<Record<StageName, Spending>>>
  }
  readonly failedTries: Readonly<Record<string, number>>
  /** `cached` attempts come from other runs and are included in `scored`. */
  readonly attempts: { readonly scored: number; readonly failed: number; readonly cached: number }
  readonly failedAttempts: Readonly<Record<string, number>>
  readonly optimizerFailures: number
  readonly unmatchedEdits: number
  /** The latest failure, shown in the live view. */
  readonly lastFailure: { readonly at: number; readonly kind: string; readonly message: string } | undefined
  readonly callsInFlight: number
  /** Calls in flight when a session ended. They may have been charged although no reply was recorded. */
  readonly callsLost: number
}

/** A view under construction: its fields may be assigned, but their values must not be mutated. */
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
  /** 0 if the amount of work is unknown. */
  readonly total: number
  readonly finished: boolean
  readonly startedAt: number
  readonly lastAt: number
  /**
   * Value of `done` when the current session reached this stage, since a rate must not count the work of
   * earlier sessions.
   */
  readonly doneBefore: number
}

export interface Spending {
  readonly calls: number
  readonly tries: number
  readonly failedTries: number
  readonly input: number
  readonly output: number
  readonly cachedInput: number
  /** Calls whose usage the provider did not report. */
  readonly unknownUsage: number
  /** US dollars for the calls with a known price. */
  readonly cost: number
  readonly unknownCost: number
  /** Reserved amounts of tries that may have been charged although no reply arrived. */
  readonly perhaps: { readonly input: number; readonly output: number; readonly cost: number }
}

export type EditFate =
  | 'merged'
  | 'dropped'
  | 'selected'
  | TrialFate
  | EventBody<'update.finished'>['reports'][number]['status']

/** Status of an edit on trial. A `kept` edit was accepted earlier and passed the last check. */
export type TrialFate = 'on-trial' | EventBody<'edit.decided'>['decision']

/** Evidence from trials of an edit. */
export interface EvidenceView {
  /** Effect on the tasks that the edit concerns, with its 95% interval. Absent before any trials. */
  readonly effect: Interval | undefined
  readonly elsewhere: Interval | undefined
  /** Probability that the edit helps. */
  readonly helps: number
  readonly trials: number
  readonly tasks: number
}

export interface TrialView {
  /**
   * Cause of the failure, in the optimizer's words; empty if the optimizer gave none. Edits with the same
   * cause are alternatives.
   */
  readonly cause: string
  /** Number of train tasks that the edit concerns. */
  readonly concerned: number
  /** The round of admission, and the round of the latest decision. */
  readonly admitted: number
  readonly decided: number | undefined
  readonly evidence: EvidenceView | undefined
}

export interface EditView {
  readonly id: string
  readonly op: EventBody<'aggregate.finished'>['edits'][number]['op']
  /** Subject of a suggestion, or summary of a rewrite. */
  readonly title: string | undefined
  readonly target: string | undefined
  readonly content: string | undefined
  readonly why: string | undefined
  /** Number of supporting proposals; 0 if not recorded. */
  readonly support: number
  readonly from: 'failure' | 'success' | 'unknown'
  /** The first few tasks of `taskCount`. The step's files list all of them. */
  readonly tasks: readonly string[]
  readonly taskCount: number
  readonly fate: EditFate
  readonly reason: string | undefined
  readonly match: 'exact' | 'tolerant' | undefined
  /** Present if the edit is judged by its own trials. */
  readonly trial?: TrialView
}

export type TrialEditView = EditView & { readonly fate: TrialFate; readonly trial: TrialView }

export interface GateView {
  readonly candidate: string
  readonly current: number
  /** The candidate's score, measured or estimated; undefined if a stopped gate gives no estimate. */
  readonly score: number | undefined
  readonly best: number
  readonly action: EventBody<'gate.decided'>['action']
  readonly verdict: Verdict
}

export interface CheckpointView extends GateView {
  readonly epoch: number
  readonly step: number
}

/** A step of the trials loop: one round. */
export interface RoundView {
  /** Number of different skills in the round, and attempts over all of them. */
  readonly variants: number
  readonly attempts: number
  /** Edits admitted before the round, and numbers of duplicate proposals and of those without room. */
  readonly admitted: readonly string[]
  readonly known: number
  readonly full: number
  /** Proposals that were refused, for example for hidden text, with the reason. */
  readonly refused: readonly { readonly edit: string; readonly reason: string }[]
}

export interface StepView {
  readonly epoch: number
  readonly step: number
  readonly budget: number | undefined
  readonly taskCount: number
  readonly skill: string
  readonly startedAt: number
  /** Active time of the whole run when the step began and when it ended. The difference excludes pauses. */
  readonly activeFrom: number
  readonly activeTo: number | undefined
  /** Spending of the whole run at the step's start and end. Calls in flight count when they finish. */
  readonly spentFrom: Spending
  readonly spentTo: Spending | undefined
  readonly rollout: { hard: number; soft: number; scored: number; failed: number } | undefined
  readonly proposed: { readonly patches: number; readonly failure: number; readonly success: number }
  /** In a round of trials: the edits decided in the round, as they were at that decision. */
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
