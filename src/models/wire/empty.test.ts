import { expect, it } from 'vitest'
import { refuseEmpty } from './empty.js'

const rule = { isAnswer: false, followsTools: false }
const reply = (text: string) => ({ text, stop: 'stop' as const, usage: { output: 40 } })

it.each(['', ' \n', '\u00a0', '\u200b', '\u200b \u2060\ufeff', '\u{e0041}', '\u2800'])(
  'treats an invisible reply as a provider fault: %j',
  text => {
    expect(() => refuseEmpty(reply(text), rule)).toThrow('no content and bills 40 output tokens')
  },
)

it.each(['0', '👩‍👩‍👧', 'a\u200b', '.'])('lets a short answer through: %j', text => {
  expect(refuseEmpty(reply(text), rule).text).toBe(text)
})
