import type { Dice } from '../random.js'
import { answerTagRule, vagueAdvice } from '../world/phrasing.js'
import { assignmentOf, readAdvice } from '../world/reading.js'
import { rulesBehind } from './rules.js'
import { section, trajectoriesIn } from './sections.js'

/** Writes a whole skill from a few attempts. It has a rule for each cause of failure and general advice. */
export function writeOneShot(text: string, dice: Dice): object {
  const assumed = assignmentOf(readAdvice(section(text, 'instructions') ?? ''))
  const trajectories = trajectoriesIn(text)
  const rules = rulesBehind(
    trajectories.filter(({ passed }) => !passed),
    assumed,
    dice,
  )
  const lines = [`- ${dice.pick(vagueAdvice)}`, ...rules.values(), `- ${answerTagRule}`]
  return {
    new_skill: `# How to answer\n\n${lines.join('\n')}\n`,
    change_summary: `It rests on ${trajectories.length} attempts, which point to ${rules.size} house rules.`,
  }
}
