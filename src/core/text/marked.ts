import { contentHash } from './hash.js'

/**
 * Delimits untrusted texts that a model should examine but not obey. No text can contain its own closing
 * mark, because the mark is a hash of all the texts.
 */
export function marked(parts: Readonly<Record<string, string>>): string {
  const mark = contentHash(JSON.stringify(parts)).slice(0, 12)
  return Object.entries(parts)
    .filter(([, text]) => text !== '')
    .map(([name, text]) => `[begin ${name} ${mark}]\n${text}\n[end ${name} ${mark}]`)
    .join('\n\n')
}
