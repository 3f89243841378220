import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { configSchema } from '../core/config/config.js'
import { checkAgentSkill } from '../core/skill/agent-skill.js'
import { listProviders, priceOf } from '../models/index.js'
import { options } from '../tasks/own/index.js'
import { chooseScorer } from '../tasks/scoring/index.js'
import { starterSkill } from './init-skill.js'
import { completeModels, offerModels, suggestedModels } from './models.js'
import { configText, starterTasks } from './starter.js'

describe('configText', () => {
  const text = (given: Partial<Parameters<typeof configText>[0]>) =>
    configText({
      schema: 'x.json',
      skill: 'SKILL.md',
      place: { path: 'tasks.jsonl', ratio: '2:1:1' },
      scorer: { scorer: 'exact', reason: 'it\nfits: "well"' },
      trainTasks: 30,
      models: completeModels({}, []),
      ...given,
    })

  it('is a valid config that starts with the schema line for editors', () => {
    expect(text({}).split('\n')[0]).toBe('# yaml-language-server: $schema=x.json')
    const config = configSchema.parse(parse(text({})))
    expect(config.environment).toEqual({ use: 'tasks', path: 'tasks.jsonl', ratio: '2:1:1', scorer: 'exact' })
    expect(config.train).toMatchObject({ loop: 'trials', epochs: 14 })
    expect(config.models).toEqual({ target: 'simulated/target', optimizer: 'simulated/optimizer' })
    expect(text({})).toContain('# Simulated models')
  })

  it('names a judge where one is needed, and quotes what YAML would misread', () => {
    const place = { train: 'a: b.jsonl', val: '#v.jsonl', test: 't.jsonl' }
    const scorer = { scorer: { name: 'rubric', rubric: 'It says: yes, #1' }, reason: 'r' }
    const models = completeModels({ target: 'openai/x' }, [])
    const config = configSchema.parse(parse(text({ place, scorer, models, trainTasks: 1000 })))
    expect(config.environment).toEqual({ use: 'tasks', ...place, scorer: scorer.scorer })
    expect(options.safeParse({ ...place, scorer: scorer.scorer }).success).toBe(true)
    expect(config.models.judge).toBe('openai/gpt-5-mini')
    expect(config.train.epochs).toBe(3)
  })
})

describe('starters', () => {
  it.each(['my-skill', 'My Skill!', '日本', '.'])('make a valid Agent Skill for the folder %s', folder => {
    expect(checkAgentSkill(starterSkill(`/x/${folder}`, 'Does this: and "that" # well.'))).toEqual([])
  })

  it('have tasks that their scorer takes', () => {
    const scorer = chooseScorer('exact')
    for (const task of starterTasks) expect(scorer.problem(task)).toBeUndefined()
    expect(new Set(starterTasks.map(({ id }) => id)).size).toBe(starterTasks.length)
  })
})

describe('models', () => {
  it('are of providers that there are, and the judge is never the optimizer', async () => {
    const ids = (await listProviders()).map(({ id }) => id)
    for (const [id, { target, optimizer, judge }] of Object.entries(suggestedModels)) {
      expect(ids).toContain(id)
      expect(judge).not.toBe(optimizer)
      if (['openai', 'anthropic', 'google', 'deepseek', 'minimax'].includes(id))
        for (const model of [target, optimizer, judge]) expect(priceOf(model), model).toBeDefined()
    }
  })

  it('are offered by the keys that are set', async () => {
    const providers = await listProviders()
    expect(offerModels(providers, { OPENAI_API_KEY: '' })).toEqual([])
    const [first, second] = offerModels(providers, { GEMINI_API_KEY: 'k', OPENAI_API_KEY: 'k' })
    expect(first).toMatchObject({ target: 'openai/gpt-5-nano', because: 'OPENAI_API_KEY is set' })
    expect(second).toMatchObject({ target: 'google/gemini-2.5-flash', because: 'GEMINI_API_KEY is set' })
  })

  it('are completed from what was named', () => {
    const offers = [{ target: 'a/t', optimizer: 'a/o', judge: 'a/j', because: '' }]
    expect(completeModels({}, offers)).toEqual({ target: 'a/t', optimizer: 'a/o', judge: 'a/j' })
    expect(completeModels({}, [])).toMatchObject({ target: 'simulated/target', judge: 'simulated/judge' })
    expect(completeModels({ target: 'anthropic/x' }, offers)).toMatchObject({
      target: 'anthropic/x',
      optimizer: 'anthropic/claude-sonnet-5',
    })
    expect(completeModels({ target: 'ollama/x' }, [])).toEqual({
      target: 'ollama/x',
      optimizer: 'ollama/x',
      judge: 'ollama/x',
    })
    expect(completeModels({ target: 'ollama/x' }, offers)).toMatchObject({
      target: 'ollama/x',
      optimizer: 'a/o',
    })
    expect(completeModels({ optimizer: 'ollama/x' }, offers)).toMatchObject({
      target: 'a/t',
      optimizer: 'ollama/x',
    })
    expect(completeModels({ target: 'x/1', optimizer: 'y/2' }, [])).toMatchObject({
      target: 'x/1',
      optimizer: 'y/2',
    })
  })
})
