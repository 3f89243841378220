import { epochEndOf } from '../../../core/config/loop-defaults.js'
import type { EventBody, Place, RecordedEdit } from '../../../core/log/event.js'
import { type Comparison, choosePairs, countPairs, rolloutPairs } from '../../stages/compare.js'
import type { StepRecord } from '../../stages/memory.js'
import { writeMetaSkill } from '../../stages/meta-skill.js'
import { writeGuidance } from '../../stages/slow-update.js'
import { pendingIn } from './pool.js'
import type { TrialTraining } from './training.js'
import type { TrialState } from './trial-state.js'

/**
 * Runs after an epoch, if enabled. The optimizer rewrites its notes from the verdicts of the epoch, and the
 * slow update becomes an ordinary edit, which is tried in the next epoch.
 */
export async function lookBack(
  training: TrialTraining,
  state: TrialState,
  round: number,
): Promise<TrialState> {
  const { run, setup } = training
  const { hasSlowUpdate, hasMetaSkill } = epochEndOf(setup.config)
  const epoch = training.epochOf(round)
  const place: Place = { stage: 'slow-update', epoch, step: round }
  const comparisons = hasSlowUpdate ? await compareEpoch(training, state, place) : []
  const memory = { steps: decidedSince(state, round - training.roundsPerEpoch), metaSkill: state.metaSkill }
  const [guidance, notes] = await Promise.all([
    comparisons.length === 0 ? [] : writeSlowUpdate(training, state, { comparisons, place }),
    // Without verdicts or comparisons there is nothing to write notes about.
    hasMetaSkill && memory.steps.length + comparisons.length > 0
      ? writeMetaSkill(run, { memory, comparisons, place: { ...place, stage: 'meta-skill' } }, setup.prompts)
      : undefined,
  ])
  return { ...state, guidance, epochStart: state.current, metaSkill: notes?.content ?? state.metaSkill }
}

/**
 * Compares the skill at the start and at the end of an epoch. Skipped if it is unchanged, or while the last
 * slow update is on trial.
 */
async function compareEpoch(
  { run, setup, plan }: TrialTraining,
  { pool, current, epochStart }: TrialState,
  place: Place,
): Promise<readonly Comparison[]> {
  const isOnTrial = pendingIn(pool).some(({ edit }) => edit.id.startsWith(slowUpdateId('')))
  if (isOnTrial || current.text === epochStart.text) return []
  const { epoch } = place
  const tasks = plan.sample(epoch, setup.config.optimizer.slowUpdate.samples)
  await run.emit('stage.started', { ...place, total: 2 * tasks.length }, `slow-update epoch ${epoch}`)
  return rolloutPairs(run, {
    before: epochStart.text,
    after: current.text,
    tasks,
    scope: `epoch ${epoch}`,
    place,
  })
}

const slowUpdateId = (epoch: number | '') => `slow-update:${epoch}`

interface Compared {
  readonly comparisons: readonly Comparison[]
  readonly place: Place
}

async function writeSlowUpdate(
  { run, setup }: TrialTraining,
  { current, epochStart }: TrialState,
  { comparisons, place }: Compared,
): Promise<readonly RecordedEdit[]> {
  const { epoch } = place
  const shown = choosePairs(comparisons, setup.config.optimizer.slowUpdate.pairs)
  const { preferences } = setup.config.reflect
  const told = { prompts: setup.prompts, limit: setup.limit, preferences }
  const finish = (outcome: EventBody<'slow-update.finished'>['outcome'], said: Said) =>
    run.emit(
      'slow-update.finished',
      { epoch, pairs: countPairs(comparisons), outcome, ...said },
      `epoch ${epoch}`,
    )
  if (shown.length === 0) {
    await finish('unchanged', { reasoning: 'There were no such pairs to show.' })
    return []
  }
  const answer = await writeGuidance(
    run,
    { previous: epochStart.text, current: current.text, comparisons: shown, place },
    told,
  )
  if (!answer.ok) {
    await finish('failed', { reasoning: answer.problem })
    return []
  }
  const { guidance, reasoning } = answer.value
  await finish(guidance === '' ? 'unchanged' : 'proposed', answer.value)
  if (guidance === '') return []
  const tasks = shown.map(({ after }) => after.task)
  return [
    {
      op: 'append',
      content: guidance,
      id: slowUpdateId(epoch),
      why: reasoning,
      support: shown.length,
      from: 'failure',
      tasks,
    },
  ]
}

interface Said {
  readonly guidance?: string
  readonly reasoning: string
}

/** Verdicts after this round, as records for the optimizer to learn from. */
function decidedSince({ pool }: TrialState, since: number): readonly StepRecord[] {
  return pool.edits
    .filter(({ decided }) => (decided ?? 0) > since)
    .map(({ edit, status, decided = 0 }) => {
      const effect = pool.estimates.get(edit.id)?.effect.mean
      const outcome = status === 'accepted' ? 'accepted' : 'rejected'
      return {
        step: decided,
        outcome,
        edits: [edit],
        ...(effect === undefined ? {} : { effect }),
        patterns: [],
      }
    })
}
