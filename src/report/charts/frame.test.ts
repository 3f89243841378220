import { describe, expect, it } from 'vitest'
import { plotOf, scale, stairs, ticks } from './frame.js'

describe('ticks', () => {
  it('are round numbers within the range', () => {
    expect(ticks([0, 1], 5)).toEqual([0, 0.2, 0.4, 0.6, 0.8, 1])
    expect(ticks([-0.13, 0.42], 5)).toEqual([-0.1, 0, 0.1, 0.2, 0.3, 0.4])
    expect(ticks([3, 97], 4)).toEqual([20, 40, 60, 80])
  })

  it('are whole where only whole numbers make sense', () => {
    expect(ticks([0, 2], 8, 1)).toEqual([0, 1, 2])
    expect(ticks([1, 1], 4, 1)).toEqual([1])
  })
})

it('maps a range of no width to its start instead of to nowhere', () => {
  expect(scale([2, 2], [10, 90])(2)).toBe(10)
  expect(scale([0, 10], [10, 90])(5)).toBe(50)
})

it('puts larger values higher', () => {
  const plot = plotOf({ width: 300, height: 200 }, { x: [0, 1], y: [0, 1] })
  expect(plot.y(1)).toBeLessThan(plot.y(0))
  expect(plot.x(1)).toBe(plot.right)
})

it('holds a value until the next one, and the last to the end', () => {
  const points = [
    [0, 5],
    [10, 3],
  ] as const
  expect(stairs(points, 30, 'c').text).toBe('<path d="M0.0 5.0L10.0 5.0L10.0 3.0L30.0 3.0" class="c"></path>')
})
