import { describe, expect, it } from 'vitest'
import { scoreContext } from '../../test/score-context.js'
import { worldEnvironment } from '../../test/world.js'
import { type ConfigInput, configSchema } from '../core/config/config.js'
import { InputError } from '../core/errors/errors.js'
import type { Environment, ScoringNeeds } from '../core/ports/environment.js'
import type { Sandbox } from '../core/ports/sandbox.js'
import { checkScoring, scoringWarnings } from './scoring.js'

const environmentWith = (scoring: ScoringNeeds, more: Partial<Environment> = {}): Environment => ({
  ...(worldEnvironment({}) as unknown as Environment),
  scoring,
  ...more,
})
const configWith = (judge: string | undefined, more: Partial<ConfigInput> = {}) =>
  configSchema.parse({
    environment: {},
    models: { target: 'a/t', optimizer: 'a/o', judge },
    ...more,
  })
const missing: Sandbox = {
  ...scoreContext.sandbox,
  check: () => Promise.reject(new InputError('bubblewrap is missing')),
}

describe('checkScoring', () => {
  it('requires a judge only where one is needed', async () => {
    const { sandbox } = scoreContext
    const refused = checkScoring(environmentWith({ judgeCalls: 3 }), configWith(undefined), sandbox)
    await expect(refused).rejects.toMatchObject({ hint: expect.stringContaining('judge: provider/model') })
    await checkScoring(environmentWith({ judgeCalls: 3 }), configWith('a/j'), sandbox)
    await checkScoring(environmentWith({ judgeCalls: 0 }), configWith(undefined), sandbox)
  })

  it('checks the sandbox and its programs only where one is needed', async () => {
    await checkScoring(environmentWith({}), configWith(undefined), missing)
    const needed = environmentWith({ sandbox: true })
    await expect(checkScoring(needed, configWith(undefined), missing)).rejects.toThrow(
      'bubblewrap is missing',
    )
    const programs = environmentWith(
      { sandbox: true },
      { checkSandbox: () => Promise.reject(new InputError('no node')) },
    )
    const refused = checkScoring(programs, configWith(undefined), scoreContext.sandbox)
    await expect(refused).rejects.toThrow('no node')
  })
})

describe('scoringWarnings', () => {
  it('warns of a judge that is the optimizer, however it is written', () => {
    const environment = environmentWith({ judgeCalls: 1 })
    expect(scoringWarnings(environment, configWith('a/o'))[0]).toContain('same model')
    const long = configWith(undefined, {
      models: { target: 'a/t', optimizer: { model: 'a/o', effort: 'high' }, judge: { model: 'a/o' } },
    })
    expect(scoringWarnings(environment, long)).toHaveLength(1)
    expect(scoringWarnings(environment, configWith('a/j'))).toEqual([])
    expect(scoringWarnings(environmentWith({}), configWith('a/o'))).toEqual([])
  })

  it('warns that commands run unprotected', () => {
    const off = configWith(undefined, { sandbox: 'none' })
    expect(scoringWarnings(environmentWith({ sandbox: true }), off)[0]).toContain('sandbox is off')
    expect(scoringWarnings(environmentWith({}), off)).toEqual([])
  })
})
