import { expect, it } from 'vitest'
import { hideSecrets, redactSecrets } from './known-secrets.js'

it('takes every occurrence out, the longest secret first', () => {
  expect(redactSecrets('a abc abcd a', ['abc', 'abcd'])).toBe('a [redacted] [redacted] a')
})

it('takes out what looks like a key, even half hidden by the provider', () => {
  expect(redactSecrets('Incorrect API key provided: sk-proj-ab12********wxyz.', [])).not.toMatch(/ab12|wxyz/)
  expect(redactSecrets('sent Authorization: Bearer abcdef123456', [])).toBe('sent Authorization: [redacted]')
})

it('leaves the rest alone, also with an empty secret', () => {
  expect(redactSecrets('The task-list is long.', [''])).toBe('The task-list is long.')
})

it('leaves text that only looks like a key when hiding known secrets', () => {
  expect(hideSecrets('sk-abcdef123 and my/key, my%2Fkey', ['my/key'])).toBe(
    'sk-abcdef123 and [redacted], [redacted]',
  )
})
