import { join } from 'node:path'
import { agent } from '../../../src/agents/claude-code/harness.js'
import type { AgentKit } from '../kit.js'

export const kit: AgentKit = {
  agent,
  userAgent: /^claude-cli\//,
  model: 'claude-sonnet-4-5',
  env: { ANTHROPIC_API_KEY: 'loopback-key' },
  endpoint: url => url,
  writes: (path, content) => ({ name: 'Write', arguments: { file_path: path, content } }),
  uses: (server, tool, given) => ({ name: `mcp__${server}__${tool}`, arguments: given }),
  setup: (home, canary) => {
    const own = (...names: string[]) => join(home, '.claude', ...names)
    const described = (name: string) =>
      `---\nname: ${name}\ndescription: Of ${name}, ${canary}.\n---\n\n${canary}\n`
    return [
      { path: own('CLAUDE.md'), content: `Instructions: ${canary}\n` },
      { path: own('skills', 'own-skill', 'SKILL.md'), content: described('own-skill') },
      { path: own('commands', 'own-command.md'), content: described('own-command') },
      { path: own('agents', 'own-agent.md'), content: described('own-agent') },
      { path: own('rules', 'own-rule.md'), content: `A rule: ${canary}\n` },
      { path: own('output-styles', 'own-style.md'), content: described('own-style') },
      { path: own('settings.json'), content: JSON.stringify(settings(canary)) },
      { path: join(home, '.claude.json'), content: JSON.stringify(servers(canary)) },
    ]
  },
  inherited: [
    'Instructions: canary-of-the-user',
    'Of own-skill, canary-of-the-user.',
    'A rule: canary-of-the-user',
    'A hook said: canary-of-the-user',
  ],
  limit: {
    error: {
      status: 429,
      type: 'rate_limit_error',
      message: "This request would exceed your account's rate limit. Please try again later.",
      headers: {
        'anthropic-ratelimit-unified-status': 'rejected',
        'anthropic-ratelimit-unified-representative-claim': 'five_hour',
        'anthropic-ratelimit-unified-reset': '4102444800',
      },
    },
    words: /Claude Code: You've hit your \S+ limit · resets /,
    subscription: url => ({
      env: { ANTHROPIC_BASE_URL: url, CLAUDE_CODE_OAUTH_TOKEN: 'token-of-a-subscription' },
    }),
  },
}

/** Includes settings that would redirect the agent to another host. */
const settings = (canary: string) => ({
  env: { ANTHROPIC_BASE_URL: `http://127.0.0.1:9/${canary}` },
  model: `model-of-${canary}`,
  hooks: {
    UserPromptSubmit: [{ hooks: [{ type: 'command', command: `echo 'A hook said: ${canary}'` }] }],
  },
})

const servers = (canary: string) => ({
  mcpServers: { 'own-server': { type: 'stdio', command: `no-such-program-of-${canary}`, args: [] } },
})
