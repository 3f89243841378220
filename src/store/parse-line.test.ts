import { expect, it } from 'vitest'
import { parseLine } from './disk.js'

it('takes a line that no text can hold for damaged', () => {
  expect(parseLine(Buffer.allocUnsafe(2 ** 29 + 1), 'events.jsonl')).toBeUndefined()
})
