import type { AgentDefinition } from '../shared/harness/definition.js'
import { agentFiles } from './agent-files.js'

export function agentIds(): readonly string[] {
  return [...agentFiles('harness').keys()]
}

/** Loads an agent's definition; undefined if there is no such agent. */
export async function loadAgent(id: string): Promise<AgentDefinition | undefined> {
  const file = agentFiles('harness').get(id)
  if (file === undefined) return undefined
  const module = (await import(/* @vite-ignore */ file.href)) as {
    agent?: AgentDefinition
  }
  if (module.agent?.id !== id) throw new Error(`${file.pathname} does not export an agent with the id ${id}.`)
  return module.agent
}
