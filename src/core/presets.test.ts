import { expect, it } from 'vitest'
import { dotted, leafPaths } from '../project/tree.js'
import { configSchema } from './config.js'
import { presetNames, presets } from './presets.js'

const least = { environment: {}, models: { target: 'a/b', optimizer: 'a/c' } }
const parsed = (preset: object) => configSchema.parse({ ...least, ...preset })

it.each(presetNames)('%s is a valid config', name => {
  expect(parsed(presets[name])).toMatchObject(presets[name])
})

it('default sets nothing', () => {
  expect(presets.default).toEqual({})
})

/** What a protocol need not say: the seed, options that are off or of another gate, and what is only reported. */
const leftOpen = [
  'train.seed',
  'reflect.skillAware.successes',
  'reflect.skillAware.notes',
  'optimizer.effort',
  'evaluation.falseAccepts',
  'evaluation.smallestGain',
  'evaluation.mixedWeight',
  'evaluation.testSize',
  'evaluation.test',
]

it('paper says a word on every option that decides how a skill is trained', () => {
  const { train, reflect, optimizer, evaluation } = parsed({})
  const all = leafPaths({ train, reflect, optimizer, evaluation }).map(dotted)
  const said = new Set([...leafPaths(presets.paper).map(dotted), ...leftOpen])
  expect(all.filter(path => !said.has(path))).toEqual([])
})

it('reference differs from paper in the slow update and in the tests at the end', () => {
  const [paper, reference] = [parsed(presets.paper), parsed(presets.reference)]
  expect(reference.optimizer.slowUpdate).toEqual({ ...paper.optimizer.slowUpdate, accept: 'force' })
  expect(reference.evaluation).toEqual({ ...paper.evaluation, test: ['initial', 'best', 'last'] })
  expect({ ...reference, optimizer: 0, evaluation: 0 }).toEqual({ ...paper, optimizer: 0, evaluation: 0 })
})
