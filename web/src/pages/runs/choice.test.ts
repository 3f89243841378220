import { expect, it } from 'vitest'
import { comparedAtMost } from '../../../../src/dashboard/contract/compare.js'
import { chosenIn, toggled, withRuns } from './choice.js'
import { signatureOf } from './staleness.js'
import { testRun } from './test-run.js'

it('reads each chosen run once, in the order of the address', () => {
  expect(chosenIn(new URLSearchParams('run=b&run=a&run=b&run='))).toEqual(['b', 'a'])
})

it('adds and removes a run, but never exceeds the maximum', () => {
  expect(toggled(['a'], 'b')).toEqual(['a', 'b'])
  expect(toggled(['a', 'b'], 'a')).toEqual(['b'])
  const full = Array.from({ length: comparedAtMost }, (_, index) => `run ${index}`)
  expect(toggled(full, 'another')).toEqual(full)
  expect(toggled(full, 'run 0')).toHaveLength(comparedAtMost - 1)
})

it('round-trips the selection through the URL', () => {
  expect(withRuns('~/compare', [])).toBe('~/compare')
  const odd = ['a&run=b', 'c d', 'ü/%']
  expect(chosenIn(new URL(withRuns('/compare', odd), 'http://localhost').searchParams)).toEqual(odd)
})

it('marks a comparison stale after a step, score or state change, but not after a call', () => {
  const run = testRun({ id: 'a', best: 0.5 })
  const before = signatureOf([run])
  expect(signatureOf([{ ...run, calls: 11, tokens: 700, lastAt: 9 }])).toBe(before)
  for (const change of [{ step: 5 }, { best: 0.6 }, { state: 'failed' }, { test: { best: 0.4 } }] as const) {
    expect(signatureOf([{ ...run, ...change }])).not.toBe(before)
  }
})
