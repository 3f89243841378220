import { join } from 'node:path'
import { type Agent, given } from '../shared/install/agent.js'

export const install: Agent = {
  id: 'codex',
  title: 'Codex',
  projectFolder: '.agents/skills',
  userFolder: (env, home) => join(given(env.CODEX_HOME) ?? join(home, '.codex'), 'skills'),
  invoke: name => `write $${name} in the prompt, or let it choose by the description`,
}
