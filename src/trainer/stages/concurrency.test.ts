import { describe, expect, it } from 'vitest'
import { mapConcurrently, startEarly } from './concurrency.js'

describe('mapConcurrently', () => {
  it('hands each item out once, with its index', async () => {
    const seen: [string, number][] = []
    await mapConcurrently(['a', 'b', 'c'], 2, async (item, index) => {
      seen.push([item, index])
    })
    expect(seen).toEqual([
      ['a', 0],
      ['b', 1],
      ['c', 2],
    ])
    expect(await mapConcurrently([], 2, async () => 'never')).toEqual([])
  })

  it('starts nothing more in any lane after a failure', async () => {
    const begun: number[] = []
    const failing = mapConcurrently([0, 1, 2, 3, 4, 5], 2, async item => {
      begun.push(item)
      if (item === 1) throw new Error('one')
      await new Promise(resolve => setImmediate(resolve))
    })
    await expect(failing).rejects.toThrow('one')
    await new Promise(resolve => setImmediate(resolve))
    expect(begun).toEqual([0, 1])
  })
})

describe('startEarly', () => {
  it('keeps a failure for the later await, without an unhandled rejection', async () => {
    const unhandled: unknown[] = []
    const listen = (reason: unknown) => unhandled.push(reason)
    process.on('unhandledRejection', listen)
    try {
      const promise = startEarly(Promise.reject(new Error('early')))
      await new Promise(resolve => setImmediate(resolve))
      expect(unhandled).toEqual([])
      await expect(promise).rejects.toThrow('early')
    } finally {
      process.off('unhandledRejection', listen)
    }
  })
})
