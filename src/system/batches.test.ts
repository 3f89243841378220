import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { inBatches } from './batches.js'

it('gives results in the order of the items, with no more than a batch of them under way', async () => {
  let underWay = 0
  let most = 0
  const items = Array.from({ length: 150 }, (_, index) => index)
  const results = await inBatches(items, async item => {
    underWay += 1
    most = Math.max(most, underWay)
    await sleep(item % 3)
    underWay -= 1
    return 2 * item
  })
  expect(results).toEqual(items.map(item => 2 * item))
  expect(most).toBe(64)
})

it('fails with the first in order, once those under way have ended, and starts no more', async () => {
  const done: number[] = []
  const items = Array.from({ length: 100 }, (_, index) => index)
  const work = async (item: number) => {
    if (item === 5) throw new Error('the fifth')
    await sleep(item === 3 ? 5 : 0)
    if (item === 3) throw new Error('the third')
    done.push(item)
  }
  await expect(inBatches(items, work)).rejects.toThrow('the third')
  expect(done.toSorted((one, other) => one - other)).toEqual(
    items.slice(0, 64).filter(item => item !== 3 && item !== 5),
  )
})
