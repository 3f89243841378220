import type { Agent } from '../shared/install/agent.js'
import { agentFiles } from './agent-files.js'

/** Ids of the agents that are listed first; other agents follow in alphabetical order. */
const first = ['claude-code', 'codex', 'cursor', 'copilot', 'opencode', 'gemini', 'qwen-code', 'pi']
const rank = (id: string): number => (first.includes(id) ? first.indexOf(id) : first.length)

async function loadInstall(id: string, file: URL): Promise<Agent> {
  const module = (await import(/* @vite-ignore */ file.href)) as { install?: Agent }
  if (module.install?.id !== id)
    throw new Error(`${file.pathname} does not export \`install\` with the id ${id}.`)
  return module.install
}

/** Every agent that skills can be installed for: those with an `install.ts` in their folder. */
export const agents: readonly Agent[] = (
  await Promise.all([...agentFiles('install')].map(([id, file]) => loadInstall(id, file)))
).toSorted((one, other) => rank(one.id) - rank(other.id))
