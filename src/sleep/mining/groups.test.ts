import { describe, expect, it } from 'vitest'
import { attachSmall, groupsOf, joinNearest } from './groups.js'
import { neighbours, type Space } from './space.js'

/**
 * Items on a line from 0 to 1; closer items are more similar. All share a key, so that any two may be
 * neighbours.
 */
const line = (places: readonly number[]): Space => ({
  size: places.length,
  keysOf: () => ({ keys: Int32Array.of(0), weights: Float32Array.of(1) }),
  similarity: (left, right) => 1 - Math.abs((places[left] ?? 0) - (places[right] ?? 0)),
})
const sorted = (members: ReadonlyMap<number, readonly number[]>) =>
  [...members.values()].map(items => items.toSorted((left, right) => left - right).join(' ')).sort()
const alone = (space: Space) => groupsOf(Array.from({ length: space.size }, (_, item) => [item]))

describe('joinNearest', () => {
  it('joins the most similar first', () => {
    const space = line([0, 0.3, 0.5, 0.52])
    const groups = alone(space)
    joinNearest(groups, neighbours(space), 0.75, space)
    expect(sorted(groups.members)).toEqual(['0', '1 2 3'])
    expect(groups.of[1]).toBe(groups.of[3])
  })

  it('starts from the given groups', () => {
    const space = line([0, 0.9, 0.05, 0.95])
    const groups = groupsOf([[0, 1], [2], [3]])
    joinNearest(groups, neighbours(space), 0.99, space)
    expect(groups.of[0]).toBe(groups.of[1])
  })
})

describe('attachSmall', () => {
  const attached = (places: readonly number[], ahead: number) => {
    const space = line(places)
    const groups = groupsOf([[0, 1, 2], [3, 4, 5], [6]])
    attachSmall(groups, neighbours(space), { near: 0.6, ahead }, space)
    return sorted(groups.members)
  }

  it('attaches leftovers to the nearest group', () => {
    expect(attached([0, 0.01, 0.02, 0.9, 0.91, 0.92, 0.2], 0.1)).toEqual(['0 1 2 6', '3 4 5'])
  })

  it('leaves an item alone if another group is nearly as close', () => {
    expect(attached([0, 0.01, 0.02, 0.4, 0.41, 0.42, 0.2], 0.1)).toEqual(['0 1 2', '3 4 5', '6'])
  })

  it('leaves an item alone if no group is close', () => {
    expect(attached([0, 0.01, 0.02, 0, 0.01, 0.02, 0.99], 0)).toEqual(['0 1 2', '3 4 5', '6'])
  })
})
