import type { Dice } from '../random.js'
import type { ConventionId } from '../world/conventions.js'
import { adviceLines, type Reading } from '../world/reading.js'

/** An edit in the JSON form that the optimizer returns. */
export interface ProposedEdit {
  readonly op: 'append' | 'insert_after' | 'replace' | 'delete'
  readonly target?: string
  readonly content?: string
  readonly trajectories?: readonly number[]
  /**
   * Description of the cause, if the prompt asks for several remedies per cause. `applies_to` describes the
   * affected tasks.
   */
  readonly cause?: string
  readonly applies_to?: string
}

const misquoteRate = 0.02
const insertRate = 0.35

/** Lines that an edit may quote. They occur once in the text and are outside protected regions. */
export function editableLines(skill: string): string[] {
  const open = skill.replace(/<!-- (\w+)_START -->[\s\S]*?<!-- \1_END -->/g, '')
  return adviceLines(open).filter(line => skill.split(line).length === 2)
}

/** Places a rule in the skill: instead of the line it contradicts, after a related line, or at the end. */
export function placeRule(
  id: ConventionId,
  rule: string,
  skill: string,
  reading: Reading,
  dice: Dice,
): ProposedEdit {
  const editable = editableLines(skill)
  const statements = reading.statements.get(id) ?? []
  const contradicted = statements.find(statement => editable.includes(statement.line))
  if (contradicted !== undefined && aboutOneThing(contradicted.line, reading)) {
    return {
      op: 'replace',
      target: quote(contradicted.line, dice),
      content: bulletOf(contradicted.line) + rule,
    }
  }
  return addLine(rule, skill, dice)
}

export function addLine(rule: string, skill: string, dice: Dice): ProposedEdit {
  const anchor = dice.chance(insertRate) ? dice.pick(editableLines(skill)) : undefined
  if (anchor === undefined) return { op: 'append', content: `- ${rule}` }
  const bullet = bulletOf(anchor)
  return {
    op: 'insert_after',
    target: quote(anchor, dice),
    content: `${bullet === '' ? '- ' : bullet}${rule}`,
  }
}

/** Whether a line states only one rule. Replacing a line with several would lose the others. */
function aboutOneThing(line: string, reading: Reading): boolean {
  return (
    [...reading.statements.values()].filter(stated => stated.some(each => each.line === line)).length === 1
  )
}

function bulletOf(line: string): string {
  return /^\s*(?:[-*+]|\d+[.)])\s+/.exec(line)?.[0] ?? ''
}

/** Quotes a line of the skill, occasionally wrong, because models quote from memory. */
function quote(line: string, dice: Dice): string {
  return dice.chance(misquoteRate) ? line.replace(/\b(the|is|a|to|and)\b/, 'any') : line
}
