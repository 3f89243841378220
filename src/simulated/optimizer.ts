import type { Character } from './character.js'
import { type ChatReply, type ChatRequest, fingerprintOf, systemRoles, textOfRoles } from './chat.js'
import { analyseFailures, analyseSuccesses } from './optimizer/analyst.js'
import { nameConcerned } from './optimizer/concern.js'
import { writeVariants } from './optimizer/dream.js'
import { writeMetaSkill, writeSlowUpdate } from './optimizer/epoch-end.js'
import { mergeEdits } from './optimizer/merge.js'
import { writeTask } from './optimizer/mine.js'
import { writeOneShot } from './optimizer/one-shot.js'
import { decideRate, rankEdits } from './optimizer/rank.js'
import {
  consolidateAppendix,
  mergeRewrites,
  mergeSuggestions,
  rewriteFromSuggestions,
} from './optimizer/rewrite.js'
import { userTextOf } from './optimizer/sections.js'
import { type Dice, diceOf } from './random.js'
import { unknownTask } from './target.js'

/**
 * The simulated optimizer. It recognises the requested task from the prompt, reads the evidence in the
 * prompt, and answers in JSON. Like the target, it knows only the messages, so its proposals are as good as
 * the trajectories in them.
 */

/** Share of replies with malformed JSON. Callers must handle it, because real models return it too. */
const malformedRate = 0.025

type Stage = (text: string, dice: Dice, instructions: string, character: Character) => object

/**
 * Text by which a prompt's stage is recognised. The merge comes last, because `support_count` also occurs in
 * listed edits.
 */
const stages: readonly (readonly [string, Stage])[] = [
  ['"skip": null', writeTask],
  ['"variants"', writeVariants],
  ['all_tasks', nameConcerned],
  ['selected_indices', rankEdits],
  ['learning_rate', decideRate],
  ['slow_update_content', writeSlowUpdate],
  ['meta_skill_content', writeMetaSkill],
  // Rewrites of a skill reply with `new_skill` too, so this stage is recognised by its opening words.
  ['skill document of an agent in one go', writeOneShot],
  ['success_patterns', analyseSuccesses],
  ['failure_summary', analyseFailures],
  ['appendix_notes', consolidateAppendix],
  ['one skill document and several rewritten versions', mergeRewrites],
  ['new_skill', rewriteFromSuggestions],
  ['"suggestions"', mergeSuggestions],
  ['support_count', mergeEdits],
]

export function answerAsOptimizer(request: ChatRequest, character: Character): ChatReply {
  const text = userTextOf(request)
  const asked = stageOf(request, text)
  if (asked === undefined) return { content: unknownTask }
  const dice = diceOf('optimizer', fingerprintOf(request))
  const json = JSON.stringify(asked.stage(text, dice, asked.instructions, character), null, 2)
  const isRepair = request.messages.some(message => message.role === 'assistant')
  return { content: !isRepair && dice.chance(malformedRate) ? spoil(json, dice) : json }
}

/**
 * Recognises the stage of a request. The description of the reply may be in the system message, in the user's
 * text around the tagged sections, or in the schema.
 */
function stageOf(
  request: ChatRequest,
  userText: string,
): { readonly stage: Stage; readonly instructions: string } | undefined {
  const schema = JSON.stringify(request.response_format ?? {})
  const around = userText.replace(/<(\w+)>[\s\S]*?<\/\1>/g, '')
  for (const instructions of [textOfRoles(request, systemRoles), around, schema]) {
    const found = stages.find(([key]) => instructions.includes(key))
    if (found !== undefined) return { stage: found[1], instructions }
  }
  return undefined
}

function spoil(json: string, dice: Dice): string {
  return dice.chance(0.5)
    ? json.replace(/\n\}$/, ',\n}')
    : `Here is what I found.\n\n\`\`\`json\n${json}\n\`\`\`\n\nLet me know if more is needed.`
}
