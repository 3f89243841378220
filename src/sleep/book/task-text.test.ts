import { describe, expect, it } from 'vitest'
import { sleepTask } from '../../../test/support/sleep-book.js'
import { InputError } from '../../core/errors/errors.js'
import { checkedChange, readCheck, readTaskText, taskText } from './task-text.js'

const task = sleepTask('one', {
  intent: 'First line.\n\nSecond: "line" # with marks',
  rubric: ['It is right.'],
  checks: [
    { op: 'contains', arg: 'yes' },
    { op: 'no_refusal', arg: true },
  ],
  skill: 'ci',
})
const read = (text: string) => readTaskText(task, text, 'edit-one.yaml')

describe('a task as text', () => {
  it('is the same task when nothing was changed', () => {
    expect(read(taskText(task))).toEqual(task)
    const bare = sleepTask('bare')
    expect(readTaskText(bare, taskText(bare), 'x.yaml')).toEqual(bare)
  })

  it('applies changes and treats omitted fields as empty', () => {
    expect(read('intent: Do it.\nskill: null\n')).toEqual(
      (({ skill: _, ...rest }) => ({
        ...rest,
        intent: 'Do it.',
        rubric: [],
        checks: [],
        writtenBy: 'person',
      }))(task),
    )
  })

  it('gives undefined when it is empty', () => {
    expect(read('')).toBeUndefined()
    expect(read('# only a comment\n')).toBeUndefined()
  })

  it.each([
    ['rubric: [a]\n', /intent is missing: it must be text/],
    ['intent: [', /edit-one\.yaml is not valid YAML, line 1/],
    ['just words', /must be a section/],
    ['intent: x\nrubrik: []\n', /rubrik is not an option \(edit-one\.yaml:2\); did you mean rubric\?/],
    ['intent: x\nsplit: val\n', /split is not an option \(edit-one\.yaml:2\)/],
    ['intent: x\nchecks:\n  - op: regex\n    arg: "["\n', /malformed pattern \/\[\/.*\(edit-one\.yaml:3\)/],
    [`intent: ${'x'.repeat(4_001)}\n`, /intent may have at most 4,000 characters/],
  ])('is refused: %j', (text, message) => {
    expect(() => read(text)).toThrow(InputError)
    expect(() => read(text)).toThrow(message)
  })
})

describe('on the command line', () => {
  it('a check is op=arg', () => {
    expect(readCheck('contains=a=b')).toEqual({ op: 'contains', arg: 'a=b' })
    expect(readCheck('contains=42')).toEqual({ op: 'contains', arg: '42' })
    expect(readCheck('max_chars=400')).toEqual({ op: 'max_chars', arg: 400 })
    expect(readCheck('no_refusal')).toEqual({ op: 'no_refusal', arg: true })
    expect(readCheck('no_refusal=true')).toEqual({ op: 'no_refusal', arg: true })
  })

  it.each(['contains', 'contains=', 'max_chars=many', 'includes=x', '', '=x', 'no_refusal=maybe'])(
    'a check is not "%s"',
    text => {
      expect(() => readCheck(text)).toThrow(InputError)
      expect(() => readCheck(text)).toThrow(`"${text}" is no check.`)
    },
  )

  it('a change is validated like the file', () => {
    expect(checkedChange(task, { reviewed: true })).toEqual({ ...task, reviewed: true })
    expect(() => checkedChange(task, { intent: ' ' })).toThrow(/intent must be text, but is " "/)
    expect(() => checkedChange(task, { checks: [{ op: 'regex', arg: '(' }], rubric: [] })).toThrow(
      /malformed/,
    )
    expect(() => checkedChange(task, { rubric: Array(21).fill('x') })).toThrow(/at most 20 points/)
  })
})
