import { describe, expect, it } from 'vitest'
import { agentBackends, mapAgent } from './agents.js'
import { type Given, Mapping } from './mapping.js'

function mapped(
  backend: string,
  values: Readonly<Record<string, unknown>>,
  role: 'target' | 'optimizer' = 'target',
) {
  const given = Object.entries(values).map(([name, value]): [string, Given] => {
    const theirs = `model.${name}`
    return [theirs, { value, origin: 'file run.yaml:3', option: false, theirs }]
  })
  const mapping = new Mapping(new Map(given), {})
  expect(mapAgent(mapping, role, { name: backend, effort: mapping.text('model.reasoning_effort') })).toBe(
    true,
  )
  mapping.handledQuietly('model.reasoning_effort', 'not sent')
  mapping.handledQuietly(`model.${role}`, 'not chosen')
  const set = Object.fromEntries(mapping.fromFile.map(({ path, value }) => [path.join('.'), value]))
  return { set, mapping }
}

describe('the agents of the reference', () => {
  it.each([
    ['codex_exec', 'codex'],
    ['claude_code_exec', 'claude-code'],
    ['cursor_exec', 'cursor'],
    ['copilot_exec', 'copilot'],
    ['copilot_chat', 'copilot'],
  ])('%s is %s, with the model that was chosen or its own', (backend, id) => {
    expect(agentBackends).toContain(backend)
    expect(mapped(backend, { target: 'some-model' }).set).toEqual({
      'models.target.model': `${id}/some-model`,
    })
    // The reference's default file gives every model this name.
    expect(mapped(backend, { target: 'gpt-5.5' }).set).toEqual({ 'models.target.model': `${id}/default` })
  })

  it('have their effort, before the one of all models', () => {
    const values = { reasoning_effort: 'low', codex_exec_reasoning_effort: 'high' }
    expect(mapped('codex_exec', values).set).toMatchObject({ 'models.target.effort': 'high' })
    expect(mapped('claude_code_exec', values).set).toMatchObject({ 'models.target.effort': 'low' })
    expect(mapped('copilot_exec', values).set).not.toHaveProperty(['models.target.effort'])
  })

  it.each([
    ['codex_exec', { codex_exec_sandbox: 'danger-full-access' }],
    ['copilot_exec', { copilot_exec_allow_all_tools: true }],
    ['cursor_exec', { cursor_exec_sandbox: 'disabled' }],
  ])('%s has full access where it says %j', (backend, values) => {
    expect(mapped(backend, values).set).toMatchObject({ 'harness.access': 'full' })
  })

  it('get access to the task files by default, and every key is handled', () => {
    const values = {
      codex_exec_sandbox: 'workspace-write',
      codex_exec_path: 'codex',
      codex_exec_full_auto: true,
      codex_exec_network_access: false,
      codex_exec_profile: 'work',
      codex_exec_use_sdk: 'auto',
    }
    const { set, mapping } = mapped('codex_exec', values)
    expect(set).toEqual({ 'models.target.model': 'codex/default' })
    expect(mapping.left()).toEqual([])
    expect(mapping.problems).toEqual([])
  })

  it.each([
    [
      { codex_exec_network_access: true },
      'model.codex_exec_network_access is on (run.yaml:3), which needs full access',
    ],
    [
      { codex_exec_path: '/opt/codex' },
      'model.codex_exec_path is "/opt/codex" (run.yaml:3), but agents are found by name',
    ],
  ])('refuse what is not supported: %j', (values, sentence) => {
    expect(mapped('codex_exec', values).mapping.problems).toEqual([expect.stringContaining(sentence)])
  })

  it('ignore other backends', () => {
    expect(mapAgent(new Mapping(new Map(), {}), 'target', { name: 'openai_chat', effort: undefined })).toBe(
      false,
    )
  })
})
