import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { InputError } from '../../../core/errors/errors.js'
import { asAgentSkill, type WrittenAgentSkill } from '../../../core/skill/agent-skill.js'

/**
 * The skill in the form that agents read; undefined for an empty skill. Throws `InputError` if agents would
 * reject it.
 */
export function skillForAgent(text: string): WrittenAgentSkill | undefined {
  if (text.trim() === '') return undefined
  const skill = asAgentSkill(text)
  const errors = skill.findings.filter(({ level }) => level === 'error')
  if (errors.length === 0) return skill
  throw new InputError(
    `The skill is not a valid Agent Skill, so no agent would read it: ${errors.map(({ message }) => message).join('; ')}.`,
    { hint: [...new Set(errors.map(({ hint }) => hint))].join(' ') },
  )
}

/** Writes the skill to its own folder inside the agent's skills folder, and returns that folder. */
export async function writeSkillFolder(
  skillsFolder: string,
  { name, text }: Pick<WrittenAgentSkill, 'name' | 'text'>,
): Promise<string> {
  const folder = join(skillsFolder, name)
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, 'SKILL.md'), text)
  return folder
}
