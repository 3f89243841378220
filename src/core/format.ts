import { stripVTControlCharacters } from 'node:util'

export * from './figures.js'

/** Texts as people read them, the same on the terminal and in reports. */

/** Models write what we print: nothing of it may move the cursor, change colours or ring a bell. */
export function clean(text: string): string {
  return stripVTControlCharacters(text).replace(/(?![\n\t])[\p{Cc}\p{Bidi_Control}]/gu, '')
}

export function oneLine(text: string): string {
  return clean(text).replace(/\s+/g, ' ').trim()
}
