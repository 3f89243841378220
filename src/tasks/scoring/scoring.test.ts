import { describe, expect, it } from 'vitest'
import { scoreContext } from '../../../test/score-context.js'
import { InputError } from '../../core/errors/errors.js'
import type { Trajectory } from '../../core/task/task.js'
import { extractAnswer, numbersIn } from './extract.js'
import { chooseScorer, scorers } from './index.js'
import type { Fields } from './scorer.js'

function said(answer: string, stop: Trajectory['stop'] = 'answered'): Trajectory {
  return { messages: [], answer, stop }
}

function score(config: Parameters<typeof chooseScorer>[0], task: Fields, answer: string) {
  return chooseScorer(config).score(task, said(answer), scoreContext)
}

describe('extractAnswer', () => {
  const reply = 'First <answer>no</answer>\n<ANSWER> 4,200\n </ANSWER>\nSo 17.\n\n'

  it.each([
    ['tag-or-last-line', '4,200'],
    ['tag-or-whole', '4,200'],
    ['tag', '4,200'],
    ['last-line', 'So 17.'],
    ['last-number', '17'],
    ['whole', reply],
    [{ regex: '(\\w+) <answer>' }, 'First'],
    [{ regex: 'S\\w+' }, 'So'],
    [{ regex: 'nothing' }, ''],
  ] as const)('%j', (how, answer) => {
    expect(extractAnswer(reply, how)).toBe(answer)
  })

  it('falls back to the last line only where it is asked to', () => {
    expect(extractAnswer('a\n b \n', 'tag-or-last-line')).toBe('b')
    expect(extractAnswer(' a\nb\n', 'tag-or-whole')).toBe('a\nb')
    expect(extractAnswer('a\nb', 'tag')).toBe('')
  })

  it('reads numbers as people write them', () => {
    expect(numbersIn('x2 costs $1,200.50, or −3 to 4-5, 1e-3, .5, 1,2 v1.2.3')).toEqual([
      '1,200.50',
      '−3',
      '4',
      '5',
      '1e-3',
      '.5',
      '1',
      '2',
    ])
    expect(numbersIn('none')).toEqual([])
  })
})

describe('scorers', () => {
  it.each([
    ['exact', { answer: 'Paris' }, '<answer> paris </answer>', 1, 1],
    ['exact', { answer: 42 }, '41', 0, 0],
    ['exact', { answers: ['a b', 'c'] }, 'A  B', 1, 1],
    [{ name: 'exact', caseSensitive: true }, { answer: 'Paris' }, 'paris', 0, 0],
    [
      { name: 'exact', field: 'gold', extract: 'last-number' },
      { gold: '7', answer: 'x' },
      'it is 7 then',
      1,
      1,
    ],
    ['contains', { answer: '42' }, 'It is 42.', 1, 1],
    ['contains', { answer: '42' }, 'It is 142.', 0, 0],
    [{ name: 'contains', wholeWords: false }, { answer: '42' }, 'It is 142.', 1, 1],
    [{ name: 'contains', all: true }, { answers: ['red', 'blue'] }, 'only red', 0, 0.5],
    [{ name: 'contains', all: true, caseSensitive: true }, { answers: ['red'] }, 'Red', 0, 0],
    ['regex', { pattern: '^a+$' }, 'aaa', 1, 1],
    ['regex', { pattern: '^a+$' }, 'b', 0, 0],
    [{ name: 'regex', pattern: 'b', whole: true }, {}, 'abc', 0, 0],
    [{ name: 'regex', pattern: 'B', caseSensitive: false }, {}, 'abc', 1, 1],
    ['numeric', { answer: '#### 1,200' }, 'So it is $1200.', 1, 1],
    ['numeric', { answer: 3 }, 'three', 0, 0],
    ['numeric', { answer: 0.3 }, `${0.1 + 0.2}`, 1, 1],
    ['numeric', { answer: '3/4' }, '0.75', 1, 1],
    ['numeric', { answer: 0 }, '0.0', 1, 1],
    [{ name: 'numeric', absolute: 0.5 }, { answer: 10 }, '10.5', 1, 1],
    [{ name: 'numeric', relative: 0.01 }, { answer: 200 }, '202', 1, 1],
    [{ name: 'numeric', relative: 0.01 }, { answer: 200 }, '203', 0, 0],
    ['token-f1', { answer: 'the big red dog' }, 'red big dog', 0, 1],
    [{ name: 'token-f1', threshold: 0.5 }, { answer: 'big dog' }, 'dog', 1, 2 / 3],
    ['choice', { choices: ['x', 'y', 'z'], answer: 'B' }, '<answer>b)</answer>', 1, 1],
    ['choice', { choices: ['x', 'y', 'z'], answer: 'y' }, '(B) because', 1, 1],
    ['choice', { choices: ['x', 'y', 'z'], answer: 'B' }, 'Z', 0, 0],
    [
      'choice',
      {
        choices: [
          { label: '1', text: 'x' },
          { label: '2', text: 'y' },
        ],
        answer: '2',
      },
      '2.',
      1,
      1,
    ],
    ['choice', { choices: ['x', 'y'], answer: 'A' }, '', 0, 0],
    ['searchqa', { answers: ['Mt. Fuji'] }, '<answer>the mt fuji</answer>', 1, 1],
    ['rules', { checks: [] }, 'x', 0, 0],
    [{ name: 'rules', checks: [{ op: 'min_chars', arg: 1 }] }, {}, 'x', 1, 1],
    [
      { name: 'rules', field: 'judge' },
      { judge: { kind: 'rule', checks: [{ op: 'contains', arg: 'x' }] } },
      'y',
      0,
      0,
    ],
  ] as const)('%j scores %j', async (config, task, answer, hard, soft) => {
    const result = await score(config, task, answer)
    expect(result.hard).toBe(hard)
    expect(result.soft).toBeCloseTo(soft)
    expect(result.feedback).not.toBe('')
  })

  it('tells reflection what was expected and what came', async () => {
    expect((await score('exact', { answer: '42' }, '41')).feedback).toBe('Expected "42"; got "41".')
    expect((await score('exact', { answers: ['a', 'b'] }, '')).feedback).toBe(
      'Expected "a" or "b"; got no answer.',
    )
    expect((await score('exact', { answer: '42' }, '42')).feedback).toBe('Correct: "42".')
    expect((await score('choice', { choices: ['x', 'y'], answer: 'A' }, 'B')).feedback).toBe(
      'Expected A ("x"); got B ("y").',
    )
    expect((await score('numeric', { answer: 3 }, 'three')).feedback).toContain('There is no number in it.')
    const checks = [
      { op: 'max_chars', arg: 1 },
      { op: 'contains', arg: 'b' },
    ]
    expect((await score('rules', { checks }, 'ab')).feedback).toBe(
      '1 of 2 checks passed. The reply has 2 characters; at most 1 are allowed.',
    )
    expect(
      (await chooseScorer('exact').score({ answer: 'a' }, said('', 'turn-limit'), scoreContext)).feedback,
    ).toContain('turn-limit')
  })

  it('sees refusals behind markdown, but not in long or substantial replies', async () => {
    const refuses = async (reply: string) =>
      (await score('rules', { checks: [{ op: 'no_refusal' }] }, reply)).hard === 0
    for (const reply of [
      '',
      ' \n',
      "**I'm sorry**, but no.",
      '> I can’t do that.',
      'As an AI, I have no view.',
    ]) {
      expect(await refuses(reply)).toBe(true)
    }
    for (const reply of [
      'I can do that.',
      'Sorryless',
      'The answer: I cannot tell a lie.',
      `I cannot ${'x'.repeat(600)}`,
    ]) {
      expect(await refuses(reply)).toBe(false)
    }
  })

  it('counts a tool as called when it was, or when the reply has the marker for exactly it', async () => {
    const scorer = chooseScorer('rules')
    const task = { checks: [{ op: 'tool_called', arg: 'search' }] }
    const toolCalls = [{ id: '1', name: 'search', arguments: '{}' }]
    const called: Trajectory = {
      messages: [{ role: 'assistant', text: '', toolCalls }],
      answer: 'x',
      stop: 'answered',
    }
    expect((await scorer.score(task, called, scoreContext)).hard).toBe(1)
    expect((await scorer.score(task, said('TOOL_CALL: searching'), scoreContext)).hard).toBe(0)
    expect((await scorer.score(task, said('I would search'), scoreContext)).hard).toBe(0)
  })

  it('finds what is wrong with a task before it is run', () => {
    const problem = (config: Parameters<typeof chooseScorer>[0], task: Fields) =>
      chooseScorer(config).problem(task)
    expect(problem('exact', {})).toContain('no field "answer" or "answers"')
    expect(problem('exact', { answers: [] })).toContain('empty list')
    expect(problem('exact', { answer: ' ' })).toContain('empty expected answer')
    expect(problem('exact', { answer: { a: 1 } })).toContain('something other')
    expect(problem('numeric', { answer: 'many' })).toContain('no number')
    expect(problem('regex', {})).toContain('no pattern')
    expect(problem('regex', { pattern: '[bad' })).toContain('no valid regular expression')
    expect(problem({ name: 'regex', pattern: 'a' }, {})).toBeUndefined()
    expect(problem('choice', { choices: ['x'], answer: 'A' })).toContain('at least two')
    expect(problem('choice', { choices: ['x', 'y'], answer: 'C' })).toContain('neither')
    const twice = [
      { label: 'a', text: 'x' },
      { label: 'A', text: 'y' },
    ]
    expect(problem('choice', { choices: twice, answer: 'A' })).toContain('same label')
    expect(problem('rules', {})).toContain('no checks')
    expect(problem('rules', { checks: [] })).toContain('empty list')
    expect(problem('rules', { checks: [{ op: 'rhymes', arg: 'x' }] })).toContain('malformed')
    expect(problem('rules', { checks: [{ op: 'max_chars', arg: true }] })).toContain('malformed')
    expect(problem('rules', { checks: [{ op: 'max_chars', arg: 1.5 }] })).toContain('malformed')
    expect(problem('rules', { checks: [{ op: 'regex', arg: '[bad' }] })).toContain('malformed pattern')
    expect(problem('searchqa', { answers: ['x'] })).toBeUndefined()
  })
})

describe('chooseScorer', () => {
  const hintOf = (config: Parameters<typeof chooseScorer>[0]) => {
    try {
      chooseScorer(config)
    } catch (error) {
      if (error instanceof InputError) return `${error.message} ${error.hint}`
      throw error
    }
    return undefined
  }

  it('refuses what it does not know and suggests what was meant', () => {
    expect(hintOf('exakt')).toContain('Did you mean "exact"?')
    expect(hintOf({ name: 'numeric', absolut: 1 })).toContain('Did you mean "absolute"?')
    expect(hintOf({ name: 'numeric', absolute: -1 })).toContain('not valid')
    expect(hintOf({ name: 'regex', pattern: '[bad' })).toContain('pattern')
    expect(hintOf({ name: 'exact', extract: { regex: '(' } })).toContain('extract.regex')
    expect(hintOf({ name: 'exact', extract: 'lastline' })).toContain('not valid')
    expect(hintOf({ name: 'rules', checks: [{ op: 'regex', arg: '(' }] })).toContain('malformed')
  })

  it('has a description for every option', () => {
    for (const scorer of scorers) {
      for (const [name, option] of Object.entries(scorer.options.shape)) {
        expect([scorer.id, name, option.description]).not.toContain(undefined)
      }
    }
  })
})
