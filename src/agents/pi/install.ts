import { join } from 'node:path'
import { type Agent, given } from '../shared/install/agent.js'

export const install: Agent = {
  id: 'pi',
  title: 'pi',
  projectFolder: '.pi/skills',
  userFolder: (env, home) => join(given(env.PI_CODING_AGENT_DIR) ?? join(home, '.pi', 'agent'), 'skills'),
  invoke: name => `type /skill:${name}, or let it choose by the description`,
}
