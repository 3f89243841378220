import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { tableRows } from '../../../test/support/markdown.js'
import { agents } from './install-targets.js'

describe('agents', () => {
  it.each([
    ['claude-code', { CLAUDE_CONFIG_DIR: '/c' }, '/c/skills'],
    ['codex', { CODEX_HOME: '/c' }, '/c/skills'],
    ['copilot', { COPILOT_HOME: '/c' }, '/c/skills'],
    ['opencode', { XDG_CONFIG_HOME: '/c' }, '/c/opencode/skills'],
    ['gemini', { GEMINI_CLI_HOME: '/c' }, '/c/.gemini/skills'],
    ['qwen-code', { QWEN_HOME: '/c' }, '/c/skills'],
    ['pi', { PI_CODING_AGENT_DIR: '/c' }, '/c/skills'],
    ['codex', { CODEX_HOME: '' }, '/home/me/.codex/skills'],
  ] as const)('%s obeys %j', (id, env, expected) => {
    expect(agents.find(agent => agent.id === id)?.userFolder(env, '/home/me')).toBe(expected)
  })

  it('are those of the documentation, each with its folders and its source', () => {
    const page = readFileSync(new URL('../../../docs/installing-a-skill.md', import.meta.url), 'utf8')
    const rows = tableRows(page).filter(cells => cells.length === 5)
    expect(rows.map(([id, project, user]) => [id, project, user])).toEqual(
      agents.map(({ id, projectFolder, userFolder }) => [
        `\`${id}\``,
        `\`${projectFolder}\``,
        expect.stringContaining(`\`${userFolder({}, '~')}\``),
      ]),
    )
    for (const [, , , , source] of rows) expect(source).toMatch(/\]\(https:\/\//)
  })
})
