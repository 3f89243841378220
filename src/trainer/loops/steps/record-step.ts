import type { EventBody, Place, RecordedEdit, StageName } from '../../../core/log/event.js'
import type { Run } from '../../../core/ports/run.js'
import { skillHash } from '../../../core/skill/skill.js'
import type { Attempt, Task } from '../../../core/task/task.js'
import type { Update } from '../../stages/compose.js'
import type { StepRecord } from '../../stages/memory.js'
import { rowOf, summarize } from '../../stages/rollout.js'
import type { Training } from '../training.js'
import { storedSkill, type TrainingState } from '../training-state.js'

/** Emits the step's notices to the readers. Every notice has a key, so a resumed run writes nothing twice. */

export async function announceStep(
  { run, setup }: Training,
  skill: string,
  batches: readonly (readonly Task[])[],
  budget: number,
  at: (stage: StageName) => Place,
): Promise<void> {
  const { epoch, step } = at('rollout')
  const tasks = batches.flat().map(task => task.id)
  const key = `step ${step}`
  await run.emit('step.started', { epoch, step, budget, tasks, skill: skillHash(skill) }, key)
  const total = tasks.length * setup.config.train.samples
  await run.emit('stage.started', { ...at('rollout'), total }, `rollout ${key}`)
  const analysts = Math.ceil(tasks.length / setup.config.reflect.minibatchSize)
  await run.emit('stage.started', { ...at('reflect'), total: analysts }, `reflect ${key}`)
}

export async function recordRollout(
  run: Run,
  attempts: readonly Promise<Attempt>[],
  round: number,
  { epoch, step }: Place,
): Promise<void> {
  const rows = (await Promise.all(attempts)).map(rowOf)
  await run.emit('rollout.finished', { epoch, step, round, ...summarize(rows) }, `step ${step}.${round}`)
}

export async function recordUpdate(run: Run, update: Update, { epoch, step }: Place): Promise<void> {
  const { skill, text } = storedSkill(run, update.document)
  const body = { epoch, step, skill, text, reports: [...update.reports] }
  await run.emit('update.finished', body, `step ${step}`)
}

export async function recordVersion(run: Run, state: TrainingState, because: string): Promise<void> {
  const { version, score, current } = state
  const body = { ...storedSkill(run, current), version, because, ...(score === undefined ? {} : { score }) }
  await run.emit('skill.version', body, `v${version} ${because}`)
}

export async function recordStep(
  run: Run,
  state: TrainingState,
  { step, outcome }: StepRecord,
  { epoch }: Place,
): Promise<void> {
  await recordVersion(run, state, `step ${step}: ${outcome}`)
  const body = { epoch, step, outcome, skill: skillHash(state.current.text) }
  await run.emit('step.finished', body, `step ${step}`)
}

export interface StepResult {
  readonly step: number
  /** The edits selected for the candidate. */
  readonly edits: readonly RecordedEdit[]
  readonly update: Update
  readonly decided: EventBody<'gate.decided'> | undefined
  readonly reflected: readonly EventBody<'reflect.finished'>[]
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
