import { describe, expect, it } from 'vitest'
import { inProcessModel, worldRun, worldSetup } from '../../../test/world.js'
import { type EventBody, parseEvent, type RunEvent } from '../../core/log/event.js'
import type { Model } from '../../core/ports/model.js'
import { createView, foldEvent } from '../../core/view/fold.js'
import { worthSentence } from '../../core/view/test-results.js'
import { createMemoryStore } from '../../store/memory.js'
import { forecastBaseline } from '../forecast/forecast.js'
import { compareBaselines } from './one-shot-baseline.js'

const sizes = { train: 20, val: 10, test: 20 }
const trained = {
  text: '# Desk\n\n- Use a volumetric divisor of 4000.\n- Put the final answer between <answer> and </answer>.\n',
  from: 'world-001@v4',
}

/** The optimizer with its requests recorded, or with a fixed reply. */
function watchedOptimizer(reply?: string) {
  const seen: string[] = []
  const model = inProcessModel('optimizer')
  const watched: Model = {
    ...model,
    async generate(request, signal) {
      seen.push(request.messages.map(({ text }) => JSON.stringify(text)).join('\n'))
      const real = await model.generate(request, signal)
      return reply === undefined ? real : { ...real, text: reply }
    },
  }
  return { seen, watched }
}

describe('comparing baselines', () => {
  it('scores all four on the same tasks and pairs them', async () => {
    const setup = await worldSetup({ sizes })
    const { run, events } = worldRun(setup)
    const { tests, oneShot, comparison } = await compareBaselines(run, setup, trained)
    expect(tests.map(({ which, scored }) => `${which} ${scored}`)).toEqual([
      'none 20',
      'one-shot 20',
      'initial 20',
      'trained 20',
    ])
    expect(await run.get(oneShot.text ?? '')).toMatch(/^# How to answer\n/)
    const pairs = comparison.pairs.map(({ which, against }) => `${which} ${against}`)
    expect(pairs).toEqual([
      'one-shot none',
      'initial none',
      'initial one-shot',
      'trained none',
      'trained one-shot',
      'trained initial',
    ])
    const score = (which: string) => tests.find(test => test.which === which)?.score ?? Number.NaN
    for (const { which, against, tasks, better, worse, difference } of comparison.pairs) {
      expect(tasks).toBe(20)
      expect(difference.mean).toBeCloseTo(score(which) - score(against))
      expect(difference.mean).toBeCloseTo((better - worse) / tasks)
      expect(difference.low).toBeLessThan(difference.mean)
    }
    for (const event of events) parseEvent(JSON.parse(JSON.stringify(event)))
    const view = events.reduce(foldEvent, { ...createView(), kind: 'baseline' })
    expect(view.outcome).toBe('finished')
    expect(view.tests).toHaveLength(4)
  })

  it("shows the optimizer only train tasks, with the scorer's feedback", async () => {
    const { seen, watched } = watchedOptimizer()
    const setup = await worldSetup({
      sizes,
      config: { optimizer: { tokenLimit: 777 } },
      models: { optimizer: watched },
    })
    await compareBaselines(worldRun(setup).run, setup, undefined)
    const asked = seen.join('\n')
    const questions = (split: 'train' | 'val' | 'test') =>
      (setup.tasks[split] as unknown as { question: string }[]).filter(({ question }) =>
        asked.includes(JSON.stringify(question).slice(1, -1)),
      ).length
    expect(questions('train')).toBe(8)
    expect([questions('val'), questions('test')]).toEqual([0, 0])
    expect(asked).toMatch(/Expected \\"/)
    expect(asked).toContain('Put the final answer into <answer></answer>.')
    expect(asked).toContain('<token_limit>\\n777')
    expect(asked).not.toContain(JSON.stringify(setup.skill).slice(1, 60))
  })

  it('resumes after a kill at any event, with the same result and no repeated calls', async () => {
    const setup = await worldSetup({ sizes: { train: 6, val: 4, test: 4 } })
    const whole = createMemoryStore()
    const { run, events } = worldRun(setup, whole)
    const expected = await compareBaselines(run, setup, trained)
    for (const limit of [3, Math.floor(events.length / 2), events.length - 1]) {
      const store = createMemoryStore()
      const dying = {
        ...store,
        get length() {
          return store.length
        },
        async append(event: RunEvent) {
          if (store.length >= limit) throw new Error('killed')
          await store.append(event)
        },
      }
      await expect(compareBaselines(worldRun(setup, dying).run, setup, trained)).rejects.toThrow('killed')
      const second = worldRun(setup, store)
      const result = await compareBaselines(second.run, setup, trained)
      expect(result.comparison).toEqual(expected.comparison)
      expect(result.oneShot).toEqual(expected.oneShot)
    }
    const again = worldRun(setup, whole)
    await compareBaselines(again.run, setup, trained)
    expect(again.events).toEqual([])
  })

  it('adds another trained skill to the same log and pays only for that one', async () => {
    const setup = await worldSetup({ sizes })
    const store = createMemoryStore()
    await compareBaselines(worldRun(setup, store).run, setup, undefined)
    const second = worldRun(setup, store)
    const { comparison } = await compareBaselines(second.run, setup, trained)
    expect(second.events.filter(({ type }) => type === 'call.finished')).toHaveLength(20)
    expect(comparison.trained).toBe('world-001@v4')
  })

  it('reports an unusable reply instead of using it as a skill', async () => {
    const { watched } = watchedOptimizer('I would rather not.')
    const setup = await worldSetup({ sizes, models: { optimizer: watched } })
    const { run, events } = worldRun(setup)
    const { tests, oneShot, comparison } = await compareBaselines(run, setup, trained)
    expect(oneShot).toEqual({ summary: 'it holds no JSON object' })
    expect(tests.map(({ which }) => which)).toEqual(['none', 'initial', 'trained'])
    expect(worthSentence(comparison.pairs)).toContain('There is no one-shot skill to compare with.')
    expect(events.filter(({ type }) => type === 'optimizer.failed')).toHaveLength(1)
  })

  it('treats an empty skill as an unusable reply', async () => {
    const { watched } = watchedOptimizer('{"new_skill": "  "}')
    const setup = await worldSetup({ sizes, models: { optimizer: watched } })
    const { oneShot } = await compareBaselines(worldRun(setup).run, setup, undefined)
    expect(oneShot.text).toBeUndefined()
  })
})

it('forecasts the remaining work', async () => {
  const setup = await worldSetup({ sizes })
  const all = await forecastBaseline(setup, { examples: 8, untested: 4 })
  expect(all.rows.map(({ stage, role, calls }) => [stage, role, calls.high])).toEqual([
    ['examples', 'target', 8],
    ['one-shot skill', 'optimizer', 2],
    ['test', 'target', 80],
  ])
  const rest = await forecastBaseline(setup, { examples: undefined, untested: 1 })
  expect(rest.total.calls).toEqual({ low: 20, likely: 20, high: 20 })
})

describe('the sentence', () => {
  type Pair = EventBody<'comparison.finished'>['pairs'][number]
  const pair = (low: number, mean: number, high: number, tasks = 40): Pair[] => [
    { which: 'trained', against: 'one-shot', tasks, better: 0, worse: 0, difference: { low, mean, high } },
  ]

  it.each([
    [pair(0.041, 0.125, 0.209), /^Better than the one-shot skill: \+13 points on 40 unseen test tasks/],
    [pair(-0.209, -0.125, -0.041), /^Worse than the one-shot skill: −12 points on 40 unseen test tasks/],
    [pair(-0.05, 0.025, 0.1), /^Cannot tell whether the trained skill is better than the one-shot skill/],
    [pair(0, 0.05, 0.1), /^Cannot tell/],
    [pair(-1, 0, 1, 0), 'No task was scored for both the trained skill and the one-shot skill.'],
    [[], /There is no trained skill to compare with\. Train/],
  ])('is plain: %#', (pairs, sentence) => {
    if (typeof sentence === 'string') expect(worthSentence(pairs)).toBe(sentence)
    else expect(worthSentence(pairs)).toMatch(sentence)
  })
})
