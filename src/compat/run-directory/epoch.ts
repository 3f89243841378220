import type { EventBody } from '../../core/log/event.js'
import { skillHash } from '../../core/skill/skill.js'
import { tracedByLines } from './edits.js'
import { event, type ImportContext, type NewEvent } from './importing.js'
import { metaSkillSchema, pairsSchema, slowUpdateSchema } from './records.js'
import { type TrainingState, versionEvent, versionFile } from './step.js'

type SlowUpdate = EventBody<'slow-update.finished'>

/** Events of an epoch's end: the guidance in the skill and the optimizer's own notes. */
export async function* epochEvents(
  importing: ImportContext,
  { epoch, lastStep }: { readonly epoch: number; readonly lastStep: number },
  before: TrainingState,
): AsyncGenerator<NewEvent, TrainingState> {
  const { folder } = importing
  const name = `epoch_${String(epoch).padStart(2, '0')}`
  const slow = await folder.json(`slow_update/${name}/slow_result.json`, slowUpdateSchema)
  const outcome = slow === undefined ? undefined : outcomeOf(slow.action, slow.slow_update_content)
  let after = before
  const text = await folder.text(versionFile(lastStep))
  if (text !== undefined && text !== before.current.text) {
    const current = tracedByLines(before.current, text, `slow-update:${epoch}`)
    const { selection_hard: hard, selection_soft: soft = hard } = slow ?? {}
    const isJudged = outcome === 'accepted' && hard !== undefined && soft !== undefined
    const earned = isJudged
      ? new Map(before.earned).set(skillHash(text), importing.score({ hard, soft }))
      : before.earned
    after = { ...before, current, earned }
    yield versionEvent(importing, after, {
      version: lastStep,
      because: `slow update of epoch ${epoch}: ${outcome ?? 'placed'}`,
    })
  }
  if (slow !== undefined && outcome !== undefined) {
    const pairs = await pairsIn(importing, `slow_update/${name}/comparison_pairs.json`)
    yield event('slow-update.finished', {
      epoch,
      outcome,
      reasoning: slow.reasoning ?? '',
      pairs,
      guidance: slow.slow_update_content,
    })
  }
  const meta = await folder.json(`meta_skill/${name}/meta_skill_result.json`, metaSkillSchema)
  if (meta?.meta_skill_content !== undefined && meta.meta_skill_content !== '') {
    const { meta_skill_content: content, reasoning = '' } = meta
    yield event('meta-skill.finished', { epoch, content, reasoning })
  }
  return after
}

/**
 * Converts the outcome of a slow update to ours. The first epoch has nothing to compare with, so it only
 * inserts an empty region.
 */
function outcomeOf(action = '', content: string | undefined): SlowUpdate['outcome'] {
  if (action.startsWith('force')) return 'forced'
  if (action.startsWith('accept')) return 'accepted'
  if (action.startsWith('reject')) return 'rejected'
  if (/placeholder|inject|first_epoch/.test(action)) return 'placed'
  if (action.startsWith('skip') || action === '') return content === undefined ? 'unchanged' : 'forced'
  return content === undefined ? 'unchanged' : 'failed'
}

async function pairsIn({ folder }: ImportContext, file: string): Promise<SlowUpdate['pairs']> {
  const pairs = await folder.json(file, pairsSchema)
  if (pairs === undefined) return undefined
  const count = (category: RegExp) => pairs.filter(pair => category.test(pair.category)).length
  return {
    improved: count(/^improved/),
    regressed: count(/^regress/),
    persistent: count(/^persistent/),
    stable: count(/^stable/),
  }
}
