import { describe, expect, it } from 'vitest'
import { fakeRun, userText } from '../../../test/fake-run.js'
import { miningCluster, sessionRequest } from '../../../test/support/mining-cluster.js'
import { worldSetup } from '../../../test/world.js'
import type { Model } from '../../core/ports/model.js'
import { loadPrompts } from '../../trainer/stages/prompts.js'
import { forecastMining, mineTasks } from './mine-all.js'

const prompts = await loadPrompts()
const clusters = ['notes', 'tests', 'nothing', 'broken'].map(key =>
  miningCluster(key, [sessionRequest(`Do the ${key}.`)]),
)
const options = { prompts, lanes: 2, checkProblem: () => undefined }

const optimizer = () =>
  fakeRun(effect => {
    const text = userText(effect)
    if (text.includes('the broken')) return { text: 'no' }
    if (text.includes('the nothing')) return { text: '{"skip": "There is nothing to do."}' }
    return { text: JSON.stringify({ intent: /Do the \w+/.exec(text)?.[0], rubric: ['It is done.'] }) }
  })

describe('mineTasks', () => {
  it('reports each result in order, and the total', async () => {
    const run = optimizer()
    expect(await mineTasks(run, clusters, options)).toMatchObject([
      { status: 'written', cluster: 'notes', intent: 'Do the notes' },
      { status: 'written', cluster: 'tests', intent: 'Do the tests' },
      { status: 'skipped', cluster: 'nothing', reason: 'There is nothing to do.' },
      { status: 'failed', cluster: 'broken', problem: 'it holds no JSON object' },
    ])
    expect(run.emitted.map(({ type, body }) => [type, body])).toEqual([
      ['stage.started', { stage: 'mine', epoch: 0, step: 0, total: 4 }],
      ['optimizer.failed', expect.anything()],
      ['mining.finished', { written: 2, skipped: 1, failed: 1 }],
    ])
  })

  it('makes no call twice, not even a failed one', async () => {
    const run = optimizer()
    const first = await mineTasks(run, clusters, options)
    const asked = run.effects.length
    expect(await mineTasks(run, clusters.toReversed(), options)).toEqual(first.toReversed())
    expect(run.effects).toHaveLength(asked)
  })

  it('does nothing without clusters', async () => {
    const run = optimizer()
    expect(await mineTasks(run, [], options)).toEqual([])
    expect(run.emitted.at(-1)).toMatchObject({ body: { written: 0, skipped: 0, failed: 0 } })
  })
})

describe('forecastMining', () => {
  const priced = async (change: Partial<Model> = {}) => {
    const { models } = await worldSetup()
    const price = { input: 1, output: 10 }
    return { prompts, models: { ...models, optimizer: { ...models.optimizer, price, ...change } } }
  }

  it('forecasts one to two calls per cluster, at most with replies of maximum length', async () => {
    const { rows, total, guessesLengths } = await forecastMining(await priced(), clusters)
    expect(rows).toMatchObject([
      { stage: 'mine', role: 'optimizer', calls: { low: 4, likely: 4, high: 8 }, cost: total.cost },
    ])
    const shown = total.tokens.likely / 4 - 700
    // The prompt has about 800 tokens, and these clusters are short.
    expect(shown).toBeGreaterThan(500)
    expect(shown).toBeLessThan(1500)
    expect(total.tokens.high).toBe(8 * (Math.round(shown) + 2 * 4096))
    expect(total.cost?.high).toBeCloseTo((8 * (shown + 4096 + 10 * 4096)) / 1e6, 4)
    expect(guessesLengths).toBe(true)
  })

  it('grows with the prompt and has no cost without a price', async () => {
    const long = miningCluster('long', [
      sessionRequest('word '.repeat(150)),
      ...(clusters[0]?.requests ?? []),
    ])
    const setup = await priced({ price: undefined })
    const [one, other] = [
      await forecastMining(setup, [long]),
      await forecastMining(setup, clusters.slice(0, 1)),
    ]
    expect(one.total.tokens.likely).toBeGreaterThan(other.total.tokens.likely + 100)
    expect(one.total.cost).toBeUndefined()
  })

  it("accounts for an agent's own prompt", async () => {
    const agent = { title: 'Agent', version: '1', ownTokens: 60_000, isBounded: true, warnings: [] }
    const withAgent = await forecastMining(await priced({ agent }), clusters)
    const without = await forecastMining(await priced(), clusters)
    expect(withAgent.total.tokens.likely).toBe(without.total.tokens.likely + 4 * 10_000)
  })

  it('is zero without clusters', async () => {
    const { rows, total } = await forecastMining(await priced(), [])
    expect([rows, total.calls.high, total.tokens.high, total.cost?.high]).toEqual([[], 0, 0, 0])
  })
})
