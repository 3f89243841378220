import { cp, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { fakeIo } from '../../test/support/fake-io.js'
import { exitCodes } from '../core/errors.js'
import * as library from '../index.js'
import { priceEntry } from '../models/index.js'
import type { Library } from './library.js'
import { main } from './main.js'

const example = (name: string) => fileURLToPath(new URL(`../../examples/${name}`, import.meta.url))
const env = { OPENAI_API_KEY: 'sk-unused' }

let cwd: string
beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'skillopt-forecast-'))
})
afterEach(() => rm(cwd, { recursive: true }))

async function command(...argv: string[]) {
  const io = fakeIo<Library>({ cwd, env, library })
  return { code: await main(argv, io), out: io.out(), err: io.err() }
}

describe('train --dry-run', () => {
  it('shows the forecast with its prices and presets, and leaves nothing behind', async () => {
    const { code, out, err } = await command('train', example('gsm8k'), '--dry-run')
    expect(err).toBe('')
    expect(code).toBe(exitCodes.ok)
    expect(await readdir(cwd)).toEqual([])
    expect(out).toMatch(/rollout +target +16 /)
    expect(out).toMatch(/Most likely about \d+ calls and [\d,]+ tokens, for \$0\.\d\d\./)
    const { date, source, input, output } = priceEntry('openai/gpt-5-nano') ?? { date: '?' }
    expect(out).toContain(`target     openai/gpt-5-nano         $${input}  $${output}  ${date}, ${source}`)
    for (const preset of ['default', 'paper', 'reference', 'thrifty'])
      expect(out).toMatch(new RegExp(`^${preset} +\\d+ +[\\d,]+ +\\$`, 'm'))
    expect(out).toContain('Nothing was called, written or paid.')
  })

  it('is data with --json, and goes by flags as a training does', async () => {
    const argv = ['train', example('gsm8k'), '--dry-run', '--json']
    const plain = JSON.parse((await command(...argv)).out) as library.TrainingForecast
    const longer = ['--set', 'train.epochs=9', '--preset', 'thrifty']
    const other = JSON.parse((await command(...argv, ...longer)).out) as library.TrainingForecast
    expect(plain.preset).toBe('default')
    expect(other).toMatchObject({ preset: 'thrifty', name: 'gsm8k', simulated: false })
    expect(other.total.calls.high).toBeGreaterThan(plain.total.calls.high)
    const { preset, ...total } = other.presets.find(({ preset }) => preset === 'thrifty') ?? { preset: '' }
    expect(preset).toBe('thrifty')
    expect(total).toEqual(other.total)
  })

  it.each([
    [['--preset', 'papr'], 'preset must be one of default, paper, reference, thrifty'],
    [['--set', 'train.patience=-1'], 'train.patience must be a whole number of at least 0'],
    [['--fork', 'nothing@v1'], 'There is no run "nothing" here'],
  ])('refuses what a training would refuse: %s', async (flags, sentence) => {
    const { code, err } = await command('train', example('gsm8k'), '--dry-run', ...flags)
    expect(code).toBe(exitCodes.badInput)
    expect(err).toContain(sentence)
  })
})

describe('the forecast', () => {
  const price = { input: 3, output: 9 }

  it('says where each price is from', async () => {
    const target = { model: 'openai/gpt-5-nano', price }
    await cp(example('gsm8k'), join(cwd, 'project'), { recursive: true })
    const { prices, total } = await library.forecastTraining({
      project: 'project',
      flags: { 'models.target': target, 'models.optimizer': 'openai/no-such-model' },
      ...{ env, cwd },
    })
    expect(prices).toEqual([
      { role: 'target', model: 'openai/gpt-5-nano', price, from: 'config' },
      { role: 'optimizer', model: 'openai/no-such-model', price: undefined, from: 'unknown' },
    ])
    expect(total.cost).toBeUndefined()
    const simulated = await library.forecastTraining({ project: example('quickstart'), env: {}, cwd })
    expect(simulated.prices.map(({ from }) => from)).toEqual(['provider', 'provider'])
    expect(simulated.simulated).toBe(true)
  })

  it('learns from a finished run of the project, as long as the models are the same', async () => {
    const project = example('quickstart')
    const small = { 'evaluation.validationSize': 20, 'evaluation.testSize': 10 }
    const options = { project, env: {}, cwd, flags: { ...small, 'train.epochs': 1 } }
    const guess = await library.forecastTraining(options)
    const { view } = await library.train(options)
    const next = await library.forecastTraining({ ...options, flags: { ...small, 'train.epochs': 2 } })
    expect(next.assumptions).toContain('tokens per call as in quickstart-001')
    const again = await library.forecastTraining(options)
    const { input, output } = view?.spending.total ?? { input: 0, output: 0 }
    expect(Math.abs(again.total.tokens.likely / (input + output) - 1)).toBeLessThan(0.25)
    expect(Math.abs(guess.total.tokens.likely / (input + output) - 1)).toBeGreaterThan(0.25)
    const warmer = { ...options.flags, 'models.target.temperature': 1 }
    expect((await library.forecastTraining({ ...options, flags: warmer })).assumptions).toEqual(
      guess.assumptions,
    )
    // It does without a run that cannot be read.
    await writeFile(join(cwd, 'runs', 'quickstart-001', 'events.jsonl'), 'no json\nat all\n')
    expect((await library.forecastTraining(options)).assumptions).toEqual(guess.assumptions)
  })
})
