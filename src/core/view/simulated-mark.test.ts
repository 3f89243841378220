import { describe, expect, it } from 'vitest'
import { createView, type RunView } from './fold.js'
import { isFree, simulatedMark } from './simulated-mark.js'

const run = (simulated: boolean, models?: Record<string, unknown>): RunView => ({
  ...createView(),
  simulated,
  config: models === undefined ? undefined : { models },
})

const simulated = { target: 'simulated/target', optimizer: { model: 'simulated/optimizer' } }

describe('simulated runs', () => {
  it('are free when every model is simulated, named in short or in full', () => {
    expect(isFree(run(true, simulated))).toBe(true)
    expect(simulatedMark(run(true, simulated))).toBe('simulated')
  })

  it.each([
    { ...simulated, optimizer: 'openai/gpt-5-mini' },
    { ...simulated, judge: { model: 'anthropic/claude-sonnet-4-5' } },
  ])('are only partly simulated with a paid model among them: %j', models => {
    expect(isFree(run(true, models))).toBe(false)
    expect(simulatedMark(run(true, models))).toBe('partly simulated')
  })

  it('are not guessed from the names of models', () => {
    expect(isFree(run(false, simulated))).toBe(false)
    expect(simulatedMark(run(false, simulated))).toBeUndefined()
  })

  it('need no config to be read, and no model that is set', () => {
    expect(simulatedMark(run(true))).toBe('simulated')
    expect(simulatedMark(run(true, { ...simulated, judge: undefined }))).toBe('simulated')
  })
})
