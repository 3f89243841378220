import { expect, it } from 'vitest'
import { inProcessModel, worldSetup } from '../../test/world.js'
import { forecast, forecastBaseline } from './forecast.js'

it('counts the votes of a judge on every attempt, at the price of the judge', async () => {
  const setup = await worldSetup()
  const without = await forecast(setup)
  expect(without.rows.map(({ role }) => role)).not.toContain('judge')

  const judge = { ...inProcessModel('target'), price: { input: 10, output: 10 } }
  const judged = {
    ...setup,
    environment: { ...setup.environment, scoring: { judgeCalls: 3 } },
    models: { ...setup.models, judge },
  }
  const withJudge = await forecast(judged)
  const row = withJudge.rows.find(({ role }) => role === 'judge')
  const attempts = without.rows.filter(({ role }) => role === 'target')
  const sum = (end: 'low' | 'high') => attempts.reduce((total, { calls }) => total + calls[end], 0)
  expect(row?.calls).toEqual({ low: 3 * sum('low'), high: 3 * sum('high') })
  expect(row?.cost?.low).toBeCloseTo(((row?.tokens.low ?? 0) * 10) / 1e6)
  expect(withJudge.total.calls.low).toBe(without.total.calls.low + 3 * sum('low'))

  const baseline = await forecastBaseline(judged, { examples: undefined, untested: 1 })
  expect(baseline.rows.map(({ role }) => role)).toEqual(['target', 'judge'])
})
