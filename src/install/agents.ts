import { join } from 'node:path'

export type Variables = Readonly<Record<string, string | undefined>>

/** Where an agent reads skills, and how a person calls one. A new agent is one more entry below. */
export interface Agent {
  readonly id: string
  readonly title: string
  /** Below the project. */
  readonly projectFolder: string
  /** For all projects of a person; the variable is the one that the agent itself obeys. */
  readonly userFolder: (env: Variables, home: string) => string
  readonly invoke: (name: string) => string
}

/** The documentation that each entry comes from is named in docs/installing-a-skill.md. */
export const agents: readonly Agent[] = [
  {
    id: 'claude-code',
    title: 'Claude Code',
    projectFolder: '.claude/skills',
    userFolder: (env, home) => join(given(env.CLAUDE_CONFIG_DIR) ?? join(home, '.claude'), 'skills'),
    invoke: name => `type /${name}, or let it choose by the description`,
  },
  {
    id: 'codex',
    title: 'Codex',
    projectFolder: '.agents/skills',
    userFolder: (env, home) => join(given(env.CODEX_HOME) ?? join(home, '.codex'), 'skills'),
    invoke: name => `write $${name} in the prompt, or let it choose by the description`,
  },
  {
    id: 'cursor',
    title: 'Cursor',
    projectFolder: '.cursor/skills',
    userFolder: (_env, home) => join(home, '.cursor', 'skills'),
    invoke: name => `type /${name} in the agent chat, or let it choose by the description`,
  },
  {
    id: 'copilot',
    title: 'GitHub Copilot',
    projectFolder: '.github/skills',
    userFolder: (env, home) => join(given(env.COPILOT_HOME) ?? join(home, '.copilot'), 'skills'),
    invoke: name => `write /${name} in the prompt, or let it choose by the description`,
  },
  {
    id: 'opencode',
    title: 'OpenCode',
    projectFolder: '.opencode/skills',
    userFolder: (env, home) =>
      join(given(env.XDG_CONFIG_HOME) ?? join(home, '.config'), 'opencode', 'skills'),
    invoke: name => `ask it to use the skill ${name}, or let it choose by the description`,
  },
  {
    id: 'gemini',
    title: 'Gemini CLI',
    projectFolder: '.gemini/skills',
    userFolder: (env, home) => join(given(env.GEMINI_CLI_HOME) ?? home, '.gemini', 'skills'),
    invoke: name => `ask it to activate the skill ${name}, or let it choose by the description`,
  },
  {
    id: 'qwen-code',
    title: 'Qwen Code',
    projectFolder: '.qwen/skills',
    userFolder: (env, home) => join(given(env.QWEN_HOME) ?? join(home, '.qwen'), 'skills'),
    invoke: name => `type /${name}, or let it choose by the description`,
  },
  {
    id: 'pi',
    title: 'pi',
    projectFolder: '.pi/skills',
    userFolder: (env, home) => join(given(env.PI_CODING_AGENT_DIR) ?? join(home, '.pi', 'agent'), 'skills'),
    invoke: name => `type /skill:${name}, or let it choose by the description`,
  },
]

/** An empty variable is one that is not set, as for the agents themselves. */
export function given(value: string | undefined): string | undefined {
  return value === '' ? undefined : value
}
