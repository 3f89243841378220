import { readdirSync } from 'node:fs'
import type { AgentDefinition } from './definition.js'

/** id -> file name: `.js` when built, `.ts` when run from source. */
function agentFiles(): ReadonlyMap<string, string> {
  const files = new Map<string, string>()
  for (const file of readdirSync(new URL('definitions/', import.meta.url))) {
    const id = /^([a-z][a-z0-9-]*)\.[jt]s$/.exec(file)?.[1]
    if (id !== undefined) files.set(id, file)
  }
  return files
}

export function agentIds(): readonly string[] {
  return [...agentFiles().keys()].sort()
}

/** Undefined where there is no agent of this name. */
export async function loadAgent(id: string): Promise<AgentDefinition | undefined> {
  const file = agentFiles().get(id)
  if (file === undefined) return undefined
  const module = (await import(/* @vite-ignore */ new URL(`definitions/${file}`, import.meta.url).href)) as {
    agent?: AgentDefinition
  }
  if (module.agent?.id !== id) throw new Error(`${file} does not export an agent with the id ${id}.`)
  return module.agent
}
