import { join } from 'node:path'
import { type Agent, given } from '../shared/install/agent.js'

export const install: Agent = {
  id: 'gemini',
  title: 'Gemini CLI',
  projectFolder: '.gemini/skills',
  userFolder: (env, home) => join(given(env.GEMINI_CLI_HOME) ?? home, '.gemini', 'skills'),
  invoke: name => `ask it to activate the skill ${name}, or let it choose by the description`,
}
