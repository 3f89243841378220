import { describe, expect, it } from 'vitest'
import { capText, costText, gainText, scheduleText, scoreText, spentText } from './words.js'

const spent = { calls: 40, tokens: 12_345, cost: 0.25, unknownUsage: 0, unknownCost: 0, activeMs: 65_000 }

describe('figures of a night', () => {
  it('have their intervals', () => {
    expect(scoreText({ mean: 0.5, low: 0.4, high: 0.6 })).toBe('50.0% (40.0% to 60.0%)')
    expect(gainText({ mean: 0.1, low: -0.02, high: 0.22 })).toBe('+10.0 points (−2.0 to +22.0)')
  })

  it('name unknown parts', () => {
    expect(costText(spent)).toBe('$0.25')
    expect(costText({ ...spent, cost: 0, unknownCost: 40 })).toBe('unknown')
    expect(costText({ ...spent, calls: 0, cost: 0 })).toBe('no model was called')
    expect(spentText(spent)).toBe('40 calls, 12,345 tokens, 1 min 05 s at work')
    expect(spentText({ ...spent, unknownUsage: 3 })).toContain('at least 12,345 tokens')
    expect(spentText({ ...spent, tokens: 0, unknownUsage: 40 })).toContain('an unknown number of tokens')
  })

  it('name the limit that was reached', () => {
    expect(capText({ cap: 'maxCost', limit: 2 })).toContain('$2:')
    expect(capText({ cap: 'maxCalls', limit: 1 })).toContain('1 call:')
    expect(capText({ cap: 'maxTime', limit: 90 })).toContain('90 minutes:')
  })
})

describe('a schedule', () => {
  it('says when it runs and which scheduler runs it', () => {
    expect(scheduleText({ system: 'cron', time: '03:17' })).toBe('Every night at 03:17, started by cron.')
    expect(scheduleText({ system: 'cron', time: '03:17', next: '2026-02-01T02:17:00Z' })).toMatch(
      /the next one \d+ \w+ 2026, \d\d:\d\d\.$/,
    )
    expect(scheduleText({ system: 'launchd', problem: 'Its entry is damaged.' })).toContain('unreadable')
  })
})
