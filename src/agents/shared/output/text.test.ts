import { expect, it } from 'vitest'
import { textIn } from './text.js'

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
