import { expect, it } from 'vitest'
import { z } from 'zod'
import { recordsIn } from './json-lines.js'

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
