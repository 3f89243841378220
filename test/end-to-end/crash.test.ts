import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import type { Moment } from '../../bench/crash-runs.js'
import { crashSuite } from '../../bench/crash-suite.js'
import type { RunEvent } from '../../src/core/event.js'

/** The small one of `npm run bench:crash`: `kill -9` at moments of different kinds, each resumed by the same command. */

const cli = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url))
if (!existsSync(cli)) {
  throw new Error('This test kills the built command line, and dist/ is not there: npm run build')
}

/** In the middle of what a run does most, of what a stage leaves behind, and of everything. */
function moments(events: readonly RunEvent[]): Moment[] {
  const types = [
    'call.started',
    'attempt.finished',
    'reflect.finished',
    'gate.decided',
    'skill.version',
  ] as const
  const middles = types.map(type => {
    const times = events.filter(event => event.type === type).length
    return { type, nth: Math.ceil(times / 2) }
  })
  return [...middles.filter(({ nth }) => nth > 0), { type: 'any', nth: Math.ceil(events.length / 3) }]
}

it('killed at any moment, a run ends as if nothing had happened and pays nothing twice', {
  timeout: 120_000,
}, async () => {
  const { paid, runs } = await crashSuite({
    cli,
    sizes: { train: 12, val: 8, test: 6 },
    config: { train: { epochs: 2, batchSize: 6 }, reflect: { minibatchSize: 3 } },
    moments,
    parallel: 2,
  })
  expect(paid).toBeGreaterThan(60)
  expect(runs.length).toBeGreaterThanOrEqual(5)
  for (const run of runs) {
    expect(run).toMatchObject({ sameSkill: true, sameVerdicts: true, sameRest: true, paidTwice: 0 })
    expect(run.paid).toBeLessThanOrEqual(paid + run.inFlight)
  }
  // Kills that meet calls in flight are what this is about.
  expect(runs.some(run => run.inFlight > 0)).toBe(true)
})
