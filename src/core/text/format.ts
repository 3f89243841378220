import { stripVTControlCharacters } from 'node:util'
import { visible } from './visible.js'

export * from '../view/figures.js'

/** Text formatting shared by the terminal and the reports. */

/**
 * Removes characters that move the cursor, change colours or change the text direction, for text that is
 * stored or sent.
 */
export function stripControls(text: string): string {
  return stripVTControlCharacters(text).replace(/(?![\n\t])[\p{Cc}\p{Bidi_Control}]/gu, '')
}

/** Colour codes, which are removed because they carry no content. */
const colour = new RegExp(`${String.fromCharCode(27)}\\[[0-9;:]*m`, 'g')

/**
 * Makes model output safe to print: nothing may move the cursor, change the reading order or stay invisible.
 * Such characters are shown by their code point.
 */
export function clean(text: string): string {
  return visible(text.replace(colour, ''))
}

export function oneLine(text: string): string {
  return clean(text).replace(/\s+/g, ' ').trim()
}
