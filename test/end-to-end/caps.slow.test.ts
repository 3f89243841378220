import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { Config } from '../../src/core/config/config.js'
import { WorldFailure } from '../../src/core/errors/errors.js'
import type { Model, ModelReply, Price } from '../../src/core/ports/model.js'
import { contentHash } from '../../src/core/text/hash.js'
import { inSession } from '../../src/session/session.js'
import { type Dice, diceOf } from '../../src/simulated/random.js'
import type { Setup } from '../../src/trainer/loops/setup.js'
import { planTraining } from '../../src/trainer/loops/steps/step-plan.js'
import { train } from '../../src/trainer/loops/steps.js'
import { timeLimit } from '../support/time-limit.js'
import { inProcessModel, worldSetup } from '../world.js'
import { type CappedProject, cappedProject, expectStopAt } from './caps-support.js'
import { eventsOf, jsonOf, ofType, resultOf, temporaryFolder } from './support.js'

/** A cap is never exceeded, as counted by the server, whatever the calls do. */

// ── In process: many runs, with a model that bills random amounts within what a call may use ──

type Limits = Config['limits']

/** Counts the requests and what they would be billed, including replies that never arrive. */
class Meter {
  calls = 0
  tokens = 0
  cost = 0
  lastCallAt = 0
}

const price: Price = { input: 2, output: 10, cachedInput: 0.5 }
const failures = [
  new WorldFailure('rate-limit', 'slow down', { retryable: true }),
  new WorldFailure('server', 'broken', { retryable: true }),
  new WorldFailure('transport', 'cut', { retryable: true, mayHaveCost: true }),
  new WorldFailure('malformed', 'garbage', { retryable: true, mayHaveCost: true }),
] as const

function billedModel(name: 'target' | 'optimizer', meter: Meter, dice: Dice): Model {
  const plain = inProcessModel(name)
  const maxOutputTokens = name === 'target' ? 200 : 1500
  const faultsOf = new Map<string, number>()

  async function generate(...[request, signal]: Parameters<Model['generate']>): Promise<ModelReply> {
    const bytes = request.messages.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0)
    // Often the most expensive case: every byte is a token, and the output reaches the limit.
    const share = dice.chance(0.3) ? 1 : dice.next()
    const input = Math.ceil(bytes * share)
    const output = Math.ceil(maxOutputTokens * share)
    const cachedInput = dice.chance(0.5) ? Math.floor(input * dice.next()) : 0
    const asked = contentHash(JSON.stringify(request.messages))
    const faults = faultsOf.get(asked) ?? 0
    const failure = faults < 3 && dice.chance(0.12) ? dice.pick(failures) : undefined
    meter.calls += 1
    meter.lastCallAt = performance.now()
    if (failure === undefined || failure.mayHaveCost) {
      meter.tokens += input + output
      meter.cost +=
        ((input - cachedInput) * price.input + cachedInput * 0.5 + output * price.output) / 1_000_000
    }
    if (dice.chance(0.3)) await sleep(dice.integer(3))
    if (failure !== undefined) {
      faultsOf.set(asked, faults + 1)
      throw failure
    }
    const { text, stop } = await plain.generate(request, signal)
    const usage = dice.chance(0.08) ? {} : dice.chance(0.05) ? { input } : { input, output, cachedInput }
    return { text, stop, usage }
  }
  return { ...plain, maxOutputTokens, price, generate }
}

async function capped(template: Setup, directory: string, limits: Limits, meter: Meter, dice: Dice) {
  const setup: Setup = {
    ...template,
    config: { ...template.config, limits },
    models: {
      target: billedModel('target', meter, dice),
      optimizer: billedModel('optimizer', meter, dice),
    },
  }
  const { epochs, stepsPerEpoch } = planTraining(setup.config, setup.tasks.train)
  const identity = { kind: 'train', name: 'capped', sources: {}, epochs, stepsPerEpoch } as const
  return inSession(setup, { directory, identity }, run => train(run, setup))
}

const runs = 60
/** Upper bound of the rounding error in sums of fractions of a dollar. */
const rounding = 1e-9

describe(`${runs} runs with random caps, faults and bills`, () => {
  let template: Setup
  let folder: string
  let whole: Meter
  let uncapped: Awaited<ReturnType<typeof resultOf>>

  beforeAll(async () => {
    // A jitter of zero makes retries immediate, which is the hardest case for the caps.
    vi.spyOn(Math, 'random').mockReturnValue(0)
    folder = await temporaryFolder()
    template = await worldSetup({
      sizes: { train: 6, val: 6, test: 2 },
      worldSeed: 8,
      config: {
        train: { epochs: 2, batchSize: 6 },
        reflect: { minibatchSize: 2 },
        evaluation: { test: ['best'] },
      },
    })
    whole = new Meter()
    const result = await capped(template, join(folder, 'uncapped'), {}, whole, diceOf('uncapped'))
    expect(result.outcome).toBe('finished')
    uncapped = await resultOf(join(folder, 'uncapped'))
  })
  afterAll(() => {
    vi.restoreAllMocks()
  })

  /** At least one cap, at some share of what the whole run uses. */
  function randomLimits(dice: Dice, from: number): Limits {
    const share = () => from + dice.next()
    const caps = {
      maxCalls: Math.ceil(whole.calls * share()),
      maxTokens: Math.ceil(whole.tokens * share()),
      maxCost: whole.cost * share(),
    }
    const names = dice.shuffle(['maxCalls', 'maxTokens', 'maxCost'] as const)
    return Object.fromEntries(names.slice(0, 1 + dice.integer(3)).map(name => [name, caps[name]]))
  }

  /**
   * A cap may be lower than what an earlier session spent under another one; then nothing more may be spent.
   */
  function expectWithin(meter: Meter, limits: Limits, before: Meter): void {
    const most = (cap: number | undefined, spent: number) => Math.max(cap ?? Number.POSITIVE_INFINITY, spent)
    expect(meter.calls).toBeLessThanOrEqual(most(limits.maxCalls, before.calls))
    expect(meter.tokens).toBeLessThanOrEqual(most(limits.maxTokens, before.tokens))
    expect(meter.cost).toBeLessThanOrEqual(most(limits.maxCost, before.cost) + rounding)
  }

  async function expectBestKept(directory: string): Promise<boolean> {
    const evaluated = ofType(await eventsOf(directory), 'evaluation.finished').some(
      ({ body }) => body.split === 'val',
    )
    expect(existsSync(join(directory, 'best_skill.md'))).toBe(evaluated)
    return evaluated
  }

  it('never exceeds a cap, keeps the best skill, and resumes to the same result', async () => {
    const seen = { stops: 0, kept: 0 }
    const oneRun = async (number: number) => {
      const dice = diceOf('caps', number)
      const directory = join(folder, String(number))
      const meter = new Meter()
      for (const from of number % 4 === 0 ? [0, 0.5] : [0]) {
        const limits = randomLimits(dice, from)
        const before = { ...meter }
        const { outcome, error } = await capped(template, directory, limits, meter, dice)
        expectWithin(meter, limits, before)
        expect(['finished', 'cap']).toContain(outcome)
        if (outcome === 'finished') break
        seen.stops += 1
        expect(error).toMatchObject({ exitCode: 4, hint: expect.stringContaining('Raise --max-') })
        if (await expectBestKept(directory)) seen.kept += 1
      }
      expect(await capped(template, directory, {}, meter, dice)).toMatchObject({ outcome: 'finished' })
      expect(await resultOf(directory)).toEqual(uncapped)
    }
    // Several at a time, because runs mostly wait.
    const numbers = Array.from({ length: runs }, (_, number) => number).values()
    const lane = async () => {
      for (const number of numbers) await oneRun(number)
    }
    await Promise.all([lane(), lane(), lane(), lane()])
    expect(seen.stops).toBeGreaterThan(runs / 2)
    expect(seen.kept).toBeGreaterThan(runs / 4)
  })

  it('makes no further call when it is run again under a cap that is reached', async () => {
    const meter = new Meter()
    const limits = { maxCalls: 20 }
    const dice = diceOf('again')
    for (const calls of [20, 20]) {
      expect(await capped(template, join(folder, 'again'), limits, meter, dice)).toMatchObject({
        outcome: 'cap',
        view: { outcome: 'cap' },
      })
      expect(meter.calls).toBe(calls)
    }
  })

  it('starts no call after its time limit, nor in a second session', async () => {
    for (const seconds of [0.05, 0.1, 0.15]) {
      const meter = new Meter()
      const dice = diceOf('time', seconds)
      const directory = join(folder, `time-${seconds}`)
      const limits = { maxTime: seconds / 60 }
      const slow: Setup = { ...template, environment: { ...template.environment, open: slowly(template) } }
      const startedAt = performance.now()
      const { outcome, error } = await capped(slow, directory, limits, meter, dice)
      expect(outcome).toBe('cap')
      expect(error?.message).toMatch(/minutes is reached/)
      // Timers may be late on a busy machine, but by far less than this.
      expect(meter.lastCallAt - startedAt).toBeLessThan(1000 * seconds + timeLimit(400))
      const before = meter.calls
      expect(await capped(slow, directory, limits, meter, dice)).toMatchObject({ outcome: 'cap' })
      expect(meter.calls).toBe(before)
      expect(await capped(template, directory, {}, meter, dice)).toMatchObject({ outcome: 'finished' })
      expect(await resultOf(directory)).toEqual(uncapped)
    }
  })

  function slowly({ environment }: Setup): Setup['environment']['open'] {
    return async (task, context) => {
      await sleep(30)
      return environment.open(task, context)
    }
  }
})

// ── Through the command line ────────────────────────────────────────────────

describe('skillopt train', () => {
  let project: CappedProject
  beforeAll(async () => {
    project = await cappedProject()
  })

  it.each([
    ['--max-cost', 0.15],
    ['--max-tokens', 25_000],
  ] as const)(
    '%s stops with its own exit code below the cap, and goes on with a higher one',
    async (flag, cap) => {
      await expectStopAt(project, flag, cap)
    },
  )

  it('--max-time stops in time', async () => {
    const { cwd, server, train, uncapped } = project
    server.setLatency({ kind: 'fixed', milliseconds: 100 })
    const stopped = await train('timed', '--max-time', '0.4s')
    server.setLatency({ kind: 'none' })
    expect(stopped).toMatchObject({ code: 4, stderr: expect.stringMatching(/Raise --max-time/) })
    const { activeMs } = await jsonOf(join(cwd, 'timed'), 'summary.json')
    expect(activeMs).toBeLessThan(timeLimit(1500))
    expect(await train('timed')).toMatchObject({ code: 0 })
    expect(await resultOf(join(cwd, 'timed'))).toEqual(uncapped)
  })
})
