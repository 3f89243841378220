import { join } from 'node:path'
import type { Agent } from '../shared/install/agent.js'

export const install: Agent = {
  id: 'cursor',
  title: 'Cursor',
  projectFolder: '.cursor/skills',
  userFolder: (_env, home) => join(home, '.cursor', 'skills'),
  invoke: name => `type /${name} in the agent chat, or let it choose by the description`,
}
