import { wordsOfOffices } from './vocabulary/office.js'
import { weakWords } from './vocabulary/weak.js'
import { wordsOfWork } from './vocabulary/work.js'

const byStem = new Map<string, string>()
const topics = new Set<string>()
for (const line of `${wordsOfWork.trim()}\n${wordsOfOffices.trim()}`.split('\n')) {
  const isTopic = line.startsWith('* ')
  const [concept = '', ...stems] = line.slice(isTopic ? 2 : 0).split(' ')
  if (isTopic) topics.add(concept)
  // If several lines contain a stem, the first line wins.
  for (const stem of [concept, ...stems]) if (!byStem.has(stem)) byStem.set(stem, concept)
}

/** Endings that may follow a stem of more than three letters. */
const endings = new Set(
  `s es d ed ing ings er ers or ors e en n t te ten tet st er em et est est ung ungen nen ned ning ted ting ped ping ged ging
   bed bing led ling end ende enden ender ies ied ion ions ment ments able ly r rs tes`
    .trim()
    .split(/\s+/),
)
const longestEnding = 5

/** Endings after a three-letter stem. Longer ones would match other words: "apply" is not a form of "app". */
const shortEndings = new Set(
  's es d ed e en t te ing ned ning ged ging ped ping ted ting bed bing'.split(' '),
)

/** Looks the word up in the table, as written or without its ending. The longest matching stem wins. */
function inflected(word: string): string | undefined {
  const whole = byStem.get(word)
  if (whole !== undefined) return whole
  for (let cut = word.length - 1; cut >= Math.max(3, word.length - longestEnding); cut -= 1) {
    const concept = byStem.get(word.slice(0, cut))
    if (concept !== undefined && (cut > 3 ? endings : shortEndings).has(word.slice(cut))) return concept
  }
  return undefined
}

function compound(word: string): readonly string[] {
  for (let cut = word.length - 4; cut >= 3; cut -= 1) {
    const rest = inflected(word.slice(cut))
    const first = inflected(word.slice(0, cut)) ?? inflected(word.slice(0, cut).replace(/s$/, ''))
    if (rest !== undefined && first !== undefined) return [first, rest]
  }
  return lastPart(word)
}

const longWord = 9
const longPart = 6

/** Looks up the last part of a long German compound, which carries the compound's meaning. */
function lastPart(word: string): readonly string[] {
  if (word.length < longWord) return []
  for (let cut = 3; cut <= word.length - longPart; cut += 1) {
    const concept = inflected(word.slice(cut))
    if (concept !== undefined) return [concept]
  }
  return []
}

/** Finds the known word that differs by one extra, missing or wrong letter, or by two swapped letters. */
function misspelled(word: string): string | undefined {
  if (word.length < 6 || weakWords.has(word)) return undefined
  const letters = [...word]
  for (let at = 0; at < letters.length - 1; at += 1) {
    const before = word.slice(0, at)
    const swapped = inflected(`${before}${word[at + 1]}${word[at]}${word.slice(at + 2)}`)
    if (swapped !== undefined) return swapped
  }
  // The first letter stays, because it is nearly always right and changing it gives too many false matches.
  for (let at = 1; at < letters.length; at += 1) {
    const concept = inflected(`${word.slice(0, at)}${word.slice(at + 1)}`)
    if (concept !== undefined) return concept
  }
  return (
    shortened.get(word) ??
    deletions(word)
      .map(part => shortened.get(part))
      .find(found => found !== undefined)
  )
}

const deletions = (word: string): readonly string[] =>
  Array.from({ length: word.length - 1 }, (_, at) => `${word.slice(0, at + 1)}${word.slice(at + 2)}`)

/** Words of the table with six or more letters, each with one letter removed, for finding misspellings. */
const shortened = new Map<string, string>()
for (const [stem, concept] of byStem) {
  if (stem.length < 6) continue
  for (const part of deletions(stem)) if (!byStem.has(part)) shortened.set(part, concept)
}

/** True if the concept names the subject of a request; "write" and "file" do not. */
export const isTopic = (concept: string): boolean => topics.has(concept)

/** Caches the concepts of words, because the same words occur often. */
const known = new Map<string, readonly string[]>()
const mostKnown = 100_000

/** Returns the concepts of a lower-case word: one, several for a compound, or none for an unknown word. */
export function conceptsOf(word: string): readonly string[] {
  const before = known.get(word)
  if (before !== undefined) return before
  const found = lookUp(word)
  if (known.size < mostKnown) known.set(word, found)
  return found
}

function lookUp(word: string): readonly string[] {
  const plain = inflected(word) ?? (word.startsWith('ge') ? inflected(word.slice(2)) : undefined)
  if (plain !== undefined) return [plain]
  const parts = compound(word)
  if (parts.length > 0) return parts
  const guessed = misspelled(word)
  return guessed === undefined ? [] : [guessed]
}
