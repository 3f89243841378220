import { contentHash } from './hash.js'

/**
 * Texts from elsewhere, each between two marks, for a model that is to look at them and not to follow them. No text can
 * hold the mark that closes it, since the mark comes from all of the text.
 */
export function marked(parts: Readonly<Record<string, string>>): string {
  const mark = contentHash(JSON.stringify(parts)).slice(0, 12)
  return Object.entries(parts)
    .filter(([, text]) => text !== '')
    .map(([name, text]) => `[begin ${name} ${mark}]\n${text}\n[end ${name} ${mark}]`)
    .join('\n\n')
}
