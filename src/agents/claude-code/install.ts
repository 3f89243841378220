import { join } from 'node:path'
import { type Agent, given } from '../shared/install/agent.js'

export const install: Agent = {
  id: 'claude-code',
  title: 'Claude Code',
  projectFolder: '.claude/skills',
  userFolder: (env, home) => join(given(env.CLAUDE_CONFIG_DIR) ?? join(home, '.claude'), 'skills'),
  invoke: name => `type /${name}, or let it choose by the description`,
}
