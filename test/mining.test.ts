import { describe, expect, it } from 'vitest'
import { qualityOf } from '../bench/mining-quality.js'
import { labelKey, labelledSet } from '../bench/mining-set.js'
import { clusterRequests } from '../src/sleep/mining/clusters.js'
import { type Recurrence, recurrences } from '../src/sleep/mining/recurrence.js'
import { requestsOf } from '../src/sleep/mining/requests.js'

const set = labelledSet(1)
const requests = set.transcripts.flatMap(requestsOf)
const labels = [...set.labels.values()]

describe('the labelled set', () => {
  it('is as large as it should be', () => {
    const names = (isRecurring: boolean) =>
      new Set(labels.filter(label => label.isRecurring === isRecurring).map(({ name }) => name)).size
    expect(labels.length).toBeGreaterThanOrEqual(300)
    expect(names(true)).toBeGreaterThanOrEqual(30)
    expect(names(false)).toBeGreaterThanOrEqual(100)
  })

  it('is cut into the requests that were put into it, but for a few taken for reactions', () => {
    expect(requests.length).toBeGreaterThan(0.93 * labels.length)
  })
})

describe('mining it by words', () => {
  it.each(['tuned', 'held-out'] as const)('finds what recurs in the %s half', async half => {
    const { pairs, clusters } = qualityOf(recurrences(await clusterRequests(requests)), set, half)
    expect(clusters.precision).toBeGreaterThan(0.85)
    expect(clusters.recall).toBeGreaterThan(0.85)
    expect(pairs.precision).toBeGreaterThan(0.7)
  })
})

describe('qualityOf', () => {
  const clusterOf = (wanted: readonly (typeof requests)[number][]): Recurrence => {
    const [found] = recurrences([
      { id: 'x', central: wanted[0] ?? requests[0], requests: wanted } as Recurrence,
    ])
    if (found === undefined) throw new Error('There is no cluster.')
    return { ...found, isRecurring: true }
  }
  const labelled = requests.map(request => ({
    request,
    label: set.labels.get(labelKey(request.session, request.at)),
  }))
  const intents = [...new Set(labels.filter(label => label.isRecurring).map(({ name }) => name))]
  const perfect = intents.map(intent =>
    clusterOf(labelled.filter(({ label }) => label?.name === intent).map(({ request }) => request)),
  )

  it('gives a perfect result full marks', () => {
    const all = { precision: 1, recall: 1 }
    const { pairs, ...others } = qualityOf(perfect, set, 'held-out')
    expect(others).toEqual({ clusters: all, whole: 1 })
    expect(pairs.precision).toBe(1)
  })

  it('detects merged intents and missing ones', () => {
    const { pairs, clusters } = qualityOf([clusterOf(requests)], set, 'tuned')
    expect(pairs.recall).toBeGreaterThan(0.85)
    expect(pairs.precision).toBeLessThan(0.05)
    expect(clusters.precision === 0 || Number.isNaN(clusters.precision)).toBe(true)
    expect(qualityOf(perfect.slice(0, 1), set, 'tuned').clusters.recall).toBeLessThan(0.1)
  })
})
