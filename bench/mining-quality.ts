import type { Recurrence } from '../src/sleep/mining/recurrence.js'
import type { SessionRequest } from '../src/sleep/model/session-request.js'
import { type Label, type LabelledSet, labelKey, type Part } from './mining-set.js'

export interface Rates {
  readonly precision: number
  readonly recall: number
}

export interface Quality {
  /**
   * Over pairs of requests. A pair is found if both are in one cluster that was labelled recurring; it is
   * correct if both have the same recurring intent. Precision is the share of found pairs that are correct,
   * recall the share of correct pairs that are found. Large clusters weigh more.
   */
  readonly pairs: Rates
  /**
   * Over clusters. A cluster labelled recurring is correct if at least four of five of its requests have one
   * recurring intent. Precision is the share of correct clusters; several correct clusters of one intent all
   * count as correct. Recall is the share of intents with a correct cluster. `whole` measures how much of an
   * intent a cluster holds.
   */
  readonly clusters: Rates
  /** Share of intents with at least half of their requests in one correct cluster. */
  readonly whole: number
}

const pure = 0.8
const enough = 0.5

/** A pair counts for a part if either request belongs to it, a cluster if most of its requests do. */
export function qualityOf(found: readonly Recurrence[], set: LabelledSet, part: Part): Quality {
  const recurring = found.filter(({ isRecurring }) => isRecurring)
  return { pairs: pairRates(recurring, set, part), ...clusterRates(recurring, set, part) }
}

function pairRates(found: readonly Recurrence[], set: LabelledSet, part: Part): Rates {
  const clusters = found.map(({ requests }) => labelsOf(requests, set))
  const wanted = (labels: Iterable<Label>) =>
    [...countByName(labels, part).values()].reduce((sum, count) => sum + pairsOf(count), 0)
  const right = sumOf(clusters, wanted)
  const all = sumOf(clusters, labels => {
    const elsewhere = labels.filter(label => label.part !== part).length
    return pairsOf(labels.length) - pairsOf(elsewhere)
  })
  return { precision: right / all, recall: right / wanted(set.labels.values()) }
}

function clusterRates(
  recurring: readonly Recurrence[],
  set: LabelledSet,
  part: Part,
): Pick<Quality, 'clusters' | 'whole'> {
  const intents = countByName(set.labels.values(), part)
  const found = new Set<string>()
  const whole = new Set<string>()
  let [right, all] = [0, 0]
  for (const { requests } of recurring) {
    const labels = labelsOf(requests, set)
    if (labels.filter(label => label.part === part).length * 2 < labels.length) continue
    all += 1
    const [name = '', count = 0] = [...countByName(labels, part)].sort(([, a], [, b]) => b - a)[0] ?? []
    if (count / labels.length < pure) continue
    right += 1
    if (count / (intents.get(name) ?? 0) >= enough) whole.add(name)
    found.add(name)
  }
  return {
    clusters: { precision: right / all, recall: found.size / intents.size },
    whole: whole.size / intents.size,
  }
}

export function labelsOf(requests: readonly SessionRequest[], set: LabelledSet): readonly Label[] {
  return requests.map(({ session, at, text }) => {
    const label = set.labels.get(labelKey(session, at))
    if (label === undefined) throw new Error(`Nobody asked this: ${text}`)
    return label
  })
}

/** Recurring intents of this part: name -> number of requests. */
function countByName(labels: Iterable<Label>, part: Part): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const label of labels) {
    if (label.part === part && label.isRecurring) counts.set(label.name, (counts.get(label.name) ?? 0) + 1)
  }
  return counts
}

const pairsOf = (count: number): number => (count * (count - 1)) / 2

function sumOf<Item>(items: readonly Item[], value: (item: Item) => number): number {
  return items.reduce((sum, item) => sum + value(item), 0)
}
