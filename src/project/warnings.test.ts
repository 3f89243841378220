import { expect, it } from 'vitest'
import { worldEnvironment } from '../../test/world.js'
import { configSchema } from '../core/config/config.js'
import type { Model } from '../core/ports/model.js'
import { projectWarnings } from './warnings.js'

const environment = { ...worldEnvironment({}), warnings: ['of the environment'] }
const config = configSchema.parse({ environment: {}, models: { target: 'a/b', optimizer: 'a/c' } })
const model: Model = {
  id: 'a/b',
  parameters: {},
  maxOutputTokens: 1,
  price: undefined,
  generate: () => Promise.reject(new Error('nobody asks')),
}
const models = { target: model, optimizer: model }
const warningsOf = (skill: string) =>
  projectWarnings({ warnings: ['of the config'] }, { skill, environment, config, models })

it('includes warnings of the config and the environment', () => {
  expect(warningsOf('---\nname: a\ndescription: b\n---\nText.\n')).toEqual([
    'of the config',
    'of the environment',
  ])
})

it('adds what would keep agents from reading the skill', () => {
  expect(warningsOf('---\nname: A\n---\nText.\n')).toEqual([
    'of the config',
    'agents would not read this skill: the name "A" holds something else than lowercase letters, digits and hyphens',
    'agents would not read this skill: the frontmatter has no description',
    'of the environment',
  ])
})

it('has nothing against a skill without frontmatter', () => {
  expect(warningsOf('Text.\n')).toHaveLength(2)
})

it('warns about reward weights without effect', () => {
  const warnings = (evaluation: object) =>
    projectWarnings(
      { warnings: [] },
      {
        skill: 'Text.\n',
        environment: worldEnvironment({}),
        models,
        config: { ...config, evaluation: { ...config.evaluation, ...evaluation } },
      },
    )
  const reward = { ...config.evaluation.reward, tokens: 0.5 }
  expect(warnings({ reward })).toEqual([
    'evaluation.reward has no effect: evaluation.metric is hard, not reward.',
  ])
  expect(warnings({ reward, metric: 'reward' })).toEqual([])
  expect(warnings({ metric: 'soft' })).toEqual([])
})

it('shows each agent warning once', () => {
  const agent = { title: 'Codex', version: '9.9.9', ownTokens: 0, isBounded: false, warnings: ['not tried'] }
  const both = { target: { ...model, agent }, optimizer: { ...model, agent } }
  const given = { skill: 'Text.\n', environment: worldEnvironment({}), config, models: both }
  expect(projectWarnings({ warnings: [] }, given)).toEqual(['not tried'])
})
