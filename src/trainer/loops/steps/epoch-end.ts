import { epochEndOf } from '../../../core/config/loop-defaults.js'
import type { EventBody, Place } from '../../../core/log/event.js'
import { type SkillDocument, setRegion } from '../../../core/skill/document.js'
import { type Comparison, choosePairs, countPairs, rolloutPairs } from '../../stages/compare.js'
import type { Memory } from '../../stages/memory.js'
import { writeMetaSkill } from '../../stages/meta-skill.js'
import { writeGuidance } from '../../stages/slow-update.js'
import {
  acceptCandidate,
  gateCandidate,
  isAccepted,
  type Training,
  type TrainingState,
  withSkill,
} from '../training.js'
import { recordVersion } from './step.js'

interface EpochEnd {
  readonly epoch: number
  /** The skill to compare with; absent in the first epoch of a standalone run. */
  readonly epochStart: SkillDocument | undefined
  readonly state: TrainingState
  readonly memory: Memory
}

/**
 * From the second epoch on, or from the first if there was an earlier run, compares the same train tasks
 * under the skill of an epoch ago and the current one, which shows what single steps miss. The skill then
 * gets long-term guidance if the gate accepts it, and the optimizer's notebook is rewritten.
 */
export async function epochEnd(
  training: Training,
  { epoch, epochStart, state, memory }: EpochEnd,
): Promise<{ state: TrainingState; memory: Memory }> {
  const { run, setup, plan } = training
  const { hasSlowUpdate, hasMetaSkill } = epochEndOf(setup.config)
  const cleared = { ...memory, steps: [] }
  if (epochStart === undefined || !(hasSlowUpdate || hasMetaSkill)) return { state, memory: cleared }

  const place: Place = { stage: 'slow-update', epoch, step: state.version }
  const tasks = plan.sample(epoch, setup.config.optimizer.slowUpdate.samples)
  await run.emit('stage.started', { ...place, total: 2 * tasks.length }, `slow-update epoch ${epoch}`)
  const skills = { before: epochStart.text, after: state.current.text }
  const comparisons = await rolloutPairs(run, { ...skills, tasks, scope: `epoch ${epoch}`, place })

  const [updated, notebook] = await Promise.all([
    hasSlowUpdate ? slowUpdate(training, state, { epochStart, comparisons, place }) : state,
    hasMetaSkill
      ? writeMetaSkill(run, { memory, comparisons, place: { ...place, stage: 'meta-skill' } }, setup.prompts)
      : undefined,
  ])
  return { state: updated, memory: { ...cleared, metaSkill: notebook?.content ?? memory.metaSkill } }
}

async function slowUpdate(
  training: Training,
  state: TrainingState,
  {
    epochStart,
    comparisons,
    place,
  }: {
    readonly epochStart: SkillDocument
    readonly comparisons: readonly Comparison[]
    readonly place: Place
  },
): Promise<TrainingState> {
  const { run, setup } = training
  const { accept: acceptance, pairs: policy } = setup.config.optimizer.slowUpdate
  const { epoch, step } = place
  const finish = async (
    next: TrainingState,
    outcome: EventBody<'slow-update.finished'>['outcome'],
    answer: { guidance?: string; reasoning: string },
  ) => {
    if (next.current !== state.current)
      await recordVersion(run, next, `slow update of epoch ${epoch}: ${outcome}`)
    const body = { epoch, pairs: countPairs(comparisons), outcome, ...answer }
    await run.emit('slow-update.finished', body, `epoch ${epoch}`)
    return next
  }

  const shown = choosePairs(comparisons, policy)
  if (shown.length === 0) return finish(state, 'unchanged', { reasoning: `No ${policy} pairs to show.` })
  const { prompts, limit } = setup
  const { preferences } = setup.config.reflect
  const texts = { previous: epochStart.text, current: state.current.text }
  const input = { ...texts, comparisons: shown, place }
  const answer = await writeGuidance(run, input, { prompts, limit, preferences })
  if (!answer.ok) return finish(state, 'failed', { reasoning: answer.problem })
  const candidate = setRegion(state.current, 'SLOW_UPDATE', {
    text: answer.value.guidance,
    origin: `slow-update:${epoch}`,
  })
  if (candidate.text === state.current.text) return finish(state, 'unchanged', answer.value)
  const refusal = setup.limit?.objection(state.current.text, candidate.text)
  if (refusal !== undefined) return finish(state, 'rejected', { ...answer.value, reasoning: refusal })

  // A forced slow update has no score until the new text is evaluated, before the next comparison or at the
  // end.
  if (acceptance === 'force')
    return finish(await withSkill(run, state, { document: candidate }), 'forced', answer.value)
  const decided = await gateCandidate(training, state, {
    candidate,
    what: 'slow-update',
    place: { stage: 'gate', epoch, step },
  })
  if (!isAccepted(decided)) {
    return finish(state, decided.action === 'abstain' ? 'abstained' : 'rejected', answer.value)
  }
  return finish(
    await acceptCandidate(run, state, { candidate, decided, version: state.version }),
    'accepted',
    answer.value,
  )
}
