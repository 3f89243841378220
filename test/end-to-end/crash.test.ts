import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import type { Moment } from '../../bench/crash-runs.js'
import { crashSuite } from '../../bench/crash-suite.js'

/** The small one of `npm run bench:crash`: `kill -9` at moments of different kinds, each resumed by the same command. */

const cli = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url))
if (!existsSync(cli))
  throw new Error('This test kills the built command line, and dist/ is not there: npm run build')

const moments: readonly Moment[] = [
  { type: 'run.started', nth: 1 },
  { type: 'call.started', nth: 60 },
  { type: 'attempt.finished', nth: 20 },
  { type: 'reflect.finished', nth: 2 },
  { type: 'gate.decided', nth: 1 },
  { type: 'any', nth: 250 },
]

it('killed at any moment, a run ends as if nothing had happened and pays nothing twice', {
  timeout: 120_000,
}, async () => {
  const { paid, runs } = await crashSuite({
    cli,
    sizes: { train: 12, val: 8, test: 6 },
    config: { train: { epochs: 2, batchSize: 6 }, reflect: { minibatchSize: 3 } },
    moments: () => moments,
    parallel: 2,
  })
  expect(paid).toBeGreaterThan(80)
  expect(runs.map(run => run.moment)).toEqual(moments)
  for (const run of runs) {
    expect(run).toMatchObject({ sameSkill: true, sameVerdicts: true, sameRest: true, paidTwice: 0 })
  }
  // Kills that met calls in flight are what this is about.
  expect(runs.some(run => run.inFlight > 0 && run.paidAgain > 0)).toBe(true)
})
