import { join } from 'node:path'
import { type Agent, given } from '../shared/install/agent.js'

export const install: Agent = {
  id: 'copilot',
  title: 'GitHub Copilot',
  projectFolder: '.github/skills',
  userFolder: (env, home) => join(given(env.COPILOT_HOME) ?? join(home, '.copilot'), 'skills'),
  invoke: name => `write /${name} in the prompt, or let it choose by the description`,
}
