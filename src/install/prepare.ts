import { checkAgentSkill, suggestDescription, suggestName } from '../core/agent-skill.js'
import { InputError } from '../core/errors.js'
import { readFrontmatter, withFields } from '../core/frontmatter.js'

export interface PreparedSkill {
  readonly name: string
  readonly text: string
  /** What was added or is not as advised, for the person to know. */
  readonly notes: readonly string[]
}

/**
 * The skill as agents want it. Only the frontmatter is touched, and only where something is missing or was asked for:
 * the body is what was evaluated, markers of protected regions included (they are comments, and training goes on
 * from them).
 */
export function prepareSkill(
  text: string,
  wanted: { readonly name?: string | undefined; readonly description?: string | undefined },
  shownAs: string,
): PreparedSkill {
  const frontmatter = readFrontmatter(text)
  const own = frontmatter.state === 'read' ? frontmatter.fields : {}
  const added = {
    ...missing('name', own.name, wanted.name, () => suggestName(text)),
    ...missing('description', own.description, wanted.description, () => suggestDescription(text)),
  }
  const written = frontmatter.state === 'broken' ? text : withFields(text, added)
  const name = added.name ?? String(own.name)
  const findings = checkAgentSkill(written, name)
  const errors = findings.filter(({ level }) => level === 'error')
  if (errors.length > 0) {
    throw new InputError(
      `${shownAs} is not a valid Agent Skill: ${errors.map(({ message }) => message).join('; ')}.`,
      { hint: [...new Set(errors.map(({ hint }) => hint)), flagHint].join(' ') },
    )
  }
  return {
    name,
    text: written,
    notes: [...suggested(added, wanted), ...findings.map(({ message }) => message)],
  }
}

const flagHint = 'Correct the file, or give --name and --description.'

type Field = 'name' | 'description'

/** The field to write: what was asked for, or a suggestion where the skill has none. */
function missing(
  field: Field,
  own: unknown,
  wanted: string | undefined,
  suggest: () => string,
): Partial<Record<Field, string>> {
  if (wanted !== undefined) return wanted === own ? {} : { [field]: wanted }
  return own === undefined || own === null || own === '' ? { [field]: suggest() } : {}
}

function suggested(
  added: Partial<Record<Field, string>>,
  wanted: Partial<Record<Field, string | undefined>>,
): string[] {
  return (['name', 'description'] as const)
    .filter(field => added[field] !== undefined && wanted[field] === undefined)
    .map(field => `it had no ${field}: "${added[field]}" was added; choose another with --${field}`)
}
