import type { Place } from '../core/event.js'
import type { Answer } from '../core/json-reply.js'
import type { Run } from '../core/ports.js'
import { slowUpdateRegion } from '../core/skill.js'
import { lengthNote, type SkillLimit } from '../core/skill-limit.js'
import { ask } from './ask.js'
import { type Comparison, comparisonSection } from './compare.js'
import { slowUpdate as contract } from './contracts.js'
import type { Prompts } from './prompts.js'
import { section, sections } from './render.js'

/** Asks for the guidance that should stand in the protected region for the next epoch. */
export async function writeGuidance(
  run: Run,
  previous: string,
  current: string,
  comparisons: readonly Comparison[],
  { prompts, limit }: { readonly prompts: Prompts; readonly limit?: SkillLimit },
  place: Place,
): Promise<Answer<{ guidance: string; reasoning: string }>> {
  const content = sections(
    section('previous_skill', previous),
    section('current_skill', current),
    section('current_guidance', slowUpdateRegion(current)),
    section('skill_length', lengthNote(current, limit)),
    await comparisonSection(run, comparisons),
  )
  const answer = await ask(
    run,
    prompts,
    { prompt: 'slow-update', content, schema: contract, scope: `epoch ${place.epoch}` },
    place,
  )
  if (!answer.ok) return answer
  const { slow_update_content, reasoning } = answer.value
  return { ok: true, value: { guidance: slow_update_content.trim(), reasoning: reasoning ?? '' } }
}
