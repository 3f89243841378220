import { epochEndOf } from '../../../core/config/loop-defaults.js'
import type { EventBody, Place } from '../../../core/log/event.js'
import { type SkillDocument, setRegion } from '../../../core/skill/document.js'
import { type Comparison, choosePairs, compareSkills, countPairs } from '../../stages/compare.js'
import type { Memory } from '../../stages/memory.js'
import { writeMetaSkill } from '../../stages/meta-skill.js'
import { writeGuidance } from '../../stages/slow-update.js'
import { accept, gate, isAccepted, type Training } from '../training.js'
import { type TrainingState, withSkill } from '../training-state.js'
import { recordVersion } from './record-step.js'

/**
 * From the second epoch on, or from the first if an earlier run exists, compares the same train tasks under
 * the skill of an epoch ago and the current one, to show what single steps miss. The skill gets long-term
 * guidance if the gate accepts it, and the optimizer's notebook is rewritten.
 */
export async function epochEnd(
  training: Training,
  epoch: number,
  epochStart: SkillDocument | undefined,
  state: TrainingState,
  memory: Memory,
): Promise<{ state: TrainingState; memory: Memory }> {
  const { run, setup, plan } = training
  const { hasSlowUpdate, hasMetaSkill } = epochEndOf(setup.config)
  const cleared = { ...memory, steps: [] }
  if (epochStart === undefined || !(hasSlowUpdate || hasMetaSkill)) return { state, memory: cleared }

  const place: Place = { stage: 'slow-update', epoch, step: state.version }
  const tasks = plan.sample(epoch, setup.config.optimizer.slowUpdate.samples)
  await run.emit('stage.started', { ...place, total: 2 * tasks.length }, `slow-update epoch ${epoch}`)
  const skills = [epochStart.text, state.current.text] as const
  const comparisons = await compareSkills(run, ...skills, tasks, `epoch ${epoch}`, place)

  const [updated, notebook] = await Promise.all([
    hasSlowUpdate ? updateSlowly(training, epochStart, state, comparisons, place) : state,
    hasMetaSkill
      ? writeMetaSkill(run, memory, comparisons, setup.prompts, { ...place, stage: 'meta-skill' })
      : undefined,
  ])
  return { state: updated, memory: { ...cleared, metaSkill: notebook?.content ?? memory.metaSkill } }
}

async function updateSlowly(
  training: Training,
  epochStart: SkillDocument,
  state: TrainingState,
  comparisons: readonly Comparison[],
  place: Place,
): Promise<TrainingState> {
  const { run, setup } = training
  const { accept: acceptance, pairs: policy } = setup.config.optimizer.slowUpdate
  const { epoch, step } = place
  const finish = async (
    next: TrainingState,
    outcome: EventBody<'slow-update.finished'>['outcome'],
    said: { guidance?: string; reasoning: string },
  ) => {
    if (next.current !== state.current)
      await recordVersion(run, next, `slow update of epoch ${epoch}: ${outcome}`)
    const body = { epoch, pairs: countPairs(comparisons), outcome, ...said }
    await run.emit('slow-update.finished', body, `epoch ${epoch}`)
    return next
  }

  const shown = choosePairs(comparisons, policy)
  if (shown.length === 0)
    return finish(state, 'unchanged', { reasoning: `There were no ${policy} pairs to show.` })
  const { preferences } = setup.config.reflect
  const told = { prompts: setup.prompts, limit: setup.limit, preferences }
  const answer = await writeGuidance(run, epochStart.text, state.current.text, shown, told, place)
  if (!answer.ok) return finish(state, 'failed', { reasoning: answer.problem })
  const candidate = setRegion(state.current, 'SLOW_UPDATE', answer.value.guidance, `slow-update:${epoch}`)
  if (candidate.text === state.current.text) return finish(state, 'unchanged', answer.value)
  const refusal = setup.limit?.objection(state.current.text, candidate.text)
  if (refusal !== undefined) return finish(state, 'rejected', { ...answer.value, reasoning: refusal })

  // Forced text has no score until it is evaluated itself, before the next comparison or at the end.
  if (acceptance === 'force')
    return finish(await withSkill(run, state, candidate, undefined), 'forced', answer.value)
  const decided = await gate(training, state, candidate, 'slow-update', { stage: 'gate', epoch, step })
  if (!isAccepted(decided)) {
    return finish(state, decided.action === 'abstain' ? 'abstained' : 'rejected', answer.value)
  }
  return finish(await accept(run, state, candidate, decided, state.version), 'accepted', answer.value)
}
