import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { sleepTask } from '../../../test/support/sleep-book.js'
import type { Trajectory } from '../../core/task/task.js'
import { sleepTaskSchema } from '../model/sleep-task.js'
import { sessionTool, toolsOf, uncallable, withPlainNames } from './tools.js'

const called = (arg: string) => ({ op: 'tool_called', arg }) as const
const inChat = { inCopy: false }

describe('the tools of a task', () => {
  it('are one per tool that its checks require, and report that nothing was run', () => {
    const task = sleepTask('a', { checks: [called('search'), called('Bash'), called('search')] })
    expect(toolsOf(task, inChat)).toEqual([
      {
        name: 'search',
        description: expect.stringContaining('search'),
        result: expect.stringContaining('Nothing was run'),
      },
      expect.objectContaining({ name: 'Bash' }),
    ])
  })

  it('return recorded output if the task has it', () => {
    const tools = [{ name: 'search', result: 'Found: 3' }]
    const task = sleepTask('a', { checks: [called('search')], tools })
    expect(toolsOf(task, inChat)).toEqual([
      { name: 'search', description: expect.stringContaining('search'), result: 'Found: 3' },
    ])
    const described = [{ name: 'look', description: 'Looks.', result: '' }]
    expect(toolsOf(sleepTask('a', { rubric: ['Fine.'], tools: described }), inChat)).toEqual(described)
  })

  it('are none if checks do not count or the name cannot be called', () => {
    expect(toolsOf(sleepTask('a', { rubric: ['Fine.'], checks: [called('search')] }), inChat)).toEqual([])
    const odd = sleepTask('a', { checks: [called('git commit'), called('x'.repeat(65))] })
    expect(toolsOf(odd, inChat)).toEqual([])
    expect(uncallable(odd)).toEqual(['git commit', 'x'.repeat(65)])
  })

  it("exclude an agent's built-in tools under any name", () => {
    const checks = ['Bash', 'bash', 'run_shell_command', 'WebFetch', 'mcp__jira__search'].map(called)
    const task = sleepTask('a', { checks })
    expect(toolsOf(task, { inCopy: true }).map(({ name }) => name)).toEqual(['mcp__jira__search'])
    expect(toolsOf(task, inChat)).toHaveLength(5)
  })

  it('answer any call with one text argument', async () => {
    const tool = sessionTool({ name: 'look', description: 'Looks.', result: 'a lamp' })
    expect(tool.parameters).toMatchObject({ required: ['input'], properties: { input: { type: 'string' } } })
    expect(await tool.call('{"input": 7', new AbortController().signal)).toBe('a lamp')
  })
})

describe('in a file of tasks', () => {
  it('tools are what the documentation shows', async () => {
    const shown = new URL('../../../test/fixtures/sleep-tasks/tools.yaml', import.meta.url)
    const task = sleepTaskSchema.parse({ ...sleepTask('a'), ...parse(await readFile(shown, 'utf8')) })
    expect(toolsOf(task, inChat)).toMatchObject([
      { name: 'search_tickets', result: expect.stringContaining('SHOP-17') },
    ])
  })

  it.each([
    ['a name that no model could call', [{ name: 'git commit', result: '' }], 'letters, digits'],
    ['a result without end', [{ name: 'a', result: 'x'.repeat(20_001) }], 'at most 20,000 characters'],
    [
      'one name twice',
      [
        { name: 'a', result: '' },
        { name: 'a', result: '' },
      ],
      'has a tool twice',
    ],
    [
      'too many',
      Array.from({ length: 21 }, (_, index) => ({ name: `t${index}`, result: '' })),
      'at most 20 tools',
    ],
    ['what is no part of one', [{ name: 'a', result: '', run: 'rm -rf' }], 'run'],
  ])('tools with %s are refused', (_, tools, problem) => {
    const parsed = sleepTaskSchema.safeParse({ ...sleepTask('a'), tools })
    expect(parsed.error?.message).toContain(problem)
  })
})

describe('the names under which tools were called', () => {
  const names = (...given: readonly string[]) => {
    const toolCalls = given.map((name, index) => ({ id: `${index}`, name, arguments: '{}' }))
    const trajectory: Trajectory = {
      messages: [
        { role: 'assistant', text: '', toolCalls },
        { role: 'tool', text: 'x' },
      ],
      answer: '',
      stop: 'answered',
    }
    const tools = ['look', 'task_list'].map(name => ({ name, description: '', result: '' }))
    return withPlainNames(trajectory, tools).messages.flatMap(message =>
      (message.toolCalls ?? []).map(({ name }) => name),
    )
  }

  it('are mapped to the task’s own, however an agent logs them', () => {
    const given = ['look', 'task.look', 'mcp__task__look', 'task-look', 'task_look', 'mcp_task_look']
    expect(names(...given)).toEqual(given.map(() => 'look'))
    expect(names('task_list', 'mcp__task__task_list')).toEqual(['task_list', 'task_list'])
  })

  it('are unchanged for other tools', () => {
    const given = ['Bash', 'mcp__task__other', 'mcp__jira__look', 'outlook']
    expect(names(...given)).toEqual(given)
  })
})
