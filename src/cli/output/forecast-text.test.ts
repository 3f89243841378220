import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { fakeIo } from '../../../test/support/fake-io.js'
import * as library from '../../app/index.js'
import { exitCodes } from '../../core/errors/errors.js'
import { priceEntry } from '../../models/index.js'
import type { Library } from '../library.js'
import { main } from '../main.js'

const example = (name: string) => fileURLToPath(new URL(`../../../examples/${name}`, import.meta.url))
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
    expect(out).toMatch(/rollout +target +(\d+ to )?16 /)
    expect(out).toMatch(/Most likely about \d+ calls and [\d,]+ tokens, for \$0\.\d\d\./)
    const { date, source, input, output } = priceEntry('openai/gpt-5-nano') ?? { date: '?' }
    expect(out).toContain(`target     openai/gpt-5-nano         $${input}  $${output}  ${date}, ${source}`)
    for (const preset of ['default', 'paper', 'reference', 'thrifty'])
      expect(out).toMatch(new RegExp(`^${preset} +\\d+ +[\\d,]+ +\\$`, 'm'))
    expect(out).toContain('No model was called, nothing was written or spent.')
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
      env,
      cwd,
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

  const project = example('quickstart')
  const small = {
    'train.loop': 'steps',
    'train.batchSize': 20,
    'evaluation.gate': 'strict',
    'evaluation.earlyStop': false,
    'evaluation.validationSize': 20,
    'evaluation.testSize': 10,
  }
  const options = (flags: object = {}) => ({
    project,
    env: {},
    cwd,
    flags: { ...small, 'train.epochs': 1, ...flags },
  })

  it('learns from earlier runs of the project, as long as the models are the same', async () => {
    const guess = await library.forecastTraining(options())
    expect(guess).toMatchObject({ guessesLengths: true, measured: [] })
    const { view } = await library.train(options())
    const again = await library.forecastTraining(options())
    expect(again.measured.join()).toMatch(
      /tokens per call of the target and the optimizer; how often .* \(quickstart-001\)/,
    )
    const { input, output } = view?.spending.total ?? { input: 0, output: 0 }
    expect(Math.abs(again.total.tokens.likely / (input + output) - 1)).toBeLessThan(0.25)
    expect(Math.abs(guess.total.tokens.likely / (input + output) - 1)).toBeGreaterThan(0.25)
    // A different gate and minibatch size do not invalidate the measured reply lengths of the target.
    const other = options({ 'evaluation.gate': 'always', 'reflect.minibatchSize': 3 })
    expect((await library.forecastTraining(other)).measured).toEqual([
      'tokens per call of the target (quickstart-001)',
    ])
    const warmer = options({ 'models.target.temperature': 1 })
    expect((await library.forecastTraining(warmer)).assumptions).toEqual(guess.assumptions)
    // An unreadable run is ignored.
    await writeFile(join(cwd, 'runs', 'quickstart-001', 'events.jsonl'), 'no json\nat all\n')
    expect((await library.forecastTraining(options())).assumptions).toEqual(guess.assumptions)
  })

  it('learns from a training that was stopped, and from a single attempt', async () => {
    const [task] = (await readFile(join(project, 'tasks', 'train.jsonl'), 'utf8')).split('\n')
    await library.attemptOne({ ...options(), task: JSON.parse(task ?? '').id })
    const tried = await library.forecastTraining(options())
    expect(tried.measured).toEqual(['tokens per call of the target (eval of quickstart)'])
    expect(tried.guessesLengths).toBe(true)
    const { outcome } = await library.train(options({ 'limits.maxCalls': 60 }))
    expect(outcome).toBe('cap')
    const stopped = await library.forecastTraining(options())
    expect(stopped.guessesLengths).toBe(false)
    expect(stopped.measured.join()).toContain('quickstart-001')
  })
})

describe('train --dry-run --probe', () => {
  const quickstart = ['train', example('quickstart'), '--dry-run']

  it('makes a few calls, once, and forecasts by them', async () => {
    expect((await command(...quickstart)).out).toContain('--dry-run --probe measures them with a few calls.')
    const probed = await command(...quickstart, '--probe')
    expect(probed.err).toBe('')
    expect(probed.code).toBe(exitCodes.ok)
    expect(probed.out).toContain(
      'Measured: tokens per call of the target and the optimizer (probe of quickstart).',
    )
    expect(probed.out).toMatch(
      /The probe took \d+ calls, .*; see runs.quickstart-probe-\w+\. They come on top/,
    )
    expect(probed.out).not.toContain('is a guess')
    expect(probed.out).not.toContain('Nothing was called')
    const [directory] = await readdir(join(cwd, 'runs'))
    const log = () => readFile(join(cwd, 'runs', directory ?? '', 'events.jsonl'), 'utf8')
    const calls = (await log()).split('"call.finished"').length
    expect(await command(...quickstart, '--probe')).toEqual(probed)
    expect((await log()).split('"call.finished"')).toHaveLength(calls)
    // The probe's reply lengths are used without asking for them.
    expect((await command(...quickstart)).out).toContain('probe of quickstart')
    expect((await command('show', directory ?? '')).out).toMatch(/quickstart .*finished/)
  })

  it('gives its attempts to the training where evaluations are shared', async () => {
    const flags = { 'train.loop': 'steps', 'evaluation.gate': 'strict', 'train.reuse': 'reuse', cache: true }
    const { view, isShared } = await library.probeTraining({
      project: example('quickstart'),
      env: {},
      cwd,
      flags,
    })
    expect(isShared).toBe(true)
    const attempts = view?.attempts.scored ?? 0
    expect(attempts).toBeGreaterThan(0)
    const small = { 'train.epochs': 1, 'evaluation.testSize': 10 }
    const trained = await library.train({
      project: example('quickstart'),
      env: {},
      cwd,
      flags: { ...flags, ...small },
    })
    expect(trained.view?.attempts.cached).toBe(attempts)
  })

  it('says what it costs at most, and keeps to caps and to what was agreed', async () => {
    const paid = await command('train', example('gsm8k'), '--dry-run', '--probe')
    expect(paid.code).toBe(exitCodes.badInput)
    expect(paid.err).toMatch(
      /Expected: at most \d+ calls, [\d,]+ tokens and \$\d+\.\d\d, most likely about \$/,
    )
    expect(await readdir(cwd)).toEqual([])
    const capped = await command(...quickstart, '--probe', '--max-calls', '3')
    expect(capped.code).toBe(exitCodes.capReached)
    expect(capped.err).toContain('The cap of 3 calls is reached.')
    expect(capped.out).toBe('')
  })

  it('is refused without --dry-run', async () => {
    const { code, err } = await command('train', example('quickstart'), '--probe')
    expect(code).toBe(exitCodes.badInput)
    expect(err).toContain('--probe requires --dry-run: it makes a few calls for the forecast.')
  })
})
