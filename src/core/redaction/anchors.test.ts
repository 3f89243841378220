import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createAnchorScan } from './anchors.js'

function scan(words: readonly string[], text: string): [string, number][] {
  const found: [string, number][] = []
  createAnchorScan(words)(text, (word, at) => found.push([words[word] ?? '', at]))
  return found
}

it('finds words, also one within another', () => {
  expect(scan(['she', 'he', 'hers'], 'ushers')).toEqual([
    ['she', 1],
    ['he', 2],
    ['hers', 2],
  ])
})

it('is case-sensitive, and ignores non-ASCII characters', () => {
  expect(scan(['AK', 'k'], 'ak AKĀK')).toEqual([
    ['k', 1],
    ['AK', 3],
  ])
})

it('finds the same as looking for each word', () => {
  const letters = (longest: number) =>
    fc.array(fc.constantFrom('a', 'b', 'é'), { minLength: 1, maxLength: longest })
  fc.assert(
    fc.property(fc.array(fc.constantFrom('a', 'ab', 'ba', 'aab', 'bb')), letters(40), (some, characters) => {
      const words = [...new Set(some)]
      const text = characters.join('')
      const expected = words.flatMap(word =>
        [...text].flatMap((_, at) => (text.startsWith(word, at) ? [`${word} ${at}`] : [])),
      )
      expect(
        scan(words, text)
          .map(([word, at]) => `${word} ${at}`)
          .sort(),
      ).toEqual(expected.sort())
    }),
    { seed: 3 },
  )
})
