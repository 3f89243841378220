import { expect, it } from 'vitest'
import { z } from 'zod'
import { recordsIn, textIn } from './json-lines.js'
import { addUsage, knownCost } from './reading.js'

const record = z.object({ type: z.literal('said'), text: z.string() })
const said = (text: string) => JSON.stringify({ type: 'said', text })

it('reads records in order and leaves empty lines and carriage returns out of account', () => {
  expect(recordsIn(`${said('one')}\r\n\n${said('two')}`, record)).toEqual({
    records: [
      { type: 'said', text: 'one' },
      { type: 'said', text: 'two' },
    ],
    skipped: 0,
  })
})

it('forgives a torn last line, but not one with another behind it', () => {
  expect(recordsIn(`${said('one')}\n{"type":"sai`, record)).toMatchObject({ records: [{}], skipped: 0 })
  expect(recordsIn(`{"type":"sai\n${said('one')}\n`, record)).toMatchObject({ records: [{}], skipped: 1 })
})

it('counts what it does not know, and what is known under a name but of another form', () => {
  const stdout = `notice\n{"type":"other"}\n{"type":"said"}\n42\n{"type":"passed"}\n`
  expect(recordsIn(stdout, record, new Set(['passed']))).toEqual({ records: [], skipped: 4 })
})

it('adds what is known and keeps unknown what neither says', () => {
  expect(addUsage({ input: 1, cachedInput: 0 }, { input: 2, output: 3, reasoning: undefined })).toEqual({
    input: 3,
    output: 3,
    cachedInput: 0,
  })
  expect(addUsage({}, {})).toEqual({})
})

it('does not let a figure below zero lower the sum', () => {
  const sum = addUsage(addUsage({ input: 100 }, { input: -90 }), { input: 5 })
  expect(sum.input).toBeNaN()
})

it('treats a cost of 0 as unknown', () => {
  expect(knownCost(0)).toEqual({})
  expect(knownCost(0.5)).toEqual({ cost: 0.5 })
})

it.each([
  ['plain', 'plain'],
  [
    [
      { type: 'text', text: 'one' },
      { type: 'image', data: 'AAAA' },
      { type: 'text', text: 'two' },
    ],
    'one\n[image]\ntwo',
  ],
  [[7], '7'],
  [{ key: 1 }, '{"key":1}'],
  [undefined, ''],
  [null, ''],
])('reads %j', (content, text) => {
  expect(textIn(content)).toBe(text)
})
