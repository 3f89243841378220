import { describe, expect, it } from 'vitest'
import { hiddenWarning, visible, visibleJson, visibleLine } from './visible.js'

describe('visible', () => {
  it('shows invisible characters by their code point', () => {
    const cases = {
      'a\u200bb': 'a⟨U+200B⟩b',
      'a\u202eb': 'a⟨U+202E⟩b',
      'a\u001b[31mred': 'a⟨U+001B⟩[31mred',
      'a\u009b2Jb': 'a⟨U+009B⟩2Jb',
      'a\u{e0041}b': 'a⟨U+E0041⟩b',
      'a\u3164b': 'a⟨U+3164⟩b',
      'a\u2800b': 'a⟨U+2800⟩b',
      'a\u00adb': 'a⟨U+00AD⟩b',
      'a\u2028b': 'a⟨U+2028⟩b',
      'a\ufe01b': 'a⟨U+FE01⟩b',
      'a\ud800b': 'a⟨U+D800⟩b',
      'a\rb': 'a⟨U+000D⟩b',
      '\ufeffa': '⟨U+FEFF⟩a',
    }
    for (const [text, shown] of Object.entries(cases)) expect(visible(text)).toBe(shown)
  })

  it('leaves line ends, tabs, letters of all kinds and emoji alone', () => {
    const text = 'a\tb\nä 漢 ع é e\u0301 👩‍👩‍👧 ❤️ 👍🏽'
    expect(visible(text)).toBe(text)
    expect(visible('a\r\nb')).toBe('a\nb')
    expect(hiddenWarning([text, 'a\r\nb'])).toBeUndefined()
  })

  it('shows joiners and selectors that are not part of an emoji', () => {
    expect(visible('👍\u200d\u200dx')).toBe('👍⟨U+200D⟩⟨U+200D⟩x')
    expect(visible('x\ufe0f')).toBe('x⟨U+FE0F⟩')
  })

  it('leaves keycaps, flags and joined letters alone, and nothing that only looks like them', () => {
    const england = '\u{1f3f4}\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}'
    const text = `1️⃣ ${england} می‌خواهم क्‍ष`
    expect(visible(text)).toBe(text)
    expect(visible('1\ufe0f2')).toBe('1⟨U+FE0F⟩2')
    expect(visible('pass\u200cword')).toBe('pass⟨U+200C⟩word')
    expect(visible('\u{1f3f4}\u{e0069}\u{e0067}\u{e006e}')).toBe('\u{1f3f4}⟨U+E0069⟩⟨U+E0067⟩⟨U+E006E⟩')
  })

  it('escapes invisible characters in JSON without changing the data', () => {
    const value = { text: 'a\u200bb\u{e0041} 👩‍👩‍👧', lines: 'one\ntwo' }
    const shown = visibleJson(value)
    expect(shown).toContain('a\\u200bb\\udb40\\udc41 👩‍👩‍👧')
    expect(JSON.parse(shown)).toEqual(value)
  })

  it('makes one line of many', () => {
    expect(visibleLine(' a\n\u200b b ')).toBe('a ⟨U+200B⟩ b')
  })
})

it('warns with what was found, and how often', () => {
  expect(hiddenWarning(['a\u200bb'])).toContain('There is a character in it that one does not see: ⟨U+200B⟩.')
  expect(hiddenWarning(['a\u200bb\u200b', '\u202e'])).toContain(
    'There are 3 characters in it that one does not see: ⟨U+200B⟩ 2 times, ⟨U+202E⟩.',
  )
})
