import { expect } from 'vitest'
import { z } from 'zod'
import { testVectors } from '../../../test/vectors.js'
import { ratioSplit, seededShuffle, splitCounts } from './random.js'

const vector = z.object({
  n: z.number(),
  ratio: z.string(),
  seed: z.number(),
  counts: z.array(z.number()),
  shuffled: z.array(z.string()),
})

testVectors('split', vector, ({ n, ratio, seed, counts, shuffled }) => {
  const ids = Array.from({ length: n }, (_, index) => `i${index}`)
  expect(Object.values(splitCounts(n, ratio))).toEqual(counts)
  expect(seededShuffle(ids, seed).slice(0, shuffled.length)).toEqual(shuffled)
  const { train, val, test } = ratioSplit(ids, ratio, seed)
  expect([train.length, val.length, test.length]).toEqual(counts)
  expect([...train, ...val, ...test].slice(0, shuffled.length)).toEqual(shuffled)
})
