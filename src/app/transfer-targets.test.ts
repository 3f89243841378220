import { describe, expect, it } from 'vitest'
import { configSchema, modelSchema } from '../core/config/config.js'
import type { LoadedProject } from '../project/load.js'
import { aimedAt, checkTargets, type TransferTarget } from './transfer-targets.js'

function project(target: TransferTarget): LoadedProject {
  const config = configSchema.parse({ environment: {}, models: { target, optimizer: 'simulated/optimizer' } })
  const given = typeof target === 'string' ? {} : target
  const places = Object.keys(given).map(option => [`models.target.${option}`, 'file skillopt.yaml:9'])
  return {
    name: 'desk',
    baseDir: '/nowhere',
    cwd: '/nowhere',
    file: '/nowhere/skillopt.yaml',
    config,
    sources: { skill: 'default', ...Object.fromEntries(places) },
    warnings: [],
    mapped: [],
    env: {},
  }
}

const whole = {
  model: 'openai/gpt-5-mini',
  endpoint: 'https://gateway.example/v1',
  apiKeyEnv: 'GATEWAY_KEY',
  effort: 'low' as const,
  temperature: 0.5,
  requestsPerMinute: 50,
  price: { input: 1, output: 2 },
  timeout: 60,
  concurrency: 2,
  retries: 1,
  maxOutputTokens: 900,
}
const { price: _, ...ofProvider } = whole

const aimed = (own: TransferTarget, to: TransferTarget) => aimedAt(project(own), to).config.models.target

describe('aimedAt', () => {
  it.each<[string, TransferTarget, string, object]>([
    ['nothing of a name', 'openai/gpt-5-mini', 'anthropic/claude', {}],
    ['all for the very same model', whole, 'openai/gpt-5-mini', whole],
    ['all but the price for another model of the provider', whole, 'openai/gpt-5.4', ofProvider],
    [
      'how calls are made for another provider',
      whole,
      'anthropic/claude',
      { timeout: 60, concurrency: 2, retries: 1, maxOutputTokens: 900 },
    ],
    ['retries only where a model becomes an agent', whole, 'codex/default', { retries: 1 }],
    [
      'retries only where an agent becomes a model',
      { ...whole, model: 'codex/default' },
      'openai/x',
      { retries: 1 },
    ],
    [
      'how it is run for another agent',
      { model: 'codex/default', timeout: 300, concurrency: 3, endpoint: 'http://127.0.0.1:1' },
      'claude-code/default',
      { timeout: 300, concurrency: 3 },
    ],
  ])('keeps %s', (_what, own, to, kept) => {
    expect(aimed(own, to)).toEqual(modelSchema.parse({ ...kept, model: to }))
  })

  it('records the origin of each option, with `default` for those not kept', () => {
    const { sources } = aimedAt(project(whole), 'codex/default')
    expect(sources).toMatchObject({
      skill: 'default',
      'models.target.model': 'flag --on',
      'models.target.retries': 'file skillopt.yaml:9',
      'models.target.timeout': 'default',
    })
    expect(Object.keys(sources)).not.toContain('models.target.price')
  })

  it('uses a model with its own options unchanged', () => {
    const to = { model: 'ollama/llama3.2', timeout: 5 }
    expect(aimed(whole, to)).toEqual(modelSchema.parse(to))
    expect(() => aimed(whole, { ...to, timeout: -1 })).toThrow(
      /The target ollama\/llama3\.2 cannot be used: .*timeout/s,
    )
  })
})

describe('checkTargets', () => {
  it.each<[string, readonly TransferTarget[], string]>([
    ['none', [], 'No target given.'],
    ['an empty one', ['openai/x', ''], 'No target given.'],
    ['one twice', ['openai/x', 'openai/y', { model: 'openai/x' }], 'The target openai/x is given twice.'],
  ])('refuses %s', (_what, targets, message) => {
    expect(() => checkTargets(targets)).toThrow(message)
  })
})
