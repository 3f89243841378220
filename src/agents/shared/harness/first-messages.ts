import type { Session } from '../../../core/ports/environment.js'
import { promptParts, userMessage } from '../../../core/task/parts.js'
import type { Message, Part } from '../../../core/task/task.js'

/**
 * Builds the first messages: rules, then skill, then task. Parts that are the same for every task come first,
 * so that the provider can cache the prompt.
 */
export function firstMessages(session: Session, skill: string): Message[] {
  const section = session.skillAt === 'system' ? skillSection(skill) : ''
  const system = [session.instructions, section].filter(part => part !== '').join('\n\n')
  const asked = userMessage(withSkill(session, skill, session.prompt))
  return [...(system === '' ? [] : [{ role: 'system' as const, text: system }]), asked]
}

export function withSkill(session: Session, skill: string, prompt: Session['prompt']): Part[] {
  const section = session.skillAt === 'user' ? skillSection(skill) : ''
  return [...(section === '' ? [] : promptParts(section)), ...promptParts(prompt)]
}

function skillSection(skill: string): string {
  return skill.trim() === '' ? '' : `## Skill\n\n${skill}`
}

export function toolSpecs(session: Session) {
  return session.tools.map(({ name, description, parameters }) => ({ name, description, parameters }))
}
