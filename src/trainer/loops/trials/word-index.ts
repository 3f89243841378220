/** A train task's text for word matching. */
export interface TaskText {
  readonly id: string
  readonly type: string
  readonly text: string
}

/** Result of matching a text with the tasks. The support tasks are those that the text was proposed from. */
export interface WordMatch {
  readonly near: ReadonlySet<string>
  /** Number of support tasks that share a word with the text. */
  readonly shared: number
  readonly support: number
  /** Whether most support tasks share a word with the text. */
  readonly isAtHome: boolean
  /** Whether the text matches a task besides the support tasks. */
  readonly isUseful: boolean
}

export interface WordIndex {
  match(text: string, support: readonly string[]): WordMatch
}

/**
 * A task matches if its score is at least `matchShare` of the best score, or `originShare` of the lowest
 * score among the matching support tasks.
 */
const matchShare = 0.6
const originShare = 0.9

/** Weighs each word by its inverse document frequency; a word in all tasks has no weight. */
export function createWordIndex(tasks: readonly TaskText[]): WordIndex {
  const words = new Map(tasks.map(({ id, text }) => [id, wordsOf(text)]))
  const frequency = new Map<string, number>()
  for (const own of words.values())
    for (const word of own) frequency.set(word, (frequency.get(word) ?? 0) + 1)
  const weightOf = (word: string): number => {
    const count = frequency.get(word) ?? 0
    return count === 0 ? 0 : Math.log(tasks.length / count)
  }
  return {
    match(text, support) {
      const weights = [...wordsOf(text)].map(word => [word, weightOf(word)] as const)
      const scores = new Map(
        tasks.map(({ id }) => {
          const own = words.get(id) ?? new Set()
          return [id, weights.reduce((sum, [word, weight]) => sum + (own.has(word) ? weight : 0), 0)]
        }),
      )
      const scoreOf = (id: string) => scores.get(id) ?? 0
      const highest = Math.max(0, ...scores.values())
      const origin = support.filter(id => scores.has(id)).map(scoreOf)
      const shared = origin.filter(score => score > 0)
      const isAtHome = shared.length * 2 > origin.length
      const enough = Math.min(matchShare * highest, isAtHome ? originShare * Math.min(...shared) : highest)
      const near = highest === 0 ? [] : tasks.filter(({ id }) => scoreOf(id) >= enough).map(({ id }) => id)
      return {
        near: new Set(near),
        shared: shared.length,
        support: origin.length,
        isAtHome,
        isUseful: near.some(id => !support.includes(id)),
      }
    },
  }
}

/** Weighs the words of a text by their inverse document frequency in these texts. */
export function weigh(texts: readonly string[]): (text: string) => ReadonlyMap<string, number> {
  const frequency = new Map<string, number>()
  for (const text of texts)
    for (const word of wordsOf(text)) frequency.set(word, (frequency.get(word) ?? 0) + 1)
  const weightOf = (word: string) => Math.log(texts.length / (frequency.get(word) ?? 1))
  return text => new Map([...wordsOf(text)].map(word => [word, weightOf(word)]))
}

/** Words in lower case and without common endings, so that "percentages" matches "percentage". */
function wordsOf(text: string): ReadonlySet<string> {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]{2,}/gu) ?? []
  return new Set(
    words
      .filter(word => !functionWords.has(word))
      .map(word => word.replace(/(?<=\p{L}{4})(ing|ed|es|s|e)$/u, '')),
  )
}

/** English function words, which say nothing about a subject but may be rare in a set of tasks. */
const functionWords = new Set(
  [
    'am an as at be by do go he if in is it me my no of on or so to up us we',
    'about after again all also always and any are because been before being between both but can cannot could did does',
    'doing done each else even ever every few first for from get gets give given goes had has have having how into its',
    'itself just last less like made make many may more most much must near need never next nor not now off often once',
    'one only other our out over own per put same say says see set shall she should since some such sure take than that',
    'the their them then there these they this those through too under until upon use used using very was way were what',
    'when where whether which while who whose why will with within without would yes yet you your',
  ].flatMap(line => line.split(' ')),
)
