import { describe, expect, it } from 'vitest'
import { type ConfigInput, configSchema } from './config.js'
import { epochEndOf, scheduleOf } from './loop-defaults.js'

const config = (optimizer: ConfigInput['optimizer'], loop: 'trials' | 'steps') =>
  configSchema.parse({
    environment: {},
    models: { target: 'a/b', optimizer: 'a/c' },
    train: { loop },
    optimizer,
  })

describe('the slow update and the meta skill', () => {
  it('are on with steps and off by trials, if nobody says otherwise', () => {
    expect(epochEndOf(config({}, 'steps'))).toEqual({ hasSlowUpdate: true, hasMetaSkill: true })
    expect(epochEndOf(config({}, 'trials'))).toEqual({ hasSlowUpdate: false, hasMetaSkill: false })
  })

  it.each(['trials', 'steps'] as const)('are what the config says with %s', loop => {
    const on = config({ slowUpdate: { enabled: true }, metaSkill: true }, loop)
    expect(epochEndOf(on)).toEqual({ hasSlowUpdate: true, hasMetaSkill: true })
    const off = config({ slowUpdate: { enabled: false }, metaSkill: false }, loop)
    expect(epochEndOf(off)).toEqual({ hasSlowUpdate: false, hasMetaSkill: false })
  })
})

describe('the schedule of the edit budget', () => {
  it('is cosine with steps and constant by trials, if nobody says otherwise', () => {
    expect(scheduleOf(config({}, 'steps'), 9)).toEqual({ mode: 'cosine', max: 4, min: 2, steps: 9 })
    expect(scheduleOf(config({}, 'trials'), 9).mode).toBe('constant')
  })

  it('is what the config says, and never falls below a maximum that is smaller than the minimum', () => {
    const linear = scheduleOf(config({ schedule: 'linear', learningRate: 1 }, 'trials'), 9)
    expect(linear).toEqual({ mode: 'linear', max: 1, min: 1, steps: 9 })
  })
})
