import { stripVTControlCharacters } from 'node:util'
import { visible } from './visible.js'

export * from '../view/figures.js'

/** Texts as people read them, the same on the terminal and in reports. */

/** For texts that are kept or sent: without what could move a cursor, change colours or turn the writing around. */
export function stripControls(text: string): string {
  return stripVTControlCharacters(text).replace(/(?![\n\t])[\p{Cc}\p{Bidi_Control}]/gu, '')
}

/** Colours say nothing about the text, and are left out. */
const colour = new RegExp(`${String.fromCharCode(27)}\\[[0-9;:]*m`, 'g')

/**
 * Models write what we print. Nothing of it may move the cursor or change the reading order, and nothing may stay
 * unseen: characters that would are shown by their number.
 */
export function clean(text: string): string {
  return visible(text.replace(colour, ''))
}

export function oneLine(text: string): string {
  return clean(text).replace(/\s+/g, ' ').trim()
}
