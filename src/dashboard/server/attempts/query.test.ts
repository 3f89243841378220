import { describe, expect, it } from 'vitest'
import { InputError } from '../../../core/errors/errors.js'
import { readFilter, readMessagesPlace, readPage, readSeq, readTextPlace } from './query.js'

describe('a page of the list', () => {
  it('defaults to the latest hundred', () => {
    expect(readPage({})).toEqual({ sort: '-time', offset: 0, limit: 100 })
  })

  it('is parsed from the query string', () => {
    expect(readPage({ step: '3', sample: '0', sort: 'task', offset: '200', limit: '500', type: '' })).toEqual(
      {
        step: 3,
        sample: 0,
        sort: 'task',
        offset: 200,
        limit: 500,
        type: '',
      },
    )
  })

  it.each([
    [{ limit: '0' }, '`limit` must be 1 to 500'],
    [{ limit: '501' }, '`limit` must be 1 to 500'],
    [{ offset: '-1' }, '`offset` must be a whole number'],
    [{ offset: '1e3' }, '`offset` must be a whole number'],
    [{ step: ' 1' }, '`step` must be a whole number'],
    [{ step: '99999999999' }, '`step` must be a whole number'],
    [{ outcome: 'great' }, '`outcome`'],
    [{ stage: 'nap' }, '`stage`'],
    [{ sort: 'cost' }, '`sort`'],
    [{ skill: '' }, '`skill`'],
    [{ q: 'x'.repeat(201) }, '`q` may have 200 characters at most'],
    [{ from: 'v0' }, '`from` and `to` go together'],
    [{ to: 'v0' }, '`from` and `to` go together'],
    [{ change: 'better' }, '`from` and `to` go together'],
    [{ surprise: '1' }, 'there is no such thing to ask for as "surprise"'],
    [{ ['x'.repeat(100)]: '1' }, `"${'x'.repeat(40)}"`],
  ])('%j is refused with a sentence', (given, problem) => {
    const read = () => readPage(given as Record<string, string>)
    expect(read).toThrow(InputError)
    expect(read).toThrow(problem)
  })
})

describe('a filter', () => {
  it('rejects paging and sorting parameters', () => {
    expect(readFilter({ from: 'v0', to: 'v1', change: 'worse', until: '7' })).toEqual({
      from: 'v0',
      to: 'v1',
      change: 'worse',
      until: 7,
    })
    for (const name of ['sort', 'offset', 'limit'])
      expect(() => readFilter({ [name]: '1' })).toThrow(`no such thing to ask for as "${name}"`)
  })

  it('explains that `from` and `to` go together if one is missing', () => {
    expect(() => readFilter({ from: 'v0' })).toThrow('they name the two skills between which tasks changed')
  })
})

describe('a place in an attempt', () => {
  it.each(['message.0', 'call.3.0', 'vote.2', 'feedback', 'problem', 'hidden'])('may be %s', of => {
    expect(readTextPlace({ of, from: '20000' })).toEqual({ of, from: 20_000 })
  })

  it.each([
    'message',
    'message.x',
    'message.-1',
    'call.3',
    'vote',
    'hidden.0',
    'messages.0',
    'message.0.0',
    '',
  ])('may not be %j', of =>
    expect(() => readTextPlace({ of, from: '0' })).toThrow('must be message.0, call.0.0'),
  )

  it('requires `from`', () => {
    expect(() => readTextPlace({ of: 'feedback' })).toThrow('`from`')
    expect(() => readMessagesPlace({})).toThrow('`from`')
    expect(readMessagesPlace({ from: '100' })).toEqual({ from: 100 })
  })

  it.each(['', '-1', '1.5', 'abc', '1e2', '12345678901'])('rejects %j as an attempt number', given => {
    expect(() => readSeq(given)).toThrow('named by its place in the log')
    expect(readSeq('0')).toBe(0)
  })
})
