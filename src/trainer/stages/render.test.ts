import { describe, expect, it } from 'vitest'
import { fakeRun, scoredAttempt } from '../../../test/fake-run.js'
import type { Edit } from '../../core/skill/edit.js'
import type { Attempt } from '../../core/task/task.js'
import { editLine, editList, isSuccess, section, sections, trajectorySection, transcript } from './render.js'

const about = { id: 'e', why: '', support: 3, from: 'success', tasks: ['t'] } as const
const edits: Edit[] = [
  { op: 'append', content: 'one "line"', ...about },
  { op: 'insert_after', target: '# A', content: 'two', ...about },
  { op: 'replace', target: 'old', content: 'new', ...about },
  { op: 'delete', target: 'gone', ...about },
  { op: 'suggest', title: 'Units', content: 'name them', ...about },
  { op: 'suggest', title: '', content: 'be brief', ...about },
  { op: 'rewrite', content: '# New', summary: 'shorter', ...about },
  { op: 'rewrite', content: '# New', summary: '', ...about },
  { op: 'remind', content: 'check twice', ...about },
]

const run = fakeRun(() => ({}))

describe('sections', () => {
  it('are tagged, separated by a blank line, and left out when empty', () => {
    expect(sections(section('a', 'x\ny'), section('b', ''), section('c', undefined), section('d', 'z'))).toBe(
      '<a>\nx\ny\n</a>\n\n<d>\nz\n</d>',
    )
  })
})

describe('edits as the optimizer reads them', () => {
  it('say in one line what was done, in quotes that cannot be confused with the text', () => {
    expect(edits.map(editLine)).toEqual([
      'append "one \\"line\\""',
      'insert_after "# A": "two"',
      'replace "old" by "new"',
      'delete "gone"',
      'suggest "Units: name them"',
      'suggest "be brief"',
      'rewrite "shorter"',
      'rewrite "of the whole skill"',
      'remind "check twice"',
    ])
  })

  it('are listed by index in the words of the contracts, with their support', () => {
    const counted = '"support_count":3,"source_type":"success"'
    expect(editList(edits.filter((_, index) => index !== 5 && index !== 7)).split('\n')).toEqual([
      `[0] {"op":"append","content":"one \\"line\\"",${counted}}`,
      `[1] {"op":"insert_after","target":"# A","content":"two",${counted}}`,
      `[2] {"op":"replace","target":"old","content":"new",${counted}}`,
      `[3] {"op":"delete","target":"gone",${counted}}`,
      `[4] {"op":"suggest","title":"Units","instruction":"name them",${counted}}`,
      `[5] {"op":"rewrite","new_skill":"# New","change_summary":"shorter",${counted}}`,
      `[6] {"op":"remind","content":"check twice",${counted}}`,
    ])
  })
})

describe('attempts as reflection reads them', () => {
  it('leave out the system prompt and show tool calls and what came back', async () => {
    const attempt: Attempt = {
      ...scoredAttempt(run, 'a', 1),
      messages: [
        { role: 'system', blob: run.put('rules and the skill') },
        { role: 'user', blob: run.put('What is 2 + 2?') },
        { role: 'assistant', text: '', toolCalls: [{ id: '1', name: 'add', arguments: '{"a":2,"b":2}' }] },
        { role: 'tool', blob: run.put('4'), toolCallId: '1' },
        { role: 'assistant', text: 'It is 4.' },
      ],
    }
    expect(await transcript(run, attempt)).toBe(
      '[user]\nWhat is 2 + 2?\n[assistant]\n-> add({"a":2,"b":2})\n[tool]\n4\n[assistant]\nIt is 4.',
    )
  })

  it('show lines that the environment repeats each turn only once', async () => {
    const asked = (...lines: readonly string[]) =>
      ({ role: 'user', blob: run.put(lines.join('\n')) }) as const
    const attempt: Attempt = {
      ...scoredAttempt(run, 'a', 1),
      messages: [
        asked('the skill', 'the task', '', 'a hall', 'go north', 'go south'),
        { role: 'assistant', text: 'a hall\nthe task\ngo north' },
        asked('the skill', 'the task', '', 'a kitchen', 'go north', 'go south', 'eat'),
        asked('the skill', 'the task', '', 'a hall'),
      ],
    }
    expect((await transcript(run, attempt)).split('\n')).toEqual([
      '[user]',
      'the skill',
      'the task',
      '',
      'a hall',
      'go north',
      'go south',
      '[assistant]',
      'a hall',
      'the task',
      'go north',
      '[user]',
      '(3 lines as in the message before)',
      'a kitchen',
      'go north',
      'go south',
      'eat',
      '[user]',
      '(3 lines as in the message before)',
      'a hall',
    ])
  })

  it('come with their scores, the hidden reference and why they ended early', async () => {
    const passed = scoredAttempt(run, 'a', 1)
    const failed: Attempt = {
      ...scoredAttempt(run, 'b', 0),
      hidden: run.put('the proof'),
      outcome: {
        status: 'scored',
        score: { hard: 0.25, soft: 1 / 3, feedback: 'too long' },
        stop: 'turn-limit',
      },
    }
    expect(await trajectorySection(run, [{ attempt: passed }, { attempt: failed }])).toBe(
      [
        '<trajectories>',
        '<trajectory number="1" type="kind" result="passed" hard="1" soft="1">',
        '[user]\nquestion of a',
        '[assistant]\nanswer of a',
        '[feedback]\nfeedback on a',
        '</trajectory>',
        '',
        '<trajectory number="2" type="kind" result="failed" hard="0.25" soft="0.333">',
        '[user]\nquestion of b',
        '[assistant]\nanswer of b',
        '[reference]\nthe proof',
        '[feedback]\ntoo long\nThe attempt ended early: turn-limit.',
        '</trajectory>',
        '</trajectories>',
      ].join('\n'),
    )
  })

  it('are refused after an external failure, since there is nothing to learn from', async () => {
    await expect(trajectorySection(run, [{ attempt: worldFailed }])).rejects.toThrow('failed attempt')
  })

  it('pass from half of the hard score on, and never after an external failure', () => {
    expect([0, 0.49, 0.5, 1].map(hard => isSuccess(scoredAttempt(run, 'a', hard)))).toEqual([
      false,
      false,
      true,
      true,
    ])
    expect(isSuccess(worldFailed)).toBe(false)
  })
})

const worldFailed: Attempt = {
  ...scoredAttempt(run, 'c', 1),
  outcome: { status: 'failed', failure: { kind: 'timeout', message: 'silence' } },
}
