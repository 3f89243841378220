import { conceptsOf, isTopic } from './concepts.js'
import { weakWords } from './vocabulary/weak.js'

/**
 * Placeholders for parts that vary between requests, in order: each match is removed from the text before the
 * next pattern is tried.
 */
const placeholders: readonly (readonly [RegExp, string])[] = [
  [/```[\s\S]*?(?:```|$)/g, 'code'],
  [/https?:\/\/\S+/gi, 'url'],
  [/[\w.+-]+@[\w-]+\.[\w.]+/g, 'email'],
  [/`[^`\n]+`|"[^"\n]+"|„[^“”\n]+[“”]|“[^”\n]+”|«[^»\n]+»|(?<![\p{L}\d])'[^'\n]+'(?![\p{L}\d])/gu, 'quote'],
  [/(?:[A-Za-z]:|~|\.{1,2})?(?:[\\/][\w@.-]+)+\/?|[\w@-]+(?:[\\/][\w@.-]+)+\/?/g, 'path'],
  [/(?<![\p{L}\d])[\w-]+(?:\.[\w-]+)*\.[a-z][a-z\d]{1,4}(?![\p{L}\d])/giu, 'path'],
  [
    /(?<![\p{L}\d])(?:[\p{Ll}\d]+(?:\p{Lu}[\p{Ll}\d]*)+|\w+(?:_\w+)+|\p{Lu}{2,}-\d+)(?:\(\))?(?![\p{L}\d])/gu,
    'name',
  ],
  [/(?<![\p{L}\d])(?=[\da-f]*\d)[\da-f]{7,40}(?![\p{L}\d])/giu, 'hash'],
  [/[#v]?\d[\d.,:/-]*%?/g, 'number'],
]

const stopWords = new Set(
  `a an the this that these those it its he she they them his her their i me my we us our you your yours is are was were be been
   being am do does did done doing have has had having will would shall should can could may might must need needs want wants
   wanted like please pls plz thanks thank hi hey hello ok okay so and or but if then than as at by for from in into of off on
   onto out over to up with without about all any some each every both just only also too very really quick quickly there here
   what which who whom how why when while let lets let's get gets got go going one ones again now still not no dont don't
   isn't doesn't can't it's i'd i'm i've we're there's that's im ive via per after before because since between same more most
   much many few
   der die das den dem des ein eine einen einem einer eines und oder aber wenn dann als ist sind war waren sein bin bist hat
   habe haben hatte wird werden wurde kann kannst könntest können könnte soll sollte sollen muss müssen mag möchte will ich
   du er sie es wir ihr mich mir dich dir uns euch mein meine meinen dein deine unser unsere bitte mal doch noch auch nur
   schon sehr für von vom zu zum zur im in am an auf aus bei mit nach über unter vor um durch ohne gegen dass daß nicht kein
   keine keinen man was wer wie warum wann hier da dort so jetzt gerade alle alles jede jeden jedes jeder diese diesen dieser
   dieses einmal ob damit danke hallo hab gib mach machen brauche wieder davon dazu dabei daraus
   le la les un une des et ou de du au aux ce cette ces est sont dans pour par sur avec sans je tu il elle nous vous s'il
   el los las una unos unas y o del al es son en para por con sin yo tú él ella nosotros favor`
    .trim()
    .split(/\s+/),
)

/** Weights of terms, tuned on the tuning part of the labelled requests; see bench/mining.ts. */
const weights = { topic: 1.25, common: 0.7, pair: 0.6, other: 1, weak: 0.25, placeholder: 0.25 }

/** Share of a word's weight that goes to the whole word. Its letter trigrams get the rest. */
const wordShare = 0.7
const mostWords = 60

/**
 * Turns a request into weighted terms. Words in the table become concepts. Other words become the word and
 * its letter trigrams, so that a misspelling or another ending still matches partly. Of a long text only the
 * beginning and the end count, because people state the request there and paste material in between.
 */
export function termsOf(text: string): ReadonlyMap<string, number> {
  const terms = new Map<string, number>()
  const put = (term: string, weight: number) => terms.set(term, Math.max(weight, terms.get(term) ?? 0))
  const known = new Set<string>()
  let rest = text.normalize('NFC')
  for (const [pattern, name] of placeholders) {
    rest = rest.replace(pattern, () => {
      put(`<${name}>`, weights.placeholder)
      return ' '
    })
  }
  const words = (rest.toLowerCase().match(/[\p{L}][\p{L}'’]*/gu) ?? []).filter(word => !stopWords.has(word))
  for (const word of bothEnds(words)) {
    const concepts = conceptsOf(word)
    for (const concept of concepts) known.add(concept)
    if (concepts.length === 0) putLetters(word, weakWords.has(word) ? weights.weak : weights.other, put)
  }
  for (const concept of known) put(concept, isTopic(concept) ? weights.topic : weights.common)
  for (const pair of pairsWithTopic([...known].sort())) put(pair, weights.pair)
  return terms
}

/** Pairs each action with its subject: "write a test" and "fix a test" share a word, but no pair. */
function pairsWithTopic(concepts: readonly string[]): readonly string[] {
  return concepts.flatMap((left, index) =>
    concepts
      .slice(index + 1)
      .filter(right => isTopic(left) || isTopic(right))
      .map(right => `${left}+${right}`),
  )
}

/**
 * Replaces files, names and numbers by plain words, because an embedder would give a file name more weight
 * than a verb.
 */
export function maskedText(text: string): string {
  let rest = text.normalize('NFC')
  for (const [pattern, name] of placeholders) rest = rest.replace(pattern, ` ${name} `)
  return rest.replaceAll(/\s+/g, ' ').trim()
}

function bothEnds(words: readonly string[]): readonly string[] {
  if (words.length <= mostWords) return words
  return [...words.slice(0, (mostWords * 2) / 3), ...words.slice(-mostWords / 3)]
}

/** Adds an unknown word and its trigrams, weighted so that together they count as much as one known word. */
function putLetters(word: string, weight: number, put: (term: string, weight: number) => void): void {
  const stem = word.length > 5 ? word.replace(/(?:ings?|ed|es|en|er|s|e|n)$/u, '') : word
  const padded = `^${stem}$`
  put(`=${stem}`, weight * Math.sqrt(wordShare))
  const threes = padded.length - 2
  for (let at = 0; at < threes; at += 1)
    put(`~${padded.slice(at, at + 3)}`, weight * Math.sqrt((1 - wordShare) / threes))
}
