import { count } from '../view/figures.js'
import { codePoint, mapUnseen } from './unseen-characters.js'

/**
 * Shows invisible characters, and characters that change the text direction or control a terminal, by their
 * code point. A misled model may write them, and whoever reviews a text must see them.
 */

/** Makes all invisible characters visible. Line ends become `\n`. */
export function visible(text: string): string {
  return mapUnseen(text, shownAs).replaceAll('\r\n', '\n')
}

/** JSON in which invisible characters are escaped: the same data with nothing hidden in the text. */
export function visibleJson(value: unknown): string {
  const escaped = (character: string) =>
    [...Array(character.length).keys()]
      .map(index => `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`)
      .join('')
  return mapUnseen(JSON.stringify(value, null, 2), escaped)
}

export function visibleLine(text: string): string {
  return visible(text).replace(/\s+/g, ' ').trim()
}

/** A warning about invisible characters in these texts; undefined if there are none. */
export function hiddenWarning(texts: readonly string[]): string | undefined {
  const found = new Map<string, number>()
  for (const text of texts) {
    mapUnseen(text, character => {
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

function shownAs(character: string): string {
  return `⟨${codePoint(character)}⟩`
}
