import type { EventBody, RecordedEdit } from '../../../core/log/event.js'
import type { Run } from '../../../core/ports/run.js'
import { skillHash } from '../../../core/skill/skill.js'
import type { Attempt, Task } from '../../../core/task/task.js'
import type { Update } from '../../stages/compose.js'
import type { StepRecord } from '../../stages/memory.js'
import { rowOf, summarize } from '../../stages/rollout.js'
import {
  acceptCandidate,
  ensureScored,
  gateCandidate,
  isAccepted,
  storedSkill,
  type Training,
  type TrainingState,
} from '../training.js'

interface StepStart {
  readonly epoch: number
  readonly step: number
  readonly skill: string
  readonly batches: readonly (readonly Task[])[]
  /** Maximum number of edits by the schedule. */
  readonly budget: number
}

/** Logs the start of a step. All events of a step have keys, so a resumed run logs nothing twice. */
export async function startStep({ run, setup }: Training, start: StepStart): Promise<void> {
  const { epoch, step, skill, batches, budget } = start
  const tasks = batches.flat().map(task => task.id)
  const key = `step ${step}`
  await run.emit('step.started', { epoch, step, budget, tasks, skill: skillHash(skill) }, key)
  const total = tasks.length * setup.config.train.samples
  await run.emit('stage.started', { stage: 'rollout', epoch, step, total }, `rollout ${key}`)
  const analysts = Math.ceil(tasks.length / setup.config.reflect.minibatchSize)
  await run.emit('stage.started', { stage: 'reflect', epoch, step, total: analysts }, `reflect ${key}`)
}

export async function recordRollout(
  run: Run,
  attempts: readonly Promise<Attempt>[],
  { epoch, step, round }: { readonly epoch: number; readonly step: number; readonly round: number },
): Promise<void> {
  const rows = (await Promise.all(attempts)).map(rowOf)
  await run.emit('rollout.finished', { epoch, step, round, ...summarize(rows) }, `step ${step}.${round}`)
}

export interface Decision {
  readonly state: TrainingState
  /**
   * The gate's decision; undefined if the candidate equals the current skill, so that there is nothing to
   * decide.
   */
  readonly decided: EventBody<'gate.decided'> | undefined
}

/** Held-out validation: the candidate replaces the current skill only if the gate accepts it. */
export async function decide(
  training: Training,
  before: TrainingState,
  { update, epoch, step }: { readonly update: Update; readonly epoch: number; readonly step: number },
): Promise<Decision> {
  const { run } = training
  const { document: candidate } = update
  const { skill, text } = storedSkill(run, candidate)
  const body = { epoch, step, skill, text, reports: [...update.reports] }
  await run.emit('update.finished', body, `step ${step}`)
  if (candidate.text === before.current.text) return { state: before, decided: undefined }
  const state = await ensureScored(training, before, { stage: 'baseline', epoch, step })
  const decided = await gateCandidate(training, state, {
    candidate,
    what: 'step',
    place: { stage: 'gate', epoch, step },
  })
  if (!isAccepted(decided)) return { state, decided }
  return { state: await acceptCandidate(run, state, { candidate, decided, version: step }), decided }
}

export async function recordVersion(run: Run, state: TrainingState, because: string): Promise<void> {
  const { version, score, current } = state
  const body = { ...storedSkill(run, current), version, because, score }
  await run.emit('skill.version', body, `v${version} ${because}`)
}

export interface StepResult {
  readonly step: number
  /** The edits selected for the candidate. */
  readonly edits: readonly RecordedEdit[]
  readonly update: Update
  readonly decided: EventBody<'gate.decided'> | undefined
  readonly reflected: readonly EventBody<'reflect.finished'>[]
}

/** Logs the skill after a step and the step's outcome, and returns the outcome for later steps. */
export async function finishStep(
  run: Run,
  state: TrainingState,
  { epoch, ...result }: StepResult & { readonly epoch: number },
): Promise<StepRecord> {
  const record = stepRecord(result)
  const { step, outcome } = record
  await recordVersion(run, state, `step ${step}: ${outcome}`)
  const body = { epoch, step, outcome, skill: skillHash(state.current.text) }
  await run.emit('step.finished', body, `step ${step}`)
  return record
}

/** A step's edits and their outcome, for later steps of the epoch and for the meta skill. */
export function stepRecord({ step, edits, update, decided, reflected }: StepResult): StepRecord {
  const patches = reflected.flatMap(reflection => reflection.patches)
  const patterns = patches.flatMap(patch => patch.patterns)
  if (decided !== undefined) {
    const { action, current: before, score: after, verdict } = decided
    const outcome = action === 'reject' ? 'rejected' : action === 'abstain' ? 'abstained' : 'accepted'
    return { step, outcome, edits, before, after, complete: verdict.complete, patterns }
  }
  const outcome = (): StepRecord['outcome'] => {
    if (update.failed > 0) return 'optimizer-failed'
    if (edits.length > 0) return 'nothing-applied'
    const unusable = reflected.some(reflection => reflection.failed > 0) && patches.length === 0
    return unusable ? 'optimizer-failed' : 'no-edits'
  }
  return { step, outcome: outcome(), edits, patterns }
}
