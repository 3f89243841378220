import type { Place } from '../../core/log/event.js'
import type { Run } from '../../core/ports/run.js'
import { slowUpdateRegion } from '../../core/skill/skill.js'
import type { SkillLimit } from '../../core/skill/skill-limit.js'
import type { Answer } from '../../core/text/json-reply.js'
import { ask } from './ask.js'
import { type Comparison, comparisonSection } from './compare.js'
import { slowUpdateReply as contract } from './contracts.js'
import { type Prompts, withPreferences } from './prompts.js'
import { section, sections } from './render.js'

interface GuidanceInput {
  /** Texts of the skill an epoch ago and now. */
  readonly previous: string
  readonly current: string
  readonly comparisons: readonly Comparison[]
  readonly place: Place
}

interface GuidanceOptions {
  readonly prompts: Prompts
  readonly limit?: SkillLimit | undefined
  /** The user's preferences for the skill. */
  readonly preferences?: string | undefined
}

/** Asks the optimizer for guidance, which goes into the protected region of the skill for the next epoch. */
export async function writeGuidance(
  run: Run,
  { previous, current, comparisons, place }: GuidanceInput,
  { prompts, limit, preferences }: GuidanceOptions,
): Promise<Answer<{ guidance: string; reasoning: string }>> {
  const content = sections(
    section('previous_skill', previous),
    section('current_skill', current),
    section('current_guidance', slowUpdateRegion(current)),
    section('preferences', preferences),
    section('skill_length', limit?.note(current)),
    await comparisonSection(run, comparisons),
  )
  const answer = await ask(run, prompts, {
    prompt: 'slow-update',
    instructions: withPreferences(prompts, 'slow-update', preferences),
    content,
    schema: contract,
    scope: `epoch ${place.epoch}`,
    skill: current,
    place,
  })
  if (!answer.ok) return answer
  const { slow_update_content, reasoning } = answer.value
  return { ok: true, value: { guidance: slow_update_content.trim(), reasoning: reasoning ?? '' } }
}
