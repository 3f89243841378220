import { join } from 'node:path'
import { type Agent, given } from '../shared/install/agent.js'

export const install: Agent = {
  id: 'qwen-code',
  title: 'Qwen Code',
  projectFolder: '.qwen/skills',
  userFolder: (env, home) => join(given(env.QWEN_HOME) ?? join(home, '.qwen'), 'skills'),
  invoke: name => `type /${name}, or let it choose by the description`,
}
