import { expect, it } from 'vitest'
import { parseLine } from './disk.js'

it('treats a line that is too long for a string as damaged', () => {
  expect(parseLine(Buffer.allocUnsafe(2 ** 29 + 1), 'events.jsonl')).toBeUndefined()
})
