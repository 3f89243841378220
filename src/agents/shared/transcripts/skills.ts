import { asText, at } from './values.js'

const skillTools = new Set(['Skill', 'skill', 'activate_skill'])
const writingTools = /write|edit|patch|replace|create/i
const skillFile = /[\\/]skills[\\/]+([^\\/\s"']+)[\\/]+SKILL\.md/g

/** The skills that a tool call loads, through the agent's skill tool or by reading their file. */
export function skillsUsed(tool: string, input: unknown): readonly string[] {
  if (skillTools.has(tool)) {
    const name = asText(at(input, 'skill')) ?? asText(at(input, 'name'))
    return name === undefined ? [] : [name]
  }
  if (writingTools.test(tool)) return []
  const text = typeof input === 'string' ? input : JSON.stringify(input ?? '')
  return [...text.matchAll(skillFile)].map(([, name]) => name ?? '')
}
