import { join } from 'node:path'
import { agent } from '../../../src/agents/pi/harness.js'
import type { AgentKit } from '../kit.js'

export const kit: AgentKit = {
  agent,
  userAgent: /^OpenAI\/JS /,
  model: 'fake-model',
  env: { OPENAI_API_KEY: 'loopback-key' },
  endpoint: url => `${url}/v1`,
  writes: (path, content) => ({ name: 'write', arguments: { path, content } }),
  uses: () => undefined,
  setup: (home, canary) => {
    const own = (...names: string[]) => join(home, '.pi', 'agent', ...names)
    const skill = (name: string) =>
      `---\nname: ${name}\ndescription: Of ${name}, ${canary}.\n---\n\n${canary}\n`
    return [
      { path: own('AGENTS.md'), content: `Instructions: ${canary}\n` },
      { path: own('APPEND_SYSTEM.md'), content: `Said after everything: ${canary}\n` },
      { path: own('skills', 'own-skill', 'SKILL.md'), content: skill('own-skill') },
      { path: join(home, '.agents', 'skills', 'shared-skill', 'SKILL.md'), content: skill('shared-skill') },
      { path: own('extensions', 'hook.ts'), content: extension(canary) },
      { path: own('prompts', 'greet.md'), content: `${canary}\n` },
      { path: own('settings.json'), content: JSON.stringify({ shellCommandPrefix: `echo ${canary}` }) },
    ]
  },
  inherited: [
    'Instructions: canary-of-the-user',
    'Said after everything: canary-of-the-user',
    'Of own-skill, canary-of-the-user.',
    'Of shared-skill, canary-of-the-user.',
    'A hook said: canary-of-the-user',
  ],
}

const extension = (canary: string) => `export default function (pi) {
  pi.on('before_agent_start', event => ({
    systemPrompt: event.systemPrompt + '\\nA hook said: ${canary}',
  }))
}
`
