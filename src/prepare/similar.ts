import { canonical } from './task.js'

/**
 * Minimum similarity of near-duplicates: the share of their words that two tasks have in common, with more
 * weight for rare words.
 */
const nearFrom = 0.8
/**
 * Maximum length of an expected answer that is compared. Longer answers are prose, which two people word
 * differently.
 */
const longestComparedAnswer = 40

interface Comparable {
  readonly question: string
  readonly answer: string | undefined
}

interface Compared {
  /** The words, rarest first and then alphabetically. All tasks use this order. */
  readonly words: readonly string[]
  readonly has: ReadonlySet<string>
  readonly weight: number
  /** Tasks with different keys are never duplicates. The key consists of the numbers and the short answer. */
  readonly key: string
}

export interface Likeness {
  /**
   * Groups of two or more near-duplicates, as indices of tasks. Tasks that are near-duplicates of the same
   * task are in one group.
   */
  readonly groups: readonly (readonly number[])[]
  isNear(left: number, right: number): boolean
}

/**
 * Finds near-duplicate tasks. Words weigh more if they are rare among the tasks, so a template shared by all
 * tasks does not make them equal. Tasks with different numbers are never duplicates.
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

/**
 * Returns groups of two or more tasks with the same question, ignoring white space and case, as indices of
 * tasks.
 */
export function sameQuestions(tasks: readonly Comparable[]): readonly (readonly number[])[] {
  const places = new Map<string, number[]>()
  for (const [index, { question }] of tasks.entries()) pushTo(places, canonical(question), index)
  return [...places.values()].filter(group => group.length > 1)
}

/** Splits a text into words: runs of letters and digits, or single characters in scripts without spaces. */
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
 * Returns a task's rarest words, whose total weight is just above the difference that two similar tasks may
 * have. Similar tasks share at least one of them, so only tasks that share one are compared.
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
  // A task of only punctuation has no words; `sameQuestions` compares such texts.
  const all = left.weight + right.weight - common
  return all > 0 && common / all >= nearFrom
}

/** Creates disjoint sets (union-find). Each set is identified by its first member. */
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
