import { count } from './figures.js'

/**
 * A model that was misled may write what nobody sees: characters without a shape, that change the direction of others, or
 * that command a terminal. Whoever decides on a text has to see them, so they are shown by their number.
 */

const unseen = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/u
/** Line ends, tabs, and what holds one emoji together. */
const harmless =
  /\r\n|[\n\t]|\p{Extended_Pictographic}[\ufe0e\ufe0f]?(?:\p{Emoji_Modifier})?(?:\u200d\p{Extended_Pictographic}[\ufe0e\ufe0f]?(?:\p{Emoji_Modifier})?)*/gu

/** The text with everything in it that would not be seen. Line ends become `\n`. */
export function visible(text: string): string {
  return mapHidden(text, shownAs).replaceAll('\r\n', '\n')
}

export function visibleLine(text: string): string {
  return visible(text).replace(/\s+/g, ' ').trim()
}

/** A warning about what would not be seen in these texts; undefined where there is nothing of it. */
export function hiddenWarning(texts: readonly string[]): string | undefined {
  const found = new Map<string, number>()
  for (const text of texts) {
    mapHidden(text, character => {
      found.set(shownAs(character), (found.get(shownAs(character)) ?? 0) + 1)
      return ''
    })
  }
  if (found.size === 0) return undefined
  const total = [...found.values()].reduce((sum, number) => sum + number, 0)
  const kinds = [...found].map(([shown, number]) => `${shown}${number > 1 ? ` ${count(number)} times` : ''}`)
  const are = total === 1 ? 'is a character' : `are ${count(total)} characters`
  return `There ${are} in it that one does not see: ${kinds.join(', ')}. They are shown by their numbers. Do not adopt what you cannot explain.`
}

function mapHidden(text: string, map: (character: string) => string): string {
  let mapped = ''
  let at = 0
  const between = (part: string) => Array.from(part, one => (unseen.test(one) ? map(one) : one)).join('')
  for (const match of text.matchAll(harmless)) {
    mapped += between(text.slice(at, match.index)) + match[0]
    at = match.index + match[0].length
  }
  return mapped + between(text.slice(at))
}

function shownAs(character: string): string {
  return `⟨U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}⟩`
}
