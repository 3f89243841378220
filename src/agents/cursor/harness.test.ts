import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { jobWith, place, tools } from '../../../test/support/agent-job.js'
import { fakeSession } from '../../../test/support/fake-agent.js'
import type { Session } from '../../core/ports/environment.js'
import { type AgentSettings, runAttempt } from '../shared/harness/attempt.js'
import type { AgentJob, AgentPreparation } from '../shared/harness/definition.js'
import { defaultLimits } from '../shared/harness/process.js'
import { readVersion } from '../shared/harness/version.js'
import { agent } from './harness.js'

/** An ordinary task with files and a skill. */
const usual: Partial<AgentJob> = {
  prompt: [{ type: 'text', text: 'Note: two pears.' }],
  skill: { name: 'orders', text: 'Every order is noted.' },
  hasWorkspace: true,
}
const prepare = (fields: Partial<AgentJob> = {}) => agent.prepare(jobWith({ ...usual, ...fields }), place)
const filesOf = ({ files }: AgentPreparation) =>
  Object.fromEntries(files.map(({ path, content }) => [path, content]))
const settingsOf = (fields: Partial<AgentJob>) =>
  filesOf(prepare(fields))['/attempt/home/.cursor/cli-config.json']

const always = ['-p', '--output-format', 'stream-json', '--trust']

describe('what it is given', () => {
  it('invokes the skill, and says what is switched off', () => {
    expect(prepare().stdin).toBe(
      '/orders\n\nBe brief.\n\nNote: two pears.\n\n(In this task the terminal and the web are switched off, and calls of them are refused: work on files with your tools for files.)',
    )
    expect(prepare({ access: 'full' }).stdin).toBe('/orders\n\nBe brief.\n\nNote: two pears.')
    expect(agent.skillsFolder(place)).toBe('/attempt/work/.cursor/skills')
  })

  it('may use the files of its task and nothing else', () => {
    expect(prepare().arguments).toEqual(always)
    expect(filesOf(prepare())).toEqual({
      '/attempt/home/.cursor/cli-config.json': {
        version: 1,
        editor: { vimMode: false },
        permissions: { allow: ['Read(**)', 'Write(**)'], deny: ['Shell(*)', 'WebFetch(*)'] },
        approvalMode: 'allowlist',
        attribution: { attributeCommitsToAgent: false, attributePRsToAgent: false },
      },
    })
  })

  it('only answers if there are neither files nor tools', () => {
    expect(prepare({ hasWorkspace: false }).arguments).toEqual([...always, '--mode', 'ask'])
    expect(settingsOf({ hasWorkspace: false })).toMatchObject({
      permissions: { allow: [], deny: ['Shell(*)', 'WebFetch(*)', 'Write(**)'] },
    })
  })

  it('may use the tools of its session, whose token is in a file', () => {
    const prepared = prepare({ hasWorkspace: false, tools })
    expect(prepared.arguments).toEqual([...always, '--approve-mcps'])
    expect(settingsOf({ hasWorkspace: false, tools })).toMatchObject({
      permissions: { allow: ['Mcp(task:*)'] },
    })
    expect(filesOf(prepared)['/attempt/home/.cursor/mcp.json']).toEqual({
      mcpServers: { task: { url: tools.url, headers: { Authorization: `Bearer ${tools.token}` } } },
    })
  })

  it('may do everything with full access', () => {
    expect(prepare({ access: 'full' }).arguments).toEqual([...always, '--force', '--sandbox', 'disabled'])
    expect(settingsOf({ access: 'full' })).toMatchObject({
      permissions: { deny: [] },
      approvalMode: 'unrestricted',
    })
  })

  it('uses the servers of the user with `inherit`', () => {
    expect(prepare({ inherit: true }).arguments).toContain('--approve-mcps')
    expect(settingsOf({ inherit: true })).toMatchObject({
      permissions: { allow: ['Read(**)', 'Write(**)', 'Mcp(*:*)'], deny: ['Shell(*)', 'WebFetch(*)'] },
    })
  })

  it('takes a model and a key, and no endpoint', () => {
    const prepared = prepare({ model: 'composer-2.5', key: 'given-key' })
    expect(prepared.arguments).toEqual([...always, '--model', 'composer-2.5'])
    expect(prepared.environment).toEqual({ CURSOR_API_KEY: 'given-key', CURSOR_AUTH_TOKEN: '' })
    expect(JSON.stringify([prepared.arguments, prepared.files])).not.toContain('given-key')
    expect(() => prepare({ endpoint: 'http://server/v1' })).toThrow("only supports Cursor's own service")
  })

  it('finds the files of the user where Cursor has them', () => {
    const { login, setup } = agent.filesOf({ home: '/user', env: {} }, place)
    expect(login).toEqual([
      { from: '/user/.config/cursor/auth.json', to: '/attempt/home/.config/cursor/auth.json' },
      { from: '/user/.cursor/auth.json', to: '/attempt/home/.cursor/auth.json' },
    ])
    const settings = (env: Record<string, string>) =>
      agent.filesOf({ home: '/user', env }, place).setup.find(({ to }) => to.endsWith('cli-config.json'))
        ?.from
    expect(setup).toContainEqual({ from: '/user/.cursor/mcp.json', to: '/attempt/home/.cursor/mcp.json' })
    expect(settings({})).toBe('/user/.cursor/cli-config.json')
    expect(settings({ XDG_CONFIG_HOME: '/xdg' })).toBe('/xdg/cursor/cli-config.json')
    expect(settings({ CURSOR_CONFIG_DIR: '/own', XDG_CONFIG_HOME: '/xdg' })).toBe('/own/cli-config.json')
  })

  it('keeps no thoughts', () => {
    expect(agent.isNoise?.('{"type":"thinking","subtype":"delta","text":"…"}')).toBe(true)
    expect(agent.isNoise?.('{"type":"assistant","message":{}}')).toBe(false)
  })
})

/** The script prints what Cursor's documentation says the program prints. */
describe('with a script in its place', () => {
  const program = fileURLToPath(new URL('../../../test/support/agents/cursor.mjs', import.meta.url))
  const skill = '---\nname: orders\ndescription: How orders are noted.\n---\n\nEvery order is noted.\n'
  let root: string
  let workspace: string
  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'skillopt-cursor-'))
    workspace = join(root, 'workspace')
    for (const folder of ['workspace', 'attempts', 'home']) await mkdir(join(root, folder))
    await writeFile(join(workspace, 'notes.txt'), 'one\n')
  })
  afterEach(async () => {
    expect(await readdir(join(root, 'attempts'))).toEqual([])
    await rm(root, { recursive: true })
  })

  const work = (model: string, changed: Partial<AgentSettings> = {}, session: Partial<Session> = {}) => {
    const settings: AgentSettings = {
      program,
      model,
      effort: undefined,
      endpoint: undefined,
      key: 'key-of-the-user',
      env: { PATH: process.env.PATH, HOME: join(root, 'home') },
      access: 'workspace',
      inherit: false,
      root: join(root, 'attempts'),
      limits: { ...defaultLimits, seconds: 60, tokens: 1_000_000 },
      ...changed,
    }
    const task = { session: fakeSession({ workspace, ...session }), skill }
    return runAttempt(agent, settings, { task, signal: new AbortController().signal })
  }
  const seen = async () => JSON.parse(await readFile(join(workspace, 'seen.json'), 'utf8'))

  it('works on the files and has the skill', async () => {
    expect(await work('tool')).toMatchObject({
      status: 'ended',
      stop: 'answered',
      answer: 'The notes say: one, two.',
      usage: { input: 100, output: 11 },
    })
    expect(await readFile(join(workspace, 'notes.txt'), 'utf8')).toBe('one\ntwo\n')
    expect(await readdir(workspace)).toEqual(['notes.txt', 'seen.json'])
    expect(await seen()).toMatchObject({
      prompt: expect.stringMatching(/^\/orders\n/),
      skill: expect.stringContaining('Every order is noted.'),
      permissions: { deny: ['Shell(*)', 'WebFetch(*)'] },
    })
  })

  it('reaches the tools of its session', async () => {
    const look = { name: 'look', description: 'Looks.', parameters: {}, call: async () => 'A lamp.' }
    expect(await work('mcp-tool', {}, { tools: [look] })).toMatchObject({
      status: 'ended',
      calls: [{ tool: 'look' }],
    })
    expect(await seen()).toMatchObject({ answer: { result: { content: [{ text: 'A lamp.' }] } } })
  })

  it('uses the login of the user, and says how to log in', async () => {
    const hint = agent.login
    expect(await work('answer', { key: undefined })).toMatchObject({
      status: 'failed',
      failure: { kind: 'login', hint },
    })
    await mkdir(join(root, 'home', '.config', 'cursor'), { recursive: true })
    await writeFile(join(root, 'home', '.config', 'cursor', 'auth.json'), '{}')
    expect(await work('answer', { key: undefined })).toMatchObject({ status: 'ended' })
  })

  it('fails with its own words', async () => {
    expect(await work('usage-limit')).toMatchObject({
      status: 'failed',
      failure: { kind: 'quota', message: expect.stringContaining("You've hit your usage limit") },
    })
    expect(await work('of-the-future')).toMatchObject({
      status: 'failed',
      failure: { message: expect.stringContaining('Cannot use this model') },
    })
    expect(await readdir(workspace)).toEqual(['notes.txt'])
  })

  it('says its version, which was not tried', async () => {
    const options = { env: { PATH: process.env.PATH }, signal: new AbortController().signal }
    expect(await readVersion(agent, program, { ...options, root: join(root, 'attempts') })).toEqual({
      version: '2026.09.18-9a7762b',
      standing: 'newer',
    })
  })
})
