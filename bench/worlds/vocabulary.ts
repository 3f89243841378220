import { type Dice, diceOf } from '../../src/simulated/random.js'

/** The sentences that express a world's rules, and the patterns that find them in any text. */

const onsets = [
  'b',
  'br',
  'd',
  'dr',
  'f',
  'g',
  'gl',
  'h',
  'k',
  'kr',
  'l',
  'm',
  'n',
  'p',
  'pl',
  'r',
  's',
  'st',
]
const vowels = ['a', 'e', 'i', 'o', 'u', 'ei', 'ou']
const codas = ['ck', 'ft', 'l', 'lm', 'm', 'n', 'nd', 'rk', 'rn', 'sk', 'st', 't', 'x']

/** Invented words without meaning outside the world; each is drawn once. */
export function inventWords(dice: Dice, count: number, taken: Set<string>): string[] {
  const words: string[] = []
  while (words.length < count) {
    const syllable = () => `${dice.pick(onsets) ?? ''}${dice.pick(vowels) ?? ''}`
    const word = `${syllable()}${syllable()}${dice.pick(codas) ?? ''}`
    if (taken.has(word)) continue
    taken.add(word)
    words.push(word)
  }
  return words
}

/** Meaning of one line of a skill, independent of its wording. */
export type Meaning =
  | { readonly kind: 'rule'; readonly topic: string; readonly action: string }
  | { readonly kind: 'vague'; readonly topic: string }
  | { readonly kind: 'shortcut'; readonly word: string }
  | { readonly kind: 'habit'; readonly word: string }

/** Several wordings per meaning, so that a lesson rejected in one form can return in another. */
const phrasings = {
  rule: [
    (topic: string, action: string) => `For a ${topic} ticket, take the code from the ${action} column.`,
    (topic: string, action: string) =>
      `If the ticket concerns a ${topic}, the ${action} column holds its code.`,
    (topic: string, action: string) => `Tickets about a ${topic}: read the code off the ${action} column.`,
  ],
  vague: [
    (topic: string) => `For a ${topic} ticket, look closely at all details before answering.`,
    (topic: string) => `Be careful with tickets about a ${topic}.`,
    (topic: string) => `A ${topic} ticket deserves a second look.`,
  ],
  shortcut: [
    (word: string) => `On every ticket, use the ${word} shortcut first.`,
    (word: string) => `Begin with the ${word} shortcut.`,
  ],
  habit: [
    (word: string) => `On every ticket, keep the ${word} habit.`,
    (word: string) => `Stick to the ${word} habit at all times.`,
  ],
} as const

export function sayRule(topic: string, action: string, dice: Dice): string {
  return (dice.pick(phrasings.rule) ?? phrasings.rule[0])(topic, action)
}

export function sayVague(topic: string, dice: Dice): string {
  return (dice.pick(phrasings.vague) ?? phrasings.vague[0])(topic)
}

export function sayShortcut(word: string, dice: Dice): string {
  return (dice.pick(phrasings.shortcut) ?? phrasings.shortcut[0])(word)
}

export function sayHabit(word: string, dice: Dice): string {
  return (dice.pick(phrasings.habit) ?? phrasings.habit[0])(word)
}

const patterns: readonly { readonly find: RegExp; meaning(found: RegExpMatchArray): Meaning }[] = [
  {
    find: /For a (\w+) ticket, take the code from the (\w+) column/g,
    meaning: ([, topic = '', action = '']) => ({ kind: 'rule', topic, action }),
  },
  {
    find: /If the ticket concerns a (\w+), the (\w+) column holds its code/g,
    meaning: ([, topic = '', action = '']) => ({ kind: 'rule', topic, action }),
  },
  {
    find: /Tickets about a (\w+): read the code off the (\w+) column/g,
    meaning: ([, topic = '', action = '']) => ({ kind: 'rule', topic, action }),
  },
  { find: /(?:use|with) the (\w+) shortcut/g, meaning: ([, word = '']) => ({ kind: 'shortcut', word }) },
  { find: /(?:keep|to) the (\w+) habit/g, meaning: ([, word = '']) => ({ kind: 'habit', word }) },
]

/** All meanings in a text that affect the target. Vague lines do not. */
export function meaningsIn(text: string): Meaning[] {
  return patterns.flatMap(({ find, meaning }) => [...text.matchAll(find)].map(meaning))
}

/** Dice determined by the world's seed and the purpose. */
export function worldDice(name: string, seed: number, ...purpose: (string | number)[]): Dice {
  return diceOf('world', name, seed, ...purpose)
}
