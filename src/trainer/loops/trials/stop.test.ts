import { describe, expect, it } from 'vitest'
import { inProcessModel, worldRun, worldSetup } from '../../../../test/world.js'
import type { Price } from '../../../core/ports/model.js'
import { seedDocument } from '../../../core/skill/document.js'
import { emptyPool } from './pool.js'
import { expectedGain, stopReason } from './stop.js'
import { prepareTrials } from './training.js'
import { initialTrialState } from './trial-state.js'
import type { Trial, TrialEdit } from './types.js'

const onTrial: TrialEdit = {
  edit: { op: 'append', content: '- A rule.', id: 'e1', why: '', support: 1, from: 'failure', tasks: [] },
  slot: 'a cause',
  concerned: new Set(['a', 'b']),
  status: 'pending',
  since: 1,
}

const certain = { helps: 1, harms: 0, ratio: 9, harmsElsewhere: 0 }
const measured = (mean: number) => ({
  edit: 'e1',
  effect: { mean, sd: 0.1 },
  elsewhere: { mean: 0, sd: 0.1 },
  origin: { mean: 0, sd: 0.1 },
  trials: 9,
  tasks: 4,
})

const poolOf = (edit: TrialEdit, mean: number) => ({
  ...emptyPool,
  edits: [edit],
  estimates: new Map([['e1', measured(mean)]]),
  beliefs: new Map([['e1', certain]]),
})

describe('the expected gain', () => {
  it('averages an accepted edit over all tasks, and counts it only in the window of its acceptance', () => {
    const accepted: TrialEdit = { ...onTrial, status: 'accepted', decided: 5 }
    expect(expectedGain(poolOf(accepted, 0.6), { since: 4, tasks: 10 })).toBeCloseTo(0.12)
    expect(expectedGain(poolOf(accepted, 0.6), { since: 5, tasks: 10 })).toBe(0)
  })

  it('counts the most promising remedy of each cause on trial, and none that harms', () => {
    const other: TrialEdit = { ...onTrial, edit: { ...onTrial.edit, id: 'e2' } }
    const both = {
      ...emptyPool,
      edits: [onTrial, other],
      estimates: new Map([
        ['e1', measured(0.2)],
        ['e2', { ...measured(0.5), edit: 'e2' }],
      ]),
      beliefs: new Map([
        ['e1', certain],
        ['e2', certain],
      ]),
    }
    expect(expectedGain(both, { since: 0, tasks: 10 })).toBeCloseTo(0.1)
    expect(expectedGain(poolOf(onTrial, -0.5), { since: 0, tasks: 10 })).toBe(0)
  })
})

/**
 * A training of 20 tasks in rounds of 20, so that five epochs make 100 attempts, with an edit of this
 * effect.
 */
async function endAfter(
  rounds: readonly number[],
  {
    effect,
    price = { input: 0, output: 0 },
    spent = 0,
  }: { readonly effect: number; readonly price?: Price | undefined; readonly spent?: number },
) {
  const model = (name: 'target' | 'optimizer') => ({ ...inProcessModel(name), price })
  const setup = await worldSetup({
    sizes: { train: 20, val: 4, test: 4 },
    config: {
      train: { loop: 'trials', epochs: 20 },
      trials: { round: 20, leastGain: 0.025, leastGainPerDollar: 0.01 },
    },
    models: { target: model('target'), optimizer: model('optimizer') },
  })
  const { run: plain, store } = worldRun(setup)
  let cost = 0
  const run = { ...plain, spent: () => cost }
  const training = await prepareTrials(run, setup, seedDocument(setup.skill))
  const state = initialTrialState(training.seed)
  const trials: Trial[] = []
  let reason: string | undefined
  for (const round of rounds) {
    cost += spent
    trials.push(...training.taskIds.map(task => ({ round, task, score: 1, edits: [] })))
    const concerned = new Set(training.taskIds)
    const pool = poolOf({ ...onTrial, concerned }, effect)
    reason = await stopReason(training, { ...state, pool, trials }, round)
    if (reason !== undefined) break
  }
  return { reason, store, training }
}

const tenEpochs = Array.from({ length: 10 }, (_, index) => index + 1)

describe('training that gains too little', () => {
  it('stops by the gain per 100 attempts if models are free, and reports the figures', async () => {
    const { reason } = await endAfter(tenEpochs, { effect: 0.02 })
    expect(reason).toBe('the last 100 attempts gained 2.0 points: 2.0 per 100 attempts, less than 2.5')
  })

  it('stops by the gain per dollar if every model has a price, and reports the figures', async () => {
    const { reason } = await endAfter(tenEpochs, {
      effect: 0.02,
      price: { input: 1, output: 1 },
      spent: 0.8,
    })
    expect(reason).toBe('the last 100 attempts gained 2.0 points for $4.00: 0.5 per dollar, less than 1')
  })

  it('continues if the same gain is cheap', async () => {
    const { reason } = await endAfter(tenEpochs, {
      effect: 0.02,
      price: { input: 1, output: 1 },
      spent: 0.1,
    })
    expect(reason).toBeUndefined()
  })

  it('counts attempts if a price is unknown', async () => {
    const { reason } = await endAfter(tenEpochs, { effect: 0.02, price: undefined, spent: 9 })
    expect(reason).toMatch(/per 100 attempts/)
  })

  it('continues until edits had 100 attempts to be tried and 100 to be measured', async () => {
    expect((await endAfter(tenEpochs.slice(0, 9), { effect: 0 })).reason).toBeUndefined()
  })

  it('continues while edits on trial have enough expected gain', async () => {
    expect((await endAfter(tenEpochs, { effect: 0.03 })).reason).toBeUndefined()
  })
})
