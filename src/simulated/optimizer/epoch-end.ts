import type { Dice } from '../random.js'
import { vagueAdvice } from '../world/phrasing.js'
import { adviceLines, assignmentOf, readAdvice } from '../world/reading.js'
import { rulesBehind } from './rules.js'
import { pairsIn, section } from './sections.js'

/** The optimizer's replies at the end of an epoch: guidance for the target and notes for itself. */

const mostRules = 6

/** Writes guidance from tasks that got worse or never passed. Old guidance stays unless contradicted. */
export function writeSlowUpdate(text: string, dice: Dice): object {
  const reading = readAdvice(section(text, 'current_skill') ?? '')
  const pairs = pairsIn(text).filter(
    pair => pair.outcome === 'regressed' || pair.outcome === 'persistent_failure',
  )
  const failures = pairs.map(({ question, after, feedback }) => ({ question, reply: after, feedback }))
  const rules = rulesBehind(failures, assignmentOf(reading), dice)
  const kept = adviceLines(section(text, 'current_guidance') ?? '').filter(
    line => ![...readAdvice(line).statements.keys()].some(id => rules.has(id)),
  )
  const lines = [...kept, ...rules.values()].slice(-mostRules)
  if (lines.length === 0) lines.push(`- ${dice.pick(vagueAdvice)}`)
  return {
    reasoning: `${pairs.length} tasks failed under the current skill; the guidance names what they have in common.`,
    slow_update_content: lines.join('\n'),
  }
}

/** Writes notes on which edits the gate accepted and which it rejected. */
export function writeMetaSkill(text: string, dice: Dice): object {
  const history = (section(text, 'epoch_history') ?? '').split('\n').filter(line => !/: delete\b/.test(line))
  const accepted = history.filter(line => /\baccepted\b/i.test(line))
  const rejected = history.filter(line => /\brejected\b/i.test(line))
  const isSpecific = (line: string): boolean => readAdvice(editTextOf(line)).statements.size > 0
  const notes: string[] = []
  if (accepted.some(isSpecific))
    notes.push('- Prefer precise rules that name a figure: such edits were accepted.')
  for (const line of accepted.filter(isSpecific).slice(-4)) notes.push(`- Helped: ${editTextOf(line)}`)
  for (const line of rejected.slice(-4)) notes.push(`- Avoid (was rejected): ${editTextOf(line)}`)
  if (rejected.some(line => readAdvice(editTextOf(line)).brief)) {
    notes.push('- Avoid telling the agent to leave out its working.')
  }
  const previous = adviceLines(section(text, 'previous_meta_skill') ?? '').filter(
    line => !notes.includes(line),
  )
  const kept = [...previous.slice(-6), ...notes]
  if (kept.length === 0)
    kept.push(dice.pick(['- Compare given and expected answers before writing a rule.'] as const))
  return {
    reasoning: `${accepted.length} edits were accepted in this epoch and ${rejected.length} rejected.`,
    meta_skill_content: kept.join('\n'),
  }
}

/**
 * The text that an edit inserts. The step, the verdict, the scores, the replaced text and the quotation marks
 * are left out.
 */
function editTextOf(line: string): string {
  const quoted = /["“](.*)["”]/.exec(line)?.[1]?.replace(/^.*["”] \S+ ["“]/, '')
  return (quoted ?? line.replace(/^[^:]*:\s*/, '')).replace(/^[-*]\s+/, '')
}
