import type { EventBody, Place } from '../../core/log/event.js'
import type { Run } from '../../core/ports/run.js'
import { ask } from './ask.js'
import { type Comparison, comparisonSection } from './compare.js'
import { metaSkillReply as contract } from './contracts.js'
import { type Memory, stepLine } from './memory.js'
import type { Prompts } from './prompts.js'
import { section, sections } from './render.js'

/**
 * Rewrites the optimizer's notebook for the next epoch. An unusable reply is reported, and the old notebook
 * stays.
 */
export function writeMetaSkill(
  run: Run,
  {
    memory,
    comparisons,
    place,
  }: { readonly memory: Memory; readonly comparisons: readonly Comparison[]; readonly place: Place },
  prompts: Prompts,
): Promise<EventBody<'meta-skill.finished'>> {
  return run.once('meta-skill.finished', `epoch ${place.epoch}`, async () => {
    const history = memory.steps.map(record => stepLine(record)).filter(line => line !== '')
    const content = sections(
      section('previous_meta_skill', memory.metaSkill),
      section('epoch_history', history.length === 0 ? '(no edits were made)' : history.join('\n')),
      await comparisonSection(run, comparisons),
    )
    const answer = await ask(run, prompts, {
      prompt: 'meta-skill',
      content,
      schema: contract,
      scope: `epoch ${place.epoch}`,
      place,
    })
    if (!answer.ok) return { epoch: place.epoch, reasoning: '' }
    const { meta_skill_content, reasoning } = answer.value
    return { epoch: place.epoch, content: meta_skill_content.trim(), reasoning: reasoning ?? '' }
  })
}
