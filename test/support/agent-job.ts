import type { AgentJob, ToolServer } from '../../src/agents/shared/harness/definition.js'
import type { AgentPlace } from '../../src/agents/shared/harness/place.js'

/** For tests of a definition's files and arguments: non-existent folders and a minimal job. */
export const place: AgentPlace = {
  mark: 'skillopt-agent-1',
  folder: '/attempt',
  home: '/attempt/home',
  config: '/attempt/config',
  temporary: '/attempt/tmp',
  workspace: '/attempt/work',
}

export const tools: ToolServer = {
  name: 'task',
  url: 'http://127.0.0.1:4711/mcp',
  token: 'token-of-the-attempt',
  toolNames: ['look', 'take'],
  replyTool: undefined,
}

export type Changed = Partial<AgentJob>

export function jobWith(changed: Changed): AgentJob {
  return {
    kind: 'work',
    instructions: 'Be brief.',
    prompt: [{ type: 'text', text: 'What is 2 + 2?' }],
    skill: undefined,
    tools: undefined,
    hasWorkspace: false,
    turnLimit: 5,
    model: undefined,
    effort: undefined,
    endpoint: undefined,
    key: undefined,
    env: {},
    access: 'workspace',
    inherit: false,
    ...changed,
  }
}
