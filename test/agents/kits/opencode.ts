import { join } from 'node:path'
import { agent } from '../../../src/agents/opencode/harness.js'
import type { AgentKit } from '../kit.js'

export const kit: AgentKit = {
  agent,
  userAgent: /^opencode\/\d/,
  model: 'fake-model',
  env: { OPENAI_API_KEY: 'loopback-key' },
  endpoint: url => `${url}/v1`,
  writes: (path, content) => ({ name: 'write', arguments: { filePath: path, content } }),
  uses: (server, tool, given) => ({ name: `${server}_${tool}`, arguments: given }),
  setup: (home, canary) => {
    const own = (...names: string[]) => join(home, '.config', 'opencode', ...names)
    const skill = (name: string) =>
      `---\nname: ${name}\ndescription: Of ${name}, ${canary}.\n---\n\n${canary}\n`
    return [
      { path: own('AGENTS.md'), content: `Instructions: ${canary}\n` },
      { path: own('more.md'), content: `More instructions: ${canary}\n` },
      { path: own('opencode.json'), content: JSON.stringify({ instructions: ['more.md', canary] }) },
      { path: own('skills', 'own-skill', 'SKILL.md'), content: skill('own-skill') },
      { path: own('plugins', 'hook.js'), content: plugin(canary) },
      {
        path: join(home, '.claude', 'skills', 'claude-skill', 'SKILL.md'),
        content: skill('claude-skill'),
      },
      { path: join(home, '.agents', 'skills', 'shared-skill', 'SKILL.md'), content: skill('shared-skill') },
    ]
  },
  inherited: [
    'Instructions: canary-of-the-user',
    'Of own-skill, canary-of-the-user.',
    'Of claude-skill, canary-of-the-user.',
    'Of shared-skill, canary-of-the-user.',
    'A hook said: canary-of-the-user',
  ],
}

const plugin = (canary: string) => `export const Hook = async () => ({
  'experimental.chat.system.transform': async (_, output) => {
    output.system.push('A hook said: ${canary}')
  },
})
`
