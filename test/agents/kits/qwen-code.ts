import { isAbsolute, join } from 'node:path'
import { agent } from '../../../src/agents/qwen-code/harness.js'
import type { ChatRequest, ChatToolCall } from '../../../src/simulated/chat.js'
import type { AgentKit } from '../kit.js'

export const kit: AgentKit = {
  agent,
  userAgent: /^QwenCode\//,
  model: 'qwen3-coder-plus',
  env: { OPENAI_API_KEY: 'loopback-key' },
  endpoint: url => `${url}/v1`,
  writes: (path, content) => ({ name: 'write_file', arguments: { file_path: path, content } }),
  // It accepts only absolute paths, and tells its model the working directory.
  completes: ({ toolCalls, ...reply }, request) =>
    toolCalls === undefined ? reply : { ...reply, toolCalls: toolCalls.map(call => placed(call, request)) },
  uses: (server, tool, given) => ({ name: `mcp__${server}__${tool}`, arguments: given }),
  setup: (home, canary) => {
    const own = (...names: string[]) => join(home, '.qwen', ...names)
    const described = (name: string) =>
      `---\nname: ${name}\ndescription: Of ${name}, ${canary}.\n---\n\n${canary}\n`
    return [
      { path: own('QWEN.md'), content: `Instructions: ${canary}\n` },
      { path: own('AGENTS.md'), content: `For agents: ${canary}\n` },
      { path: own('skills', 'own-skill', 'SKILL.md'), content: described('own-skill') },
      { path: join(home, '.agents', 'skills', 'shared', 'SKILL.md'), content: described('shared') },
      { path: own('agents', 'own-agent.md'), content: described('own-agent') },
      { path: own('commands', 'given-task.md'), content: `A command: ${canary}\n` },
      { path: own('extensions', 'own', 'qwen-extension.json'), content: JSON.stringify(extension(canary)) },
      { path: own('extensions', 'own', 'OWN.md'), content: `An extension: ${canary}\n` },
      { path: own('settings.json'), content: JSON.stringify(settings(canary)) },
    ]
  },
  inherited: [
    'Instructions: canary-of-the-user',
    'For agents: canary-of-the-user',
    'Of own-skill, canary-of-the-user.',
    'Of shared, canary-of-the-user.',
    'An extension: canary-of-the-user',
    'A hook said: canary-of-the-user',
  ],
}

function placed(call: ChatToolCall, { messages }: ChatRequest): ChatToolCall {
  const given = call.arguments as { readonly file_path?: string }
  if (given.file_path === undefined || isAbsolute(given.file_path)) return call
  const [, workspace = ''] = /working in the directory: (.+?)\\n/.exec(JSON.stringify(messages)) ?? []
  return { ...call, arguments: { ...given, file_path: join(workspace, given.file_path) } }
}

const extension = (canary: string) => ({
  name: 'own',
  version: '1.0.0',
  description: canary,
  contextFileName: 'OWN.md',
})

/** Includes settings that would open its sandbox and redirect it to another host. */
const settings = (canary: string) => ({
  model: { name: `model-of-${canary}` },
  env: { OPENAI_BASE_URL: `http://127.0.0.1:9/${canary}` },
  security: { auth: { selectedType: 'anthropic', baseUrl: `http://127.0.0.1:9/${canary}` } },
  permissions: { allow: ['run_shell_command', 'write_file'] },
  mcpServers: { own: { command: `no-such-program-of-${canary}` } },
  hooks: { UserPromptSubmit: [{ hooks: [{ type: 'command', command: hook(canary) }] }] },
})

function hook(canary: string): string {
  const said = { hookEventName: 'UserPromptSubmit', additionalContext: `A hook said: ${canary}` }
  return `echo '${JSON.stringify({ hookSpecificOutput: said })}'`
}
