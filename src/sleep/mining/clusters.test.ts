import { describe, expect, it } from 'vitest'
import { timeLimit } from '../../../test/support/time-limit.js'
import { clusterRequests } from './clusters.js'
import type { Embedder } from './embedded.js'

const asked = (texts: readonly string[]) => texts.map((text, index) => ({ id: `r${index}`, text }))
const groups = async (texts: readonly string[], embedder?: Embedder) =>
  (await clusterRequests(asked(texts), embedder)).map(({ requests }) =>
    requests.map(({ id }) => id).join(' '),
  )

const texts = [
  'fix the failing test in src/a.test.ts',
  'write a changelog entry for 2.0',
  'the test in lib/b.spec.ts is red, repair it',
  'book a table for Friday',
  'Changelog für 3.1 schreiben',
  'Fix the failing  test in src/a.test.ts',
]

describe('clusterRequests', () => {
  it('groups requests of the same meaning by words', async () => {
    expect(await groups(texts)).toEqual(['r0 r2 r5', 'r1 r4', 'r3'])
  })

  it('keeps ids stable when requests are added', async () => {
    const [first] = await clusterRequests(asked(texts.slice(0, 3)))
    const [again] = await clusterRequests(asked(texts))
    expect(again?.id).toBe(first?.id)
    expect(again?.central.text.toLowerCase()).toContain('test')
  })

  it('handles an empty list and keeps requests without words alone', async () => {
    expect(await groups([])).toEqual([])
    expect(await groups(['???', '!!!', 'the'])).toEqual(['r0', 'r1', 'r2'])
  })

  it('does not chain unrelated ends', async () => {
    const chain = [
      'alpha bravo',
      'bravo charlie',
      'charlie delta',
      'delta echo',
      'echo foxtrot',
      'foxtrot golf',
    ]
    const found = await groups(chain)
    expect(found.some(group => group.includes('r0') && group.includes('r5'))).toBe(false)
  })

  it('stays fast if all requests are nearly alike', async () => {
    const many = Array.from(
      { length: 3000 },
      (_, index) => `write a test for the case w${index.toString(26)}x`,
    )
    const began = performance.now()
    await groups(many)
    expect(performance.now() - began).toBeLessThan(timeLimit(10_000))
  })
})

describe('clusterRequests with an embedder', () => {
  /** Two directions: food, and everything else. */
  const embedder = (change: Partial<Embedder> = {}): Embedder => ({
    id: 'fake',
    share: 1,
    embed: async given =>
      given.map(text => Float32Array.from(/soup|stew|bread/.test(text) ? [3, 0.1] : [0, 2])),
    ...change,
  })
  const meals = ['make some soup', 'prepare stew', 'bake bread', 'fix the car']

  it('groups requests that share no words', async () => {
    expect(await groups(meals)).toEqual(['r0', 'r1', 'r2', 'r3'])
    expect(await groups(meals, embedder())).toEqual(['r0 r1 r2', 'r3'])
  })

  it('masks files and names in the embedded texts', async () => {
    const seen: string[] = []
    const embed: Embedder['embed'] = async given => {
      seen.push(...given)
      return given.map(() => Float32Array.of(1))
    }
    await groups(['rename parseDate in src/a.ts'], embedder({ embed }))
    expect(seen).toEqual(['rename name in path'])
  })

  it.each([
    ['gave 1 vectors for 4 texts', { embed: async () => [Float32Array.of(1)] }],
    ['no direction', { embed: async (given: readonly string[]) => given.map(() => Float32Array.of(0, 0)) }],
    [
      'not the 1 dimensions',
      { embed: async (given: readonly string[]) => given.map((_, at) => new Float32Array(at + 1).fill(1)) },
    ],
    [
      'no direction',
      { embed: async (given: readonly string[]) => given.map(() => Float32Array.of(Number.NaN)) },
    ],
    ['a share of 2', { share: 2 }],
    ['takes 1 for the cosine', { unrelated: 1 }],
  ])('refuses one that is not to be trusted: %s', async (message, change) => {
    await expect(groups(meals, embedder(change))).rejects.toThrow(message)
  })
})
