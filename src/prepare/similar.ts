import { canonical } from './task.js'

/** Weighted share of common words from which two tasks count as near-duplicates; rare words weigh more. */
const nearFrom = 0.8
/** Longer expected answers are prose, which two people word differently, so they are not compared. */
const longestComparedAnswer = 40

interface Comparable {
  readonly question: string
  readonly answer: string | undefined
}

interface Compared {
  /** Rarest first, then alphabetical: the same order for all tasks. */
  readonly words: readonly string[]
  readonly has: ReadonlySet<string>
  readonly weight: number
  /** Differs between tasks that can never be duplicates: different numbers, or a different short answer. */
  readonly key: string
}

export interface Likeness {
  /**
   * Groups of tasks that are near-duplicates, directly or transitively, as list indices; each has two or
   * more.
   */
  readonly groups: readonly (readonly number[])[]
  isNear(left: number, right: number): boolean
}

/**
 * Finds near-duplicate tasks. Words are weighted by their rarity among the tasks, so that a template shared
 * by all of them does not make them equal; tasks with different numbers are different tasks.
 */
export function findSimilar(tasks: readonly Comparable[]): Likeness {
  const wordSets = tasks.map(task => new Set(wordsOf(task.question)))
  const weights = weightsOf(wordSets)
  const compared = tasks.map((task, index) => compare(task, wordSets[index] ?? new Set(), weights))
  const isNear = (left: number, right: number) => isSimilar(compared[left], compared[right], weights)
  const groups = createGroups(tasks.length)
  // Tasks with the same question belong together even if their answers contradict each other.
  for (const [first = 0, ...others] of sameQuestions(tasks))
    for (const other of others) groups.join(first, other)
  const seen = new Map<string, number[]>()
  for (const [index, task] of compared.entries()) {
    for (const word of prefixOf(task, weights)) {
      const place = `${task.key}\n${word}`
      for (const other of seen.get(place) ?? [])
        if (!groups.same(index, other) && isNear(index, other)) groups.join(index, other)
      pushTo(seen, place, index)
    }
  }
  return { groups: groups.list(), isNear }
}

/** Indices of tasks with the same question, ignoring white space and case; each group has two or more. */
export function sameQuestions(tasks: readonly Comparable[]): readonly (readonly number[])[] {
  const places = new Map<string, number[]>()
  for (const [index, { question }] of tasks.entries()) pushTo(places, canonical(question), index)
  return [...places.values()].filter(group => group.length > 1)
}

/** Runs of letters and digits; in scripts without spaces, each character is a word. */
export function wordsOf(text: string): string[] {
  const word =
    /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]|\p{N}+(?:[.,]\p{N}+)*|[\p{L}\p{M}]+/gu
  return text.normalize('NFKC').toLowerCase().match(word) ?? []
}

function weightsOf(wordSets: readonly ReadonlySet<string>[]): ReadonlyMap<string, number> {
  const holders = new Map<string, number>()
  for (const words of wordSets) for (const word of words) holders.set(word, (holders.get(word) ?? 0) + 1)
  return new Map([...holders].map(([word, number]) => [word, Math.log(1 + wordSets.length / number)]))
}

function compare(
  { answer }: Comparable,
  has: ReadonlySet<string>,
  weights: ReadonlyMap<string, number>,
): Compared {
  const weightOf = (word: string) => weights.get(word) ?? 0
  const words = [...has].sort((left, right) => weightOf(right) - weightOf(left) || (left < right ? -1 : 1))
  const numbers = words.filter(word => /\p{N}/u.test(word)).sort()
  const short = answer !== undefined && answer.length <= longestComparedAnswer
  return {
    words,
    has,
    weight: words.reduce((sum, word) => sum + weightOf(word), 0),
    key: JSON.stringify([numbers, short ? canonical(answer) : null]),
  }
}

/**
 * The rarest words, up to a weight just above the difference that two similar tasks may have. Similar tasks
 * share at least one of these words, so only tasks that share one need to be compared.
 */
function prefixOf({ words, weight }: Compared, weights: ReadonlyMap<string, number>): readonly string[] {
  let left = weight
  let length = 0
  for (const word of words) {
    if (left < nearFrom * weight) break
    left -= weights.get(word) ?? 0
    length += 1
  }
  return words.slice(0, length)
}

function isSimilar(
  left: Compared | undefined,
  right: Compared | undefined,
  weights: ReadonlyMap<string, number>,
): boolean {
  if (left === undefined || right === undefined || left.key !== right.key) return false
  let common = 0
  for (const word of left.words) if (right.has.has(word)) common += weights.get(word) ?? 0
  // If neither task has a word (punctuation only), `sameQuestions` compares the texts themselves.
  const all = left.weight + right.weight - common
  return all > 0 && common / all >= nearFrom
}

/** Disjoint sets, each identified by its first member. */
function createGroups(size: number) {
  const parents = Array.from({ length: size }, (_, index) => index)
  const rootOf = (index: number): number => {
    let root = index
    while (parents[root] !== root) root = parents[root] ?? root
    parents[index] = root
    return root
  }
  return {
    same: (left: number, right: number) => rootOf(left) === rootOf(right),
    join(left: number, right: number) {
      const [first, second] = [rootOf(left), rootOf(right)].sort((a, b) => a - b) as [number, number]
      parents[second] = first
    },
    list(): number[][] {
      const members = new Map<number, number[]>()
      for (const index of parents.keys()) pushTo(members, rootOf(index), index)
      return [...members.values()].filter(group => group.length > 1)
    },
  }
}

function pushTo<Key>(lists: Map<Key, number[]>, key: Key, value: number): void {
  const list = lists.get(key)
  if (list === undefined) lists.set(key, [value])
  else list.push(value)
}
