import { describe, expect, it } from 'vitest'
import type { SaidMessage } from '../../../../src/dashboard/contract/attempts.js'
import { fieldsOf, partingOf, turnsOf } from './turns.js'

const cut = (text: string) => ({ text, length: text.length })

function said(role: SaidMessage['role'], text: string, more: Partial<SaidMessage> = {}): SaidMessage {
  return { role, text: cut(text), files: [], calls: [], ...more }
}

const call = (id: string, name = 'shell') => ({ id, name, arguments: cut('{}') })
const answer = (id: string, text: string) => said('tool', text, { answers: id })

describe('turns of a conversation', () => {
  it('pair each answer with its call, in any order', () => {
    const turns = turnsOf([
      said('user', 'Do it.'),
      said('assistant', '', { calls: [call('a'), call('b')] }),
      answer('b', 'second'),
      answer('a', 'first'),
      said('assistant', 'Done.'),
    ])
    expect(turns.map(({ at }) => at)).toEqual([0, 1, 4])
    expect(turns[1]?.calls.map(({ answer: got }) => [got?.at, got?.message.text.text])).toEqual([
      [3, 'first'],
      [2, 'second'],
    ])
  })

  it('handle reused call ids', () => {
    const turns = turnsOf([
      said('assistant', '', { calls: [call('1')] }),
      answer('1', 'early'),
      said('assistant', '', { calls: [call('1')] }),
      answer('1', 'late'),
    ])
    expect(turns.map(({ calls }) => calls[0]?.answer?.message.text.text)).toEqual(['early', 'late'])
  })

  it('leave unmatched answers and calls in place', () => {
    const turns = turnsOf(
      [said('assistant', '', { calls: [call('a')] }), answer('other', 'stray'), said('user', 'Go on.')],
      100,
    )
    expect(turns.map(({ at }) => at)).toEqual([100, 101, 102])
    expect(turns[0]?.calls[0]?.answer).toBeUndefined()
    expect(turns[1]?.message.text.text).toBe('stray')
  })

  it('lose no message', () => {
    const messages = [
      said('assistant', '', { calls: [call('a'), call('a')] }),
      answer('a', 'one'),
      answer('a', 'two'),
      answer('a', 'three'),
    ]
    const places = turnsOf(messages).flatMap(({ at, calls }) => [
      at,
      ...calls.flatMap(({ answer: got }) => (got === undefined ? [] : [got.at])),
    ])
    expect(places.toSorted((a, b) => a - b)).toEqual([0, 1, 2, 3])
  })
})

describe('arguments of a call', () => {
  it('are read one by one, texts with their lines', () => {
    expect(fieldsOf(cut('{"command":"ls\\npwd","limits":{"seconds":3}}'))).toEqual([
      { name: 'command', value: 'ls\npwd' },
      { name: 'limits', value: '{\n  "seconds": 3\n}' },
    ])
  })

  it.each(['not json', '[1]', '"text"', 'null', ''])('are left as they are: %s', text => {
    expect(fieldsOf(cut(text))).toBeUndefined()
  })

  it('are left as they are if truncated', () => {
    expect(fieldsOf({ text: '{"a":1}', length: 9 })).toBeUndefined()
  })
})

describe('where two conversations part', () => {
  const start = [said('system', 'Skill A'), said('user', 'Task')]

  it('is the first message that differs, but for what the system said', () => {
    const left = [...start, said('assistant', 'yes')]
    const right = [said('system', 'Skill B'), said('user', 'Task'), said('assistant', 'no')]
    expect(partingOf(left, right)).toBe(2)
  })

  it('is a call with other arguments', () => {
    const withCall = (text: string) => [
      ...start,
      said('assistant', 'so', { calls: [{ ...call('x'), arguments: cut(text) }] }),
    ]
    expect(partingOf(withCall('{"a":1}'), withCall('{"a":2}'))).toBe(2)
  })

  it('is undefined if one is only longer', () => {
    expect(partingOf(start, [...start, said('assistant', 'more')])).toBeUndefined()
  })
})
