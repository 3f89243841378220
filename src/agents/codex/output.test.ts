import { expect, it } from 'vitest'
import { readCodex } from './output.js'

const done = { type: 'turn.completed', usage: { input_tokens: 10, output_tokens: 2 } }
const said = { id: 'z', type: 'agent_message', text: 'Done.' }

function read(items: readonly object[], end: object = done, exitCode: number | undefined = 0) {
  const records = [...items.map(item => ({ type: 'item.completed', item })), end]
  return readCodex({ stdout: records.map(record => JSON.stringify(record)).join('\n'), stderr: '', exitCode })
}

it('reads changes of files and searches as calls, and leaves thoughts and plans out', () => {
  const { messages, skipped } = read([
    { id: 'a', type: 'reasoning', text: 'hm' },
    { id: 'b', type: 'todo_list', items: [] },
    { id: 'c', type: 'file_change', changes: [{ path: 'x', kind: 'add' }], status: 'completed' },
    { id: 'd', type: 'web_search', query: 'lamps' },
    said,
  ])
  expect(messages).toEqual([
    {
      role: 'assistant',
      text: '',
      toolCalls: [{ id: 'c', name: 'apply_patch', arguments: '{"changes":[{"path":"x","kind":"add"}]}' }],
    },
    { role: 'tool', text: 'completed', toolCallId: 'c' },
    {
      role: 'assistant',
      text: '',
      toolCalls: [{ id: 'd', name: 'web_search', arguments: '{"query":"lamps"}' }],
    },
    { role: 'assistant', text: 'Done.' },
  ])
  expect(skipped).toBe(0)
})

it('includes the exit code of a failed command', () => {
  const command = { type: 'command_execution', id: 'a', command: 'make', status: 'failed' }
  const [, result] = read([{ ...command, aggregated_output: 'no rule', exit_code: 2 }, said]).messages
  expect(result?.text).toBe('no rule\n(exit code 2)')
})

it('treats sandbox messages in the output of a successful command as output', () => {
  const output = 'bwrap: execvp codex-linux-sandbox: No such file or directory\n'
  const command = { type: 'command_execution', id: 'a', command: 'cat log', aggregated_output: output }
  expect(read([{ ...command, exit_code: 0, status: 'completed' }, said])).toMatchObject({ stop: 'answered' })
  expect(read([{ ...command, exit_code: 1, status: 'failed' }, said])).toMatchObject({
    failure: { kind: 'harness' },
  })
})

it('counts items of a newer version', () => {
  expect(read([{ id: 'a', type: 'hologram' }, said])).toMatchObject({ stop: 'answered', skipped: 1 })
})

it('pauses for the limit of a subscription', () => {
  const message = "You've hit your usage limit. Upgrade to Pro or try again at 3:05 PM."
  expect(read([], { type: 'turn.failed', error: { message } }, 1)).toMatchObject({
    failure: { kind: 'quota', message, retryable: false },
  })
})

it('fails if the turn succeeded without any text', () => {
  expect(read([])).toMatchObject({ failure: { kind: 'malformed' } })
})
