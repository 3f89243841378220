import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { readClaudeCode } from '../../claude-code/output.js'
import { readCodex } from '../../codex/output.js'
import { readCopilot } from '../../copilot/output.js'
import { readCursor } from '../../cursor/output.js'
import { readGemini } from '../../gemini/output.js'
import { readOpencode } from '../../opencode/output.js'
import { readPi } from '../../pi/output.js'
import { readQwen } from '../../qwen-code/output.js'
import type { AgentReader } from './reading.js'

const command = "printf 'two\\n' >> notes.txt && cat notes.txt"
const answer = { role: 'assistant', text: 'The notes say: one, two.' }

function readingOf(agent: string, read: AgentReader, name = 'tool') {
  const file = new URL(`../../../../test/fixtures/agents/${agent}/${name}.jsonl`, import.meta.url)
  return read({ stdout: readFileSync(file, 'utf8'), stderr: '', exitCode: 0 })
}

/** For the recordings in which a command edits a file. */
const expected = [
  {
    agent: 'codex',
    read: readCodex,
    call: { id: 'item_1', name: 'shell', given: { command: `/bin/bash -lc ${JSON.stringify(command)}` } },
    result: 'one\ntwo\n',
    usage: { input: 200, output: 22, cachedInput: 80, cacheWrite: 0, reasoning: 6 },
  },
  {
    agent: 'claude-code',
    read: readClaudeCode,
    call: { id: 'toolu_12', name: 'Bash', given: { command } },
    result: 'one\ntwo',
    usage: { input: 214, output: 22, cachedInput: 80, cacheWrite: 14 },
    cost: 0.0012775,
  },
  {
    agent: 'claude-code-2.1.325',
    read: readClaudeCode,
    call: { id: 'toolu_19', name: 'Bash', given: { command } },
    result: 'one\ntwo',
    usage: { input: 214, output: 22, cachedInput: 80, cacheWrite: 14, reasoning: 0 },
    cost: 0.001006,
  },
  {
    agent: 'copilot',
    read: readCopilot,
    call: { id: 'call_24', name: 'bash', given: { command, description: 'Adds a line to the notes' } },
    result: 'one\ntwo\n<shellId: 0 completed with exit code 0>',
    usage: {},
  },
  {
    agent: 'opencode',
    read: readOpencode,
    call: { id: 'call_29', name: 'bash', given: { command } },
    result: 'one\ntwo\n',
    usage: { input: 200, output: 22, cachedInput: 80, cacheWrite: 0, reasoning: 6 },
  },
  {
    agent: 'gemini',
    read: readGemini,
    call: { id: 'run_shell_command__run_shell_command_0', name: 'run_shell_command', given: { command } },
    result: 'one\ntwo',
    usage: { input: 200, output: 28, cachedInput: 80, reasoning: 6 },
  },
  {
    agent: 'qwen',
    read: readQwen,
    call: { id: 'call_36', name: 'run_shell_command', given: { command } },
    result: 'one\ntwo',
    usage: { input: 200, output: 22, cachedInput: 80 },
  },
  {
    agent: 'pi',
    read: readPi,
    call: { id: 'call_39', name: 'bash', given: { command } },
    result: 'one\ntwo\n',
    usage: { input: 200, output: 22, cachedInput: 80, cacheWrite: 0 },
    cost: 0.000172,
  },
  {
    agent: 'cursor',
    read: readCursor,
    call: { id: 'call-1', name: 'edit', given: { path: 'notes.txt', streamContent: 'one\ntwo\n' } },
    result: 'Wrote contents to notes.txt',
    usage: { input: 100, output: 11, cachedInput: 40, cacheWrite: 0 },
  },
]

describe.each(expected)('$agent', ({ agent, read, call, result, usage, cost }) => {
  it('reads the call, its result and the answer in order, without the prompt', () => {
    const { id, name, given } = call
    expect(readingOf(agent, read).messages).toEqual([
      { role: 'assistant', text: '', toolCalls: [{ id, name, arguments: expect.any(String) }] },
      { role: 'tool', text: result, toolCallId: id },
      answer,
    ])
    const [called] = readingOf(agent, read).messages
    expect(JSON.parse(called?.toolCalls?.[0]?.arguments ?? '')).toEqual(given)
  })

  it('reads tokens and cost as the agent counted them, and leaves unknown what it does not say', () => {
    const reading = readingOf(agent, read)
    expect(reading.usage).toEqual(usage)
    if (cost === undefined) expect(reading).not.toHaveProperty('cost')
    else expect(reading.cost).toBeCloseTo(cost, 9)
  })
})

/** Each agent has its own naming scheme for the tools of an MCP server. */
it.each([
  ['codex', readCodex, 'task.look'],
  ['claude-code', readClaudeCode, 'mcp__task__look'],
  ['claude-code-2.1.325', readClaudeCode, 'mcp__task__look'],
  ['copilot', readCopilot, 'task-look'],
  ['opencode', readOpencode, 'task_look'],
  ['gemini', readGemini, 'mcp_task_look'],
  ['qwen', readQwen, 'mcp__task__look'],
  ['cursor', readCursor, 'task-look'],
] as const)('reads the call of an MCP tool by %s', (agent, read, name) => {
  const { messages } = readingOf(agent, read, 'mcp-tool')
  const calls = messages.flatMap(message => message.toolCalls ?? [])
  expect(calls.at(-1)).toMatchObject({ name, arguments: '{"room":"hall"}' })
  expect(messages.at(-2)).toEqual({
    role: 'tool',
    text: 'You see a lamp in the hall.',
    toolCallId: calls.at(-1)?.id,
  })
  expect(messages.at(-1)).toEqual(answer)
})

it('keeps what was done and spent before a failure', () => {
  const reading = readingOf('claude-code', readClaudeCode, 'dropped-after-tool')
  expect(reading).toMatchObject({ failure: { kind: 'transport' }, cost: 0.00063875, usage: { output: 11 } })
  expect(reading.messages.map(message => message.role)).toEqual(['assistant', 'tool'])
})

it('leaves out a partial reply that pi retried, and the error that Qwen Code appended to one', () => {
  expect(readingOf('pi', readPi, 'dropped-stream').messages).toEqual([])
  expect(readingOf('qwen', readQwen, 'dropped-stream').messages).toEqual([
    { role: 'assistant', text: 'The notes' },
  ])
  expect(readingOf('qwen', readQwen, 'context-overflow')).toMatchObject({ messages: [], answer: '' })
})
