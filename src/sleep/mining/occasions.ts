import { type OccasionSplit, occasionSplits } from '../model/occasions.js'
import { isSameRequest, wordSet } from './same-request.js'
import type { SplitFractions } from './splits.js'

/** A request and its session. */
interface Asked {
  readonly session: string
  readonly text: string
}

export interface OccasionSearch<Candidate extends Asked> {
  readonly id: string
  /** A `test` task uses all its occasions for the test; a `held-back` task gets no occasions. */
  readonly split: 'divided' | 'test' | 'held-back'
  /** Occasions from earlier nights. They keep their split. */
  readonly taken: readonly (Asked & { readonly split: OccasionSplit })[]
  /** Possible occasions, best first. */
  readonly candidates: readonly Candidate[]
}

export interface DivideOptions {
  readonly fractions: SplitFractions
  /** Maximum number of occasions per task and split. */
  readonly most: number
}

type Chosen<Candidate> = Candidate & { readonly split: OccasionSplit }

/**
 * Divides the occasions of each task among the splits. A session belongs to one split, whatever was requested
 * in it. Of occasions that are near-duplicates only one is used. Tasks take turns, those with the fewest
 * sessions first, so that no task takes all sessions.
 */
export function divideOccasions<Candidate extends Asked>(
  searches: readonly OccasionSearch<Candidate>[],
  { fractions, most }: DivideOptions,
): ReadonlyMap<string, readonly Chosen<Candidate>[]> {
  const splitOfSession = new Map<string, OccasionSplit>()
  for (const { taken } of searches) for (const { session, split } of taken) splitOfSession.set(session, split)
  const sessionsOf = ({ candidates }: OccasionSearch<Candidate>) =>
    new Set(candidates.map(({ session }) => session)).size
  const open = searches
    .filter(({ split }) => split !== 'held-back')
    .toSorted((left, right) => sessionsOf(left) - sessionsOf(right) || (left.id < right.id ? -1 : 1))
    .map(search => ({
      search,
      chosen: [] as Chosen<Candidate>[],
      words: search.taken.map(({ text }) => wordSet(text)),
      left: search.candidates.map(candidate => ({ candidate, words: wordSet(candidate.text) })),
    }))
  for (let isChoosing = true; isChoosing; ) {
    isChoosing = false
    for (const { search, chosen, words, left } of open) {
      const known = [...search.taken, ...chosen]
      const isNew = (one: (typeof left)[number]) =>
        known.every(({ session }) => session !== one.candidate.session) &&
        words.every(other => !isSameRequest(other, one.words))
      const free = left.filter(isNew)
      const found = splitsByNeed(search.split, known, { fractions, most })
        .map(split => ({ split, one: preferred(free, split, splitOfSession) }))
        .find(({ one }) => one !== undefined)
      if (found?.one === undefined) continue
      const { split, one } = found
      splitOfSession.set(one.candidate.session, split)
      words.push(one.words)
      chosen.push({ ...one.candidate, split })
      isChoosing = true
    }
  }
  const chosenBy = new Map(open.map(({ search, chosen }) => [search.id, chosen]))
  return new Map(searches.map(({ id }) => [id, chosenBy.get(id) ?? []]))
}

/**
 * Prefers an occasion whose session is already in this split. The next choice is one whose session is in no
 * split.
 */
function preferred<One extends { readonly candidate: Asked }>(
  free: readonly One[],
  split: OccasionSplit,
  splitOfSession: ReadonlyMap<string, OccasionSplit>,
): One | undefined {
  const placeOf = ({ candidate }: One) => splitOfSession.get(candidate.session)
  return free.find(one => placeOf(one) === split) ?? free.find(one => placeOf(one) === undefined)
}

/** Lists the splits that still have room. The one furthest below its share comes first. */
function splitsByNeed(
  place: 'divided' | 'test' | 'held-back',
  known: readonly { readonly split: OccasionSplit }[],
  { fractions, most }: DivideOptions,
): readonly OccasionSplit[] {
  const count = (split: OccasionSplit) => known.filter(one => one.split === split).length
  if (place !== 'divided') return count('test') < most ? ['test'] : []
  const shares = { train: 1 - fractions.val - fractions.test, val: fractions.val, test: fractions.test }
  const missing = (split: OccasionSplit) => shares[split] * (known.length + 1) - count(split)
  return occasionSplits
    .filter(split => shares[split] > 0 && count(split) < most)
    .toSorted((left, right) => missing(right) - missing(left))
}
