import { expect, it } from 'vitest'
import { configSchema } from './config.js'
import { differences, lastingSettings } from './difference.js'

const parse = (more: Record<string, unknown> = {}) =>
  configSchema.parse({
    environment: { path: 'a.jsonl' },
    models: { target: 'a/b', optimizer: 'a/c' },
    ...more,
  })
const fingerprints = { skill: '1', train: '2' }
const between = (before: unknown, after: unknown, now: Record<string, string> = fingerprints) =>
  differences({ config: before, fingerprints }, { config: after, fingerprints: now })

it('finds what changed in config and content, and names both values', () => {
  const after = parse({ train: { batchSize: 9 }, environment: { path: 'a.jsonl', ratio: '1:1:1' } })
  expect(between(parse(), after, { skill: '1', train: '3' })).toEqual([
    { path: 'content of train', was: '2', now: '3' },
    { path: 'environment.ratio', was: undefined, now: '1:1:1' },
    { path: 'train.batchSize', was: 40, now: 9 },
  ])
})

it('leaves out what does not affect results, at any depth', () => {
  const models = {
    target: { model: 'a/b', timeout: 5, concurrency: 1, price: { input: 1, output: 2 } },
    optimizer: 'a/c',
  }
  expect(between(parse(), parse({ models, limits: { maxCost: 1 }, $schema: './x.json' }))).toEqual([])
})

it('treats the long and the short form of a model as equal, unless options differ', () => {
  const long = (more: Record<string, unknown>) =>
    parse({ models: { target: { model: 'a/b', ...more }, optimizer: 'a/c' } })
  expect(between(parse(), long({}))).toEqual([])
  expect(between(parse(), long({ temperature: 0 }))).toEqual([
    { path: 'models.target.temperature', was: undefined, now: 0 },
  ])
  expect(
    between(parse(), parse({ models: { target: 'a/b', optimizer: 'a/c', judge: 'a/d' } })).map(
      one => one.path,
    ),
  ).toContain('models.judge.model')
})

it('ignores options added in a later version, and a round trip through JSON', () => {
  const { reflect: _gone, ...older } = parse()
  expect(between(JSON.parse(JSON.stringify(older)), parse())).toEqual([])
})

it('treats configs as one experiment if only caps differ, and as two if a setting differs', () => {
  expect(lastingSettings(parse({ limits: { maxCalls: 9 } }))).toEqual(lastingSettings(parse()))
  expect(lastingSettings(parse({ train: { epochs: 9 } }))).not.toEqual(lastingSettings(parse()))
})
