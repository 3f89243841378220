import { describe, expect, it } from 'vitest'
import { InputError } from '../core/errors/errors.js'
import type { Row } from '../tasks/loading/rows.js'
import { chooseColumns, isRecognisable } from './columns.js'
import { draftTasks } from './draft.js'
import { needsJudge, shownScorer, suggestScorer } from './scorer.js'

const rows = (...fields: Record<string, unknown>[]): Row[] =>
  fields.map((one, index) => ({ fields: one, at: `t.csv, line ${index + 2}`, number: index + 2 }))
const drafted = (...fields: Record<string, unknown>[]) => {
  const { columns } = chooseColumns(rows(...fields), {})
  return draftTasks(rows(...fields), columns, 't')
}

describe('chooseColumns', () => {
  const refusal = (fields: Record<string, unknown>[], given = {}) => {
    try {
      chooseColumns(rows(...fields), given)
    } catch (error) {
      if (error instanceof InputError) return `${error.message} ${error.hint}`
      throw error
    }
    return 'not refused'
  }

  it.each([
    [
      { question: 'q', answer: 'a' },
      { question: 'question', answer: 'answer' },
    ],
    [
      { Prompt: 'q', 'Expected Output': 'a' },
      { question: 'Prompt', answer: 'Expected Output' },
    ],
    [
      { text: 'q', label: 'a' },
      { question: 'text', answer: 'label' },
    ],
    [
      { text: 'q', category: 'a' },
      { question: 'text', answer: 'category' },
    ],
    [{ prompt: 'q', checks: [] }, { question: 'prompt' }],
    [
      { question: 'q', A: '1', B: '2', C: '3', answer: 'B' },
      { question: 'question', answer: 'answer', choices: ['A', 'B', 'C'] },
    ],
    [
      { question: 'q', option_1: '1', option_2: '2', correct_answer: '2' },
      { question: 'question', answer: 'correct_answer', choices: ['option_1', 'option_2'] },
    ],
  ])('knows %o by its names', (fields, columns) => {
    expect(chooseColumns(rows(fields), {}).columns).toEqual(columns)
  })

  it('takes what was given, and says why it took the rest', () => {
    const { columns, shown } = chooseColumns(rows({ a: 'q', b: 'a', text: 'x' }), {
      question: 'a',
      answer: 'b',
    })
    expect(columns).toEqual({ question: 'a', answer: 'b' })
    expect(shown).toEqual(['question: "a" (as you chose)', 'answer: "b" (as you chose)'])
  })

  it('picks a type column only if it groups and an id column only if it is unique', () => {
    const table = [1, 2, 3, 4].map(number => ({
      question: `${number}`,
      answer: 'x',
      type: number > 2 ? 'b' : 'a',
      id: number,
      key: 'same',
      topic: `${number}`,
    }))
    expect(chooseColumns(rows(...table), {}).columns).toMatchObject({ type: 'type', id: 'id' })
    const without = table.map(({ type: _type, id: _id, ...rest }) => rest)
    expect(chooseColumns(rows(...without), {}).columns).toEqual({ question: 'question', answer: 'answer' })
  })

  it('refuses ambiguous columns and lists the candidates', () => {
    expect(refusal([{ no: 1, message: 'm', team: 't' }])).toContain('--answer: "no", "team"')
    expect(refusal([{ x: 1, y: 2 }])).toContain('--question: "x", "y"')
    expect(refusal([{ question: 'q' }])).toContain('Every task needs a question and an answer')
    expect(refusal([{ question: 'q', answer: 'a' }], { answer: 'anser' })).toContain('Columns: question')
    expect(refusal([{ 'question;answer': 'q;a' }])).toContain('separated by ";"')
    expect(refusal([{}])).toContain('No tasks')
  })

  it('reports recognisable tasks without throwing', () => {
    expect(isRecognisable(rows({ question: 'q', answer: 'a' }))).toBe(true)
    expect(isRecognisable(rows({ name: 'skillopt', version: '1' }))).toBe(false)
    expect(isRecognisable([])).toBe(false)
  })
})

describe('draftTasks', () => {
  it('uses the words of the environment and keeps the rest', () => {
    const [task] = drafted({ Prompt: ' What? ', expected: 42, source: 'web', empty: '', none: [] })
    expect(task).toEqual({
      id: 't-2',
      question: ' What? ',
      answer: '42',
      type: undefined,
      at: 't.csv, line 2',
      fields: { id: 't-2', question: ' What? ', answer: 42, source: 'web' },
    })
  })

  it('gives ids of one width, and keeps those that are there', () => {
    const table = Array.from({ length: 12 }, (_, index) => ({ question: `q${index}`, answer: 'a' }))
    expect(drafted(...table)[0]?.id).toBe('t-02')
    expect(drafted({ id: 7, question: 'q', answer: 'a' })[0]?.id).toBe('7')
  })

  it('makes a list of columns with one choice each, and of a list written as JSON', () => {
    const [columns] = drafted({ question: 'q', A: 'red', B: 'blue', C: '', answer: 'B' })
    expect(columns?.fields).toEqual({ id: 't-2', question: 'q', answer: 'B', choices: ['red', 'blue'] })
    const [text] = drafted({ question: 'q', choices: '["red", "blue"]', answer: 'B' })
    expect(text?.fields.choices).toEqual(['red', 'blue'])
    const [prose] = drafted({ question: 'q', options: '[see below', answer: 'B' })
    expect(prose?.fields.options).toBe('[see below')
  })

  it('does not lose a field whose name another one takes', () => {
    const { columns } = chooseColumns(rows({ question: 'old', text: 'new', answer: 'a' }), {
      question: 'text',
    })
    const [task] = draftTasks(rows({ question: 'old', text: 'new', answer: 'a' }), columns, 't')
    expect(task?.fields).toMatchObject({ question: 'new', question_original: 'old' })
  })

  it('distinguishes tasks by their files as well', () => {
    expect(drafted({ question: 'What is it?', answer: 'a', files: 'a.png; b.png' })[0]?.question).toBe(
      'What is it?\na.png\nb.png',
    )
  })
})

describe('suggestScorer', () => {
  const scorerFor = (...answers: unknown[]) =>
    suggestScorer(drafted(...answers.map((answer, index) => ({ question: `q${index}`, answer }))))
  const prose = (words: number) => 'word '.repeat(words)

  it.each<[string, unknown[], string, RegExp]>([
    ['numbers', ['12', '1,200.50', '$3', '45%', '-7', '3/4', 8], 'numeric', /number/],
    ['labels', ['yes', 'no', 'Yes', 'no', 'yes', 'no'], 'exact', /2 different answers: "yes", "no"/],
    ['short texts', ['Paris', 'Rio de Janeiro', 'Oslo'], 'exact', /3 words at most/],
    ['JSON in a table', ['{"a": 1}', '[1, 2]'], 'json-equal', /JSON/],
    ['JSON objects', [{ a: 1 }, { a: 2 }], 'json-equal', /JSON/],
    ['several accepted answers', [['Sucre', 'La Paz'], ['Paris']], 'exact', /words? at most/],
    ['text that begins like JSON', ['{not json', '[nor this'], 'exact', /words? at most/],
    ['sentences', [prose(12), prose(20)], 'token-f1', /about 20 words/],
    ['prose', [prose(60), prose(80)], 'rubric', /judge/],
    ['nothing', ['', ' '], 'exact', /no answers yet/],
  ])('for %s', (_, answers, scorer, reason) => {
    const suggestion = scorerFor(...answers)
    const name = typeof suggestion.scorer === 'string' ? suggestion.scorer : suggestion.scorer.name
    expect(name).toBe(scorer)
    expect(suggestion.reason).toMatch(reason)
    expect(needsJudge(suggestion)).toBe(scorer === 'rubric')
  })

  it('follows fields that say what is expected', () => {
    const suggested = (fields: object) =>
      suggestScorer(drafted({ question: 'q', answer: 'B', ...fields })).scorer
    expect(suggested({ choices: ['a', 'b'] })).toBe('choice')
    expect(suggested({ checks: [{ op: 'no_refusal' }] })).toBe('rules')
    expect(suggested({ pattern: 'a+' })).toBe('regex')
    expect(suggested({ schema: { type: 'object' } })).toBe('json-schema')
  })

  it('has cases of an evals.json judged, by their own points where they have some', () => {
    const plain = drafted({ prompt: 'p', expected_output: 'o' })
    expect(suggestScorer(plain, 'evals').scorer).not.toHaveProperty('field')
    const points = drafted({ prompt: 'p', expected_output: 'o', assertions: ['says x'] })
    expect(suggestScorer(points, 'evals').scorer).toMatchObject({ name: 'rubric', field: 'assertions' })
  })

  it('is shown as a config has it', () => {
    expect(shownScorer('exact')).toBe('exact')
    expect(shownScorer({ name: 'token-f1', threshold: 0.6 })).toBe('{ name: token-f1, threshold: 0.6 }')
  })
})
