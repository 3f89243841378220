import { afterEach, expect, it, vi } from 'vitest'
import { steadyClock } from './run.js'

afterEach(() => {
  vi.restoreAllMocks()
})

it('starts at the time of day and ignores later jumps of it', () => {
  const day = 86_400_000
  const start = Date.now()
  const wallClock = vi.spyOn(Date, 'now').mockReturnValue(start)
  const now = steadyClock()
  const first = now()
  expect(Math.abs(first - start)).toBeLessThan(1_000)
  for (const jump of [day, -day]) {
    wallClock.mockReturnValue(start + jump)
    expect(now() - first).toBeGreaterThanOrEqual(0)
    expect(now() - first).toBeLessThan(60_000)
  }
})
