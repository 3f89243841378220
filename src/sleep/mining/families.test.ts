import { describe, expect, it } from 'vitest'
import type { Embedder } from './embedded.js'
import { families, likeness } from './families.js'

const item = (id: string, ...texts: string[]) => ({ id, texts })

describe('families', () => {
  it('groups only items that may share one intent', async () => {
    const found = await families([
      item('tests', 'write unit tests for src/a.ts', 'add tests for parseDate'),
      item('soup', 'cook a soup for six people', 'soup for tonight'),
      item('cases', 'please generate test cases for the module src/b.ts'),
      item('deploy', 'deploy the new version to staging'),
    ])
    expect(found).toEqual([['tests', 'cases'], ['soup'], ['deploy']])
  })

  it('does not chain unrelated ends', async () => {
    const words = ['alpha', 'bravo', 'charlie', 'delta', 'echo', 'foxtrot', 'golf', 'hotel']
    const found = await families(words.map((word, at) => item(word, `${word} ${words[at + 1] ?? 'india'}`)))
    expect(found.some(ids => ids.includes('alpha') && ids.includes('hotel'))).toBe(false)
    expect(found.flat().sort()).toEqual([...words].sort())
  })

  it('keeps items without texts alone and handles an empty list', async () => {
    expect(await families([item('a'), item('b', 'write a test'), item('c')])).toEqual([['a'], ['b'], ['c']])
    expect(await families([])).toEqual([])
  })

  it('finds with an embedder what words miss', async () => {
    const embedder: Embedder = {
      id: 'fake',
      share: 1,
      embed: async texts => texts.map(text => Float32Array.from(/soup|stew/.test(text) ? [1, 0.1] : [0, 1])),
    }
    const items = [item('a', 'make some soup'), item('b', 'fix the car'), item('c', 'prepare stew')]
    expect(await families(items)).toEqual([['a'], ['b'], ['c']])
    expect(await families(items, embedder)).toEqual([['a', 'c'], ['b']])
  })
})

describe('likeness', () => {
  it('is higher for the same work and zero for items without texts', async () => {
    const alike = await likeness([
      item('tests', 'write unit tests for src/a.ts', 'add tests for parseDate'),
      item('cases', 'please generate test cases for the module src/b.ts'),
      item('soup', 'cook a soup for six people'),
      item('nothing'),
    ])
    expect(alike('tests', 'cases')).toBeGreaterThan(0.15)
    expect(alike('tests', 'cases')).toBe(alike('cases', 'tests'))
    expect(alike('tests', 'soup')).toBeLessThan(0.1)
    expect([alike('tests', 'nothing'), alike('nothing', 'nothing'), alike('tests', 'unknown')]).toEqual([
      0, 0, 0,
    ])
  })
})
