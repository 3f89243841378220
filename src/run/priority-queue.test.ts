import fc from 'fast-check'
import PQueue from 'p-queue'
import { expect, it } from 'vitest'
import { PriorityLine } from './lane.js'

it('serves higher priorities first, and each in order of arrival', () => {
  const steps = fc.array(fc.oneof(fc.constant('serve' as const), fc.integer({ min: -2, max: 2 })))
  fc.assert(
    fc.property(steps, actions => {
      const line = new PriorityLine()
      const model: { priority: number; arrival: number }[] = []
      const numbers = new Map<unknown, number>()
      for (const [arrival, action] of actions.entries()) {
        if (action === 'serve') {
          model.sort((a, b) => b.priority - a.priority || a.arrival - b.arrival)
          expect(numbers.get(line.dequeue())).toBe(model.shift()?.arrival)
        } else {
          const run = async () => {}
          numbers.set(run, arrival)
          line.enqueue(run, { priority: action })
          model.push({ priority: action, arrival })
        }
        expect(line.size).toBe(model.length)
      }
      for (const priority of [-1, 0, 1]) {
        const waiting = model.filter(one => one.priority === priority).map(({ arrival }) => arrival)
        expect(line.filter({ priority }).map(run => numbers.get(run))).toEqual(waiting.sort((a, b) => a - b))
      }
    }),
  )
})

it('implements everything that p-queue requires', async () => {
  const queue = new PQueue({ concurrency: 1, autoStart: false, queueClass: PriorityLine })
  const order: string[] = []
  const adding = ['a', 'b', 'c'].map(id => queue.add(async () => void order.push(id), { id }))
  queue.setPriority('c', 5)
  expect(() => queue.setPriority('d', 1)).toThrow('d')
  expect(queue.sizeBy({ priority: 5 })).toBe(1)
  queue.start()
  await Promise.all(adding)
  expect(order).toEqual(['c', 'a', 'b'])
})
