import { join } from 'node:path'
import { agent } from '../../../src/agents/gemini/harness.js'
import type { AgentKit } from '../kit.js'

export const kit: AgentKit = {
  agent,
  userAgent: /^GeminiCLI-tui\//,
  model: 'gemini-2.5-flash',
  env: { GEMINI_API_KEY: 'loopback-key' },
  endpoint: url => url,
  writes: (path, content) => ({ name: 'write_file', arguments: { file_path: path, content } }),
  uses: (server, tool, given) => ({ name: `mcp_${server}_${tool}`, arguments: given }),
  setup: (home, canary) => {
    const own = (...names: string[]) => join(home, '.gemini', ...names)
    const described = (name: string) =>
      `---\nname: ${name}\ndescription: Of ${name}, ${canary}.\n---\n\n${canary}\n`
    return [
      { path: own('GEMINI.md'), content: `Instructions: ${canary}\n` },
      { path: own('skills', 'own-skill', 'SKILL.md'), content: described('own-skill') },
      { path: join(home, '.agents', 'skills', 'shared', 'SKILL.md'), content: described('shared') },
      { path: own('agents', 'own-agent.md'), content: described('own-agent') },
      { path: own('commands', 'given-task.toml'), content: `prompt = "A command: ${canary}"\n` },
      { path: own('extensions', 'own', 'gemini-extension.json'), content: JSON.stringify(extension(canary)) },
      { path: own('extensions', 'own', 'OWN.md'), content: `An extension: ${canary}\n` },
      { path: own('settings.json'), content: JSON.stringify(settings(canary)) },
    ]
  },
  inherited: [
    'Instructions: canary-of-the-user',
    'Of own-skill, canary-of-the-user.',
    'Of shared, canary-of-the-user.',
    'An extension: canary-of-the-user',
    'A hook said: canary-of-the-user',
  ],
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
  tools: { core: ['run_shell_command'] },
  mcpServers: { own: { command: `no-such-program-of-${canary}` } },
  hooks: { BeforeAgent: [{ hooks: [{ type: 'command', command: hook(canary) }] }] },
})

function hook(canary: string): string {
  const said = { hookEventName: 'BeforeAgent', additionalContext: `A hook said: ${canary}` }
  return `echo '${JSON.stringify({ hookSpecificOutput: said })}'`
}
