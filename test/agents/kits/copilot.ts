import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { agent } from '../../../src/agents/copilot/harness.js'
import type { AgentKit } from '../kit.js'

export const kit: AgentKit = {
  agent,
  userAgent: /^OpenAI\/JS /,
  model: 'fake-model',
  env: {
    COPILOT_PROVIDER_API_KEY: 'loopback-key',
    // Without this, every test would unpack the program again in the user's home.
    COPILOT_PKG_CACHE_HOME: join(tmpdir(), 'copilot-of-skillopt-tests'),
  },
  endpoint: url => `${url}/v1`,
  writes: (path, content) => ({ name: 'create', arguments: { path, file_text: content } }),
  uses: (server, tool, given) => ({ name: `${server}-${tool}`, arguments: given }),
  setup: (home, canary) => {
    const own = (...names: string[]) => join(home, '.copilot', ...names)
    const skill = (name: string) =>
      `---\nname: ${name}\ndescription: Of ${name}, ${canary}.\n---\n\n${canary}\n`
    const hook = { type: 'command', bash: `echo '{"additionalContext":"A hook said: ${canary}"}'` }
    const plugin = own('installed-plugins', '_direct', 'own-plugin')
    return [
      { path: own('copilot-instructions.md'), content: `Instructions: ${canary}\n` },
      { path: own('skills', 'own-skill', 'SKILL.md'), content: skill('own-skill') },
      { path: join(home, '.agents', 'skills', 'shared-skill', 'SKILL.md'), content: skill('shared-skill') },
      { path: join(plugin, 'skills', 'plugin-skill', 'SKILL.md'), content: skill('plugin-skill') },
      {
        path: join(plugin, 'plugin.json'),
        content: JSON.stringify({ name: 'own-plugin', description: canary, version: '1.0.0' }),
      },
      {
        path: own('config.json'),
        content: `// This file is managed automatically.\n${JSON.stringify({ installedPlugins: [pluginAt(plugin, canary)] })}`,
      },
      {
        path: own('settings.json'),
        content: JSON.stringify({ hooks: { sessionStart: [hook] }, enabledPlugins: { [canary]: true } }),
      },
    ]
  },
  inherited: [
    'Instructions: canary-of-the-user',
    'Of own-skill, canary-of-the-user.',
    'Of shared-skill, canary-of-the-user.',
    'Of plugin-skill, canary-of-the-user.',
    'A hook said: canary-of-the-user',
  ],
}

function pluginAt(folder: string, marketplace: string) {
  return {
    name: 'own-plugin',
    marketplace: '',
    version: '1.0.0',
    installed_at: '2026-01-01T00:00:00.000Z',
    enabled: true,
    cache_path: folder,
    source: { source: 'local', path: folder, note: marketplace },
  }
}
