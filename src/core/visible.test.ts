import { describe, expect, it } from 'vitest'
import { hiddenWarning, visible, visibleLine } from './visible.js'

describe('visible', () => {
  it('shows what one would not see by its number', () => {
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

  it('is not taken in by what looks like the inside of an emoji', () => {
    expect(visible('👍\u200d\u200dx')).toBe('👍⟨U+200D⟩⟨U+200D⟩x')
    expect(visible('x\ufe0f')).toBe('x⟨U+FE0F⟩')
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
