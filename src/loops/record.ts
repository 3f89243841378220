import type { EventBody, Place, StageName } from '../core/event.js'
import type { Run } from '../core/ports.js'
import { skillHash } from '../core/skill.js'
import type { Attempt, Task } from '../core/task.js'
import { candidateKey, numbered } from '../stages/compose.js'
import type { StepRecord } from '../stages/memory.js'
import { rowOf, summarize } from '../stages/rollout.js'
import { droppedEdits } from './attribution.js'
import type { Candidate } from './candidates.js'
import type { Raced } from './race.js'
import { storedSkill, type TrainingState } from './state.js'
import type { Training } from './training.js'

/** What the loop tells its readers. Every notice has a key, so passing here again on resume writes nothing twice. */

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

export async function recordUpdates(
  run: Run,
  candidates: readonly Candidate[],
  { epoch, step }: Place,
): Promise<void> {
  for (const { number, edits, update } of candidates) {
    const { skill, text } = storedSkill(run, update.document)
    const further = number === 1 ? {} : { ...numbered(number), from: edits.map(edit => edit.id) }
    const body = { epoch, step, ...further, skill, text, reports: [...update.reports] }
    await run.emit('update.finished', body, candidateKey(step, number))
  }
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
  raced: readonly Raced[],
  { epoch }: Place,
): Promise<void> {
  await recordVersion(run, state, `step ${step}: ${outcome}`)
  const left = raced.filter(({ isUntried }) => isUntried).map(({ update }) => skillHash(update.document.text))
  const untried = left.length === 0 ? {} : { untried: left }
  const body = { epoch, step, outcome, skill: skillHash(state.current.text), ...untried }
  await run.emit('step.finished', body, `step ${step}`)
}

/**
 * What a step tried and what came of it, for later steps of the epoch and for the meta skill: a record for each candidate
 * that was judged. The first is the step's own, and its outcome the step's: that of the accepted candidate if there is
 * one, else of one that could not be judged, else of any.
 */
export function stepRecords(
  step: number,
  raced: readonly Raced[],
  reflected: readonly EventBody<'reflect.finished'>[],
): readonly [StepRecord, ...StepRecord[]] {
  const patches = reflected.flatMap(reflection => reflection.patches)
  const patterns = patches.flatMap(patch => patch.patterns)
  const judged = raced
    .flatMap(candidate => verdictOn(step, candidate) ?? [])
    .toSorted((one, other) => weight.indexOf(one.outcome) - weight.indexOf(other.outcome))
  const [own, ...others] = judged
  if (own !== undefined) return [{ ...own, patterns }, ...others]

  const edits = raced.flatMap(candidate => candidate.edits)
  const outcome = (): StepRecord['outcome'] => {
    if (raced.some(({ update }) => update.failed > 0)) return 'optimizer-failed'
    if (edits.length > 0) return 'nothing-applied'
    const unusable = reflected.some(reflection => reflection.failed > 0) && patches.length === 0
    return unusable ? 'optimizer-failed' : 'no-edits'
  }
  return [{ step, outcome: outcome(), edits, patterns }]
}

const weight: readonly StepRecord['outcome'][] = ['accepted', 'abstained', 'rejected']

function verdictOn(step: number, { edits, screened, decided, attribution }: Raced): StepRecord | undefined {
  if (decided !== undefined) {
    const { action, current: before, score: after, verdict } = decided
    const outcome = action === 'reject' ? 'rejected' : action === 'abstain' ? 'abstained' : 'accepted'
    const dropped = droppedEdits(attribution)
    return { step, outcome, edits, dropped, before, after, complete: verdict.complete, patterns: [] }
  }
  if (screened?.verdict === 'killed') return { step, outcome: 'rejected', edits, patterns: [] }
  return undefined
}
