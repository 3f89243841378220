import { readFrontmatter, withFields } from './frontmatter.js'
import { parseSkill } from './skill.js'

/**
 * A problem that keeps a skill from being a proper Agent Skill (agentskills.io/specification). With an error,
 * agents do not load the skill.
 */
export interface AgentSkillFinding {
  readonly level: 'error' | 'warning'
  readonly message: string
  readonly hint: string
}

const longestName = 64
const longestDescription = 1024
const longestCompatibility = 500
/** The specification advises moving longer content into files that the skill references. */
const advisedLines = 500

/** `folderName` is the folder that holds the SKILL.md; without it, the rule about its name is skipped. */
export function checkAgentSkill(text: string, folderName?: string): readonly AgentSkillFinding[] {
  const frontmatter = readFrontmatter(text)
  if (frontmatter.state === 'absent') {
    return [
      {
        level: 'warning',
        message: 'the skill has no frontmatter: it can be trained, but agents cannot find it as it is',
        hint: `Begin it with a line ---, then "name: ${suggestName(text)}" and "description: what it does and when to use it", then ---. skillopt install does so.`,
      },
    ]
  }
  if (frontmatter.state === 'broken') {
    return [
      error(
        `the frontmatter cannot be read (line ${frontmatter.line}): ${frontmatter.problem}`,
        'It is YAML between two lines of ---. Put values that hold ": " or "#" in quotes.',
      ),
    ]
  }
  const { name, description, license, compatibility, metadata } = frontmatter.fields
  return [
    ...checkName(name, text, folderName),
    ...checkDescription(description),
    ...checkText('license', license, Number.POSITIVE_INFINITY),
    ...checkText('compatibility', compatibility, longestCompatibility),
    ...checkMetadata(metadata),
    ...checkTools(frontmatter.fields['allowed-tools']),
    ...checkPower(frontmatter.fields, text),
    ...checkLength(text),
  ]
}

export type AgentSkillField = 'name' | 'description'

/** A skill with all required Agent Skill fields. It is valid if no finding is an error. */
export interface WrittenAgentSkill {
  readonly name: string
  readonly text: string
  readonly added: Readonly<Partial<Record<AgentSkillField, string>>>
  readonly findings: readonly AgentSkillFinding[]
}

/**
 * Adds fields to the frontmatter that are missing or requested, and changes nothing else: the body must stay
 * as evaluated.
 */
export function asAgentSkill(
  text: string,
  wanted: Readonly<Partial<Record<AgentSkillField, string | undefined>>> = {},
): WrittenAgentSkill {
  const own = fieldsOf(text)
  const added = {
    ...missing('name', own.name, wanted.name, () => suggestName(text)),
    ...missing('description', own.description, wanted.description, () => suggestDescription(text)),
  }
  const written = readFrontmatter(text).state === 'broken' ? text : withFields(text, added)
  const name = added.name ?? String(own.name)
  return { name, text: written, added, findings: checkAgentSkill(written, name) }
}

/** The field to write: the requested value, or a suggestion if the skill has none. */
function missing(
  field: AgentSkillField,
  own: unknown,
  wanted: string | undefined,
  suggest: () => string,
): Partial<Record<AgentSkillField, string>> {
  if (wanted !== undefined) return wanted === own ? {} : { [field]: wanted }
  return own === undefined || own === null || own === '' ? { [field]: suggest() } : {}
}

/** A valid name, derived from the skill's own name, its first heading or its first words. */
export function suggestName(text: string): string {
  const { name } = fieldsOf(text)
  const firstWords = firstParagraph(text).split(' ').slice(0, 5).join(' ')
  const candidates = [typeof name === 'string' ? name : '', firstHeading(text), firstWords]
  return candidates.map(asName).find(candidate => candidate !== '') ?? 'my-skill'
}

/** An initial description, taken from the beginning of the skill. */
export function suggestDescription(text: string): string {
  const { description } = fieldsOf(text)
  if (typeof description === 'string' && description.trim() !== '') return description.trim()
  const said = [firstParagraph(text), firstHeading(text), suggestName(text)].find(
    candidate => candidate !== '',
  )
  return shorten(said ?? '', longestDescription)
}

function checkName(name: unknown, text: string, folderName: string | undefined): AgentSkillFinding[] {
  const hint = `Write "name: ${suggestName(text)}", or another of lowercase letters, digits and single hyphens.`
  if (name === undefined || name === null) return [error('the frontmatter has no name', hint)]
  if (typeof name !== 'string') return [error('the name is not text', hint)]
  const findings: AgentSkillFinding[] = []
  const length = [...name].length
  if (length > longestName) {
    findings.push(error(`the name has ${length} characters; ${longestName} are allowed`, hint))
  }
  if (!/^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(name)) {
    findings.push(error(`the name "${name}" ${nameProblem(name)}`, hint))
  }
  if (folderName !== undefined && name !== folderName) {
    const rename = `Rename one of them: agents look a skill up by the name of its folder.`
    findings.push(error(`the name "${name}" is not that of the folder, "${folderName}"`, rename))
  }
  return findings
}

function nameProblem(name: string): string {
  if (name === '') return 'is empty'
  if (/[^a-z0-9-]/.test(name)) return 'holds something else than lowercase letters, digits and hyphens'
  return name.includes('--') ? 'has two hyphens in a row' : 'begins or ends with a hyphen'
}

function checkDescription(description: unknown): AgentSkillFinding[] {
  const hint = 'Say what the skill does and when to use it: agents choose skills by their descriptions.'
  if (description === undefined || description === null || description === '') {
    return [error('the frontmatter has no description', hint)]
  }
  if (typeof description === 'string' && description.trim() === '') {
    return [error('the description is empty', hint)]
  }
  return checkText('description', description, longestDescription)
}

function checkText(field: string, value: unknown, longest: number): AgentSkillFinding[] {
  if (value === undefined) return []
  if (typeof value !== 'string') return [error(`the ${field} is not text`, `Put the ${field} in quotes.`)]
  const length = [...value].length
  if (length <= longest) return []
  return [error(`the ${field} has ${length} characters; ${longest} are allowed`, 'Shorten it.')]
}

function checkMetadata(metadata: unknown): AgentSkillFinding[] {
  if (metadata === undefined) return []
  const hint = 'Write it as lines of "key: text", indented; put numbers in quotes.'
  if (typeof metadata !== 'object' || metadata === null || Array.isArray(metadata)) {
    return [error('the metadata are not a list of keys and values', hint)]
  }
  const others = Object.entries(metadata).filter(([, value]) => typeof value !== 'string')
  if (others.length === 0) return []
  const keys = others.map(([key]) => key).join(', ')
  // Agents accept numbers and lists here, so this is only a warning.
  return [{ level: 'warning', message: `metadata that are not text: ${keys}`, hint }]
}

function checkTools(tools: unknown): AgentSkillFinding[] {
  const fits =
    tools === undefined ||
    typeof tools === 'string' ||
    (Array.isArray(tools) && tools.every(tool => typeof tool === 'string'))
  return fits ? [] : [error('allowed-tools is not text', 'Write the tools on one line, with spaces between.')]
}

/** Commands in a skill that Claude Code runs when it loads the skill, to show the model their output. */
const runsWhenLoaded = /!`[^`\n]+`|^ {0,3}(?:`{3,}|~{3,})!/m

/** Reports the commands and tools that some agents run without asking. */
function checkPower(fields: Readonly<Record<string, unknown>>, text: string): AgentSkillFinding[] {
  const hint = 'Read it before you install the skill, and take out what you do not want to run.'
  const tools = [fields['allowed-tools']].flat().join(' ')
  const found = [
    ...(fields.hooks === undefined
      ? []
      : ['the frontmatter has hooks: commands that an agent runs by itself']),
    ...(/(?:^|[\s,])(?:Bash|\*)(?:\(\s*\*?\s*:?\*?\s*\))?(?=$|[\s,])/.test(tools)
      ? ['allowed-tools lets an agent run any command without asking']
      : []),
    ...(runsWhenLoaded.test(text)
      ? ['the skill has commands that an agent runs when it loads it (!`…`)']
      : []),
  ]
  return found.map(message => ({ level: 'warning', message, hint }))
}

function checkLength(text: string): AgentSkillFinding[] {
  const lines = text.split('\n').length
  if (lines <= advisedLines) return []
  return [
    {
      level: 'warning',
      message: `the skill has ${lines} lines; agents read all of it each time, and ${advisedLines} are advised`,
      hint: 'Move details into files below references/ and name them in the skill.',
    },
  ]
}

function fieldsOf(text: string): Readonly<Record<string, unknown>> {
  const frontmatter = readFrontmatter(text)
  return frontmatter.state === 'read' ? frontmatter.fields : {}
}

function firstHeading(text: string): string {
  return /^#{1,6}[ \t]+(.+?)[ \t#]*$/m.exec(prose(text))?.[1] ?? ''
}

/** The first paragraph that is neither a heading nor a rule, as one line of plain text. */
function firstParagraph(text: string): string {
  const blocks = prose(text).split(/\n[ \t]*\n/)
  for (const block of blocks) {
    const lines = block.split('\n').filter(line => !/^\s*(?:#{1,6}\s.*|[-*_=\s]*)$/.test(line))
    const said = lines.map(plain).join(' ').replace(/\s+/g, ' ').trim()
    if (said !== '') return said
  }
  return ''
}

/** The prose of a skill: its body without comments and code blocks. */
function prose(text: string): string {
  return parseSkill(text)
    .body.replace(/\r\n/g, '\n')
    .replace(/<!--[\s\S]*?-->/g, '')
    .replace(/^(```|~~~)[\s\S]*?^\1.*$/gm, '')
}

function plain(line: string): string {
  return line
    .replace(/^\s*(?:[-*+>]|\d+[.)])\s+/, '')
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/[*`]/g, '')
}

function asName(said: string): string {
  const words = said
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter(word => word !== '')
  let name = ''
  for (const word of words) {
    const longer = name === '' ? word.slice(0, longestName) : `${name}-${word}`
    if (longer.length > longestName) break
    name = longer
  }
  return name
}

function shorten(said: string, longest: number): string {
  const characters = [...said]
  if (characters.length <= longest) return said
  const cut = characters.slice(0, longest - 1).join('')
  return `${cut.slice(0, Math.max(cut.lastIndexOf(' '), longest / 2)).trimEnd()}…`
}

function error(message: string, hint: string): AgentSkillFinding {
  return { level: 'error', message, hint }
}
