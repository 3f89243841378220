import { join } from 'node:path'
import { type Agent, given } from '../shared/install/agent.js'

export const install: Agent = {
  id: 'opencode',
  title: 'OpenCode',
  projectFolder: '.opencode/skills',
  userFolder: (env, home) => join(given(env.XDG_CONFIG_HOME) ?? join(home, '.config'), 'opencode', 'skills'),
  invoke: name => `ask it to use the skill ${name}, or let it choose by the description`,
}
