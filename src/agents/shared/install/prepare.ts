import { isUtf8 } from 'node:buffer'
import { InputError } from '../../../core/errors/errors.js'
import { type AgentSkillField, asAgentSkill } from '../../../core/skill/agent-skill.js'
import { hiddenTextIn } from '../../../core/skill/hidden-text.js'
import { listed } from '../../../core/text/format.js'
import type { SkillFile } from './supporting-files.js'

export interface PreparedSkill {
  readonly name: string
  readonly text: string
  /** Notes for the user: what was added, and where the skill deviates from the recommended form. */
  readonly notes: readonly string[]
}

/**
 * Puts the skill into the form that agents expect. Its body is unchanged. The markers of protected regions
 * stay too: they are comments, and later training needs them.
 */
export function prepareSkill(
  text: string,
  wanted: { readonly name?: string | undefined; readonly description?: string | undefined },
  shownAs: string,
): PreparedSkill {
  const skill = asAgentSkill(text, wanted)
  const errors = skill.findings.filter(({ level }) => level === 'error')
  if (errors.length > 0) {
    throw new InputError(
      `${shownAs} is not a valid Agent Skill: ${errors.map(({ message }) => message).join('; ')}.`,
      { hint: [...new Set(errors.map(({ hint }) => hint)), flagHint].join(' ') },
    )
  }
  return {
    name: skill.name,
    text: skill.text,
    notes: [...additionNotes(skill.added, wanted), ...skill.findings.map(({ message }) => message)],
  }
}

const flagHint = 'Correct the file, or give --name and --description.'

function additionNotes(
  added: Readonly<Partial<Record<AgentSkillField, string>>>,
  wanted: Partial<Record<AgentSkillField, string | undefined>>,
): string[] {
  return (['name', 'description'] as const)
    .filter(field => added[field] !== undefined && wanted[field] === undefined)
    .map(field => `it had no ${field}: "${added[field]}" was added; choose another with --${field}`)
}

/** Refuses files with text that the agent reads but a person cannot see. */
export function refuseHiddenText(files: readonly SkillFile[]): void {
  const places = files.filter(({ content }) => isUtf8(content) && !content.includes(0)).flatMap(placesIn)
  if (places.length === 0) return
  throw new InputError(`The skill contains text that agents read but people cannot see: ${listed(places)}.`, {
    hint: 'Nothing was installed. Remove it from the file, or pass --allow-hidden if you know what it says.',
  })
}

function placesIn({ path, content }: SkillFile): string[] {
  const isMarkdown = /\.(?:md|mdx|markdown)$/i.test(path)
  return hiddenTextIn(content.toString('utf8'), { isMarkdown }).map(
    ({ line, what }) => `${path}, line ${line}: ${what}`,
  )
}
