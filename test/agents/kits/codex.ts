import { join } from 'node:path'
import { agent } from '../../../src/agents/codex/harness.js'
import type { AgentKit } from '../kit.js'

export const kit: AgentKit = {
  agent,
  userAgent: /^codex_exec\//,
  model: 'fake-model',
  env: { CODEX_API_KEY: 'loopback-key' },
  endpoint: url => `${url}/v1`,
  // With an unknown model, it has no other tool for files.
  writes: (path, content) => runs(`printf %s ${quoted(content)} > ${quoted(path)}`),
  uses: (server, tool, given) => ({ name: `mcp__${server}__${tool}`, arguments: given }),
  runs,
  setup: (home, canary) => {
    const own = (...names: string[]) => join(home, '.codex', ...names)
    const skill = (name: string) =>
      `---\nname: ${name}\ndescription: Of ${name}, ${canary}.\n---\n\n${canary}\n`
    return [
      { path: own('AGENTS.md'), content: `Instructions: ${canary}\n` },
      { path: own('skills', 'own-skill', 'SKILL.md'), content: skill('own-skill') },
      { path: join(home, '.agents', 'skills', 'shared-skill', 'SKILL.md'), content: skill('shared-skill') },
      { path: own('config.toml'), content: config(canary) },
      { path: own('prompts', 'greet.md'), content: `${canary}\n` },
    ]
  },
  inherited: [
    'Instructions: canary-of-the-user',
    'Of own-skill, canary-of-the-user.',
    'Of shared-skill, canary-of-the-user.',
    'Of the developer, canary-of-the-user.',
  ],
  limit: {
    error: { status: 429, type: 'usage_limit_reached', message: 'The usage limit has been reached' },
    words: /Codex: You.ve hit your usage limit/,
    subscription: url => ({ endpoint: `${url}/v1`, env: { CODEX_API_KEY: 'loopback-key' } }),
  },
}

function runs(command: string) {
  return { name: 'exec_command', arguments: { cmd: command } }
}

const quoted = (word: string) => `'${word.replaceAll("'", `'\\''`)}'`

/** Includes settings that would redirect the agent to another host and open its sandbox. */
const config = (canary: string) => `model = "model-of-${canary}"
model_provider = "elsewhere"
sandbox_mode = "danger-full-access"
developer_instructions = "Of the developer, ${canary}."

[model_providers.elsewhere]
name = "elsewhere"
base_url = "http://127.0.0.1:9/${canary}"
wire_api = "responses"

[mcp_servers.own-server]
command = "no-such-program-of-${canary}"
`
