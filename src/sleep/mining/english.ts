import { conceptsOf } from './concepts.js'

const smallGermanWords = new Set(
  `der die das den dem des ein eine einen einem einer und oder aber wenn ist sind war wird werden kann kannst soll ich du er sie es
   wir mich mir uns mein meine bitte mal auch nur für von vom zu zum zur im am auf aus bei mit nach über unter vor um durch
   ohne dass nicht kein keine was wie warum jetzt alle diese dieser dieses ins mach gib lass schreib`
    .trim()
    .split(/\s+/),
)

/** Minimum share of German words for a text to count as German. */
const leastGerman = 0.15

/**
 * Prepares a text for English-only embedders: replaces each known German word by its English concept, drops
 * function words and keeps the rest. The result is not a translation, but it shows the action and its object.
 */
export function inEnglish(text: string): string {
  const words = text.toLowerCase().match(/\p{L}+/gu) ?? []
  const german = words.filter(word => smallGermanWords.has(word) || /[äöüß]/u.test(word))
  if (german.length === 0 || german.length < leastGerman * words.length) return text
  return text
    .replaceAll(/\p{L}+/gu, word => {
      const lower = word.toLowerCase()
      if (smallGermanWords.has(lower)) return ''
      const concepts = conceptsOf(lower)
      return concepts.length === 0 ? word : concepts.join(' ')
    })
    .replaceAll(/\s+/g, ' ')
    .trim()
}
