import { describe, expect, it } from 'vitest'
import type { LaunchOption, LaunchStarted } from '../../../../src/dashboard/contract/launch.js'
import { untilBegun } from './begin.js'
import { suggestedCap } from './cap.js'
import { typedCaps } from './caps.js'
import { changesFromParams, changesToParams, withChanged } from './changes.js'
import { factsOf } from './facts.js'
import { isAsInRun, versionOf } from './fork.js'
import { newKey } from './new-key.js'
import { matches, sectionsOf } from './sections.js'

const option = (path: string, more: Partial<LaunchOption> = {}): LaunchOption => ({
  path,
  description: '',
  kind: 'number',
  expected: 'a number',
  mayChange: false,
  ...more,
})

describe('changes in the address', () => {
  it('round-trip unchanged, whatever they contain', () => {
    const changes = { 'train.epochs': '2', 'reflect.preferences': 'a=b & c\nd', 'evaluation.test': '' }
    const query = new URLSearchParams(changesToParams(changes).map(text => ['set', text]))
    expect(changesFromParams(new URLSearchParams(query.toString()).getAll('set'))).toEqual(changes)
  })

  it('are ignored if malformed', () => {
    expect(changesFromParams(['', '=1', 'train.epochs', 'train.seed='])).toEqual({ 'train.seed': '' })
  })

  it('of one option replace or take back the one before', () => {
    expect(withChanged({ a: '1', b: '2' }, 'a', '3')).toEqual({ a: '3', b: '2' })
    expect(withChanged({ a: '1', b: '2' }, 'a', undefined)).toEqual({ b: '2' })
    expect(withChanged({}, 'a', undefined)).toEqual({})
  })
})

describe('a cap that is suggested', () => {
  const total = (cost: number | undefined, calls: number) => ({
    total: {
      calls: { low: 0, likely: 0, high: calls },
      tokens: { low: 0, likely: 0, high: 0 },
      cost: cost === undefined ? undefined : { low: 0, likely: 0, high: cost },
    },
  })
  const none = () => false

  it.each([
    [0.004, '0.01'],
    [0.123, '0.13'],
    [1, '1'],
    [7.21, '7.3'],
    [99.1, '100'],
    [1234, '1300'],
  ])('is no less than a forecast of $%d: %s', (cost, value) => {
    expect(suggestedCap(total(cost, 10), none)).toMatchObject({ path: 'limits.maxCost', value })
    expect(Number(value)).toBeGreaterThanOrEqual(cost)
  })

  it('is in calls where the cost is not known', () => {
    expect(suggestedCap(total(undefined, 1694), none)).toMatchObject({
      path: 'limits.maxCalls',
      value: '1700',
    })
  })

  it.each(['limits.maxCost', 'limits.maxCalls'])('is not there if %s is set', path => {
    expect(suggestedCap(total(3, 10), set => set === path)).toBeUndefined()
    expect(suggestedCap(total(3, 10), set => set === 'limits.maxTime')).toBeDefined()
  })
})

describe('caps that are typed', () => {
  it('are numbers above nothing, whole where they are counted', () => {
    expect(typedCaps({ maxCost: ' 1.5 ', maxCalls: '200', maxTokens: '', maxTime: '0.5' })).toEqual({
      limits: { maxCost: 1.5, maxCalls: 200, maxTime: 0.5 },
      problems: {},
    })
  })

  it.each(['0', '-1', 'much', 'NaN', 'Infinity', '1 000', '1,5'])('are not %j', text => {
    const { limits, problems } = typedCaps({ maxCost: text })
    expect(limits).toEqual({})
    expect(problems.maxCost).toMatch(/number above 0/)
  })

  it('are not a part of a call', () => {
    expect(typedCaps({ maxCalls: '2.5' })).toMatchObject({
      limits: {},
      problems: { maxCalls: expect.stringMatching(/whole/) },
    })
  })
})

describe('options', () => {
  it('are found by all words, in name and documentation', () => {
    const epochs = option('train.epochs', { description: 'Passes over the Train tasks.' })
    expect(matches(epochs, '')).toBe(true)
    expect(matches(epochs, ' EPOCHS  passes ')).toBe(true)
    expect(matches(epochs, 'epochs gate')).toBe(false)
  })

  it('are together by section, models and single ones last', () => {
    const paths = [
      'models.target.effort',
      'skill',
      'train.epochs',
      'train.seed',
      'models.judge.effort',
      'cache',
    ]
    expect(sectionsOf(paths.map(path => option(path))).map(([name, inner]) => [name, inner.length])).toEqual([
      ['train', 2],
      ['models.target', 1],
      ['project', 2],
      ['models.judge', 1],
    ])
  })

  it('say where their value is from', () => {
    const epochs = option('train.epochs', { byDefault: '4' })
    const now = (source: string) => ({ 'train.epochs': { value: '2', source } })
    expect(factsOf(epochs, {}, undefined)).toBe('not set · default 4 · a number')
    expect(factsOf(epochs, {}, now('default'))).toBe('the default · a number')
    expect(factsOf(epochs, {}, now('file skillopt.yaml:3'))).toMatch(/^from skillopt.yaml:3 · default 4/)
    expect(factsOf(epochs, {}, now('preset paper'))).toMatch(/^from preset paper/)
    expect(factsOf(epochs, {}, now('flag --set train.epochs'))).toMatch(/^as in the run/)
    expect(factsOf(epochs, { 'train.epochs': '2' }, now('flag --set train.epochs'))).toMatch(/^changed here/)
    expect(factsOf(option('skill', { locked: 'It names files.' }), {}, undefined)).toMatch(
      /file only: it names files\.$/,
    )
  })
})

describe('a fork', () => {
  const versions = [
    { version: 0, best: false },
    { version: 3, best: true },
    { version: 5, best: false },
  ]

  it('starts from the version of the address, or from the best', () => {
    expect(versionOf({ versions }, '5')).toBe(5)
    expect(versionOf({ versions }, '0')).toBe(0)
    for (const asked of [null, '', '4', 'abc', '-1']) expect(versionOf({ versions }, asked)).toBe(3)
    expect(versionOf({ versions: versions.filter(({ best }) => !best) }, null)).toBe(5)
    expect(versionOf({ versions: [] }, '1')).toBe(0)
  })

  it('has the settings of its run as long as nobody changes one', () => {
    const form = { project: 'p', changes: { a: '1', b: '2' } }
    expect(isAsInRun(form, 'p', { b: '2', a: '1' })).toBe(true)
    expect(isAsInRun(form, 'q', { b: '2', a: '1' })).toBe(false)
    const others: Record<string, string>[] = [
      {},
      { a: '1' },
      { a: '1', b: '3' },
      { a: '1', c: '2' },
      { a: '1', b: '2', c: '3' },
    ]
    for (const changes of others) expect(isAsInRun(form, 'p', changes)).toBe(false)
  })
})

describe('a start', () => {
  it('repeats the same request until the training has begun', async () => {
    const sent: unknown[] = []
    const answers: LaunchStarted[] = [
      { directory: 'runs/a', begun: false },
      { directory: 'runs/a', begun: true, run: 'a' },
    ]
    const post = async (path: string, body: unknown) => {
      sent.push([path, body])
      return answers.shift() ?? { directory: 'none', begun: true }
    }
    const wish = { project: 'p', changes: {}, key: newKey() }
    expect(await untilBegun('/api/launch/start', wish, post)).toMatchObject({ run: 'a' })
    expect(sent).toEqual(Array(2).fill(['/api/launch/start', wish]))
  })

  it('ends with the refusal', async () => {
    const post = () => Promise.reject(new Error('no'))
    await expect(untilBegun('/x', { project: 'p', changes: {}, key: 'k' }, post)).rejects.toThrow('no')
  })

  it('has a key of its own, as the server wants it', () => {
    expect(newKey()).toMatch(/^[0-9a-f]{32}$/)
    expect(newKey()).not.toBe(newKey())
  })
})
