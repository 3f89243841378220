import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type LaunchWorld, makeLaunchWorld } from '../../../../test/support/launch-world.js'
import { configSchema } from '../../../core/config/config.js'
import { presetNames } from '../../../core/config/presets.js'
import type { LaunchChanges, LaunchCheckRequest } from '../../contract/launch.js'

/** Checks and errors before a start. No test here starts a process. */

let world: LaunchWorld
let free = ''
let paid = ''
beforeAll(async () => {
  world = await makeLaunchWorld()
  free = await world.idOf('free')
  paid = await world.idOf('paid')
})
afterAll(() => world.end())

const wanted = (changes: LaunchChanges = {}, project = free): LaunchCheckRequest => ({ project, changes })

describe('projects', () => {
  it('are those in and below the folder, with ids that reveal no path, and the bundled example', async () => {
    const { projects, isCut } = await world.trainings.projects()
    expect(isCut).toBe(false)
    expect(projects).toEqual([
      { id: expect.stringMatching(/^[0-9a-f]{12}$/), name: 'free', folder: 'free', bundled: false },
      { id: expect.stringMatching(/^[0-9a-f]{12}$/), name: 'paid', folder: 'deep/paid', bundled: false },
      { id: 'quickstart', name: 'quickstart', folder: 'bundled with skillopt', bundled: true },
    ])
  })

  it.each(['free', './free', '../free', '/', '', '..', 'quickstart/../free', '__proto__'])(
    'are not found by the path %j',
    async project => {
      for (const ask of [world.trainings.check, world.trainings.forecast])
        await expect(ask(wanted({}, project))).rejects.toThrow(/no such project/)
      const start = world.trainings.start({ ...wanted({}, project), key: `p${project}` })
      await expect(start).rejects.toThrow(/no such project/)
    },
  )

  it('are not searched behind a symlink, in a hidden folder or too deep', async () => {
    const config = await readFile(join(world.cwd, 'free', 'skillopt.yaml'), 'utf8')
    for (const folder of ['.hidden', 'runs/of-a-run', 'node_modules/theirs', 'a/b/c/d']) {
      await mkdir(join(world.cwd, folder), { recursive: true })
      await writeFile(join(world.cwd, folder, 'skillopt.yaml'), config)
    }
    await symlink(join(world.cwd, 'a', 'b', 'c', 'd'), join(world.cwd, 'linked'))
    expect((await world.trainings.projects()).projects.map(({ name }) => name)).toEqual([
      'free',
      'paid',
      'quickstart',
    ])
  })
})

describe('options', () => {
  interface Node {
    readonly properties?: Readonly<Record<string, Node>>
    readonly anyOf?: readonly Node[]
  }
  /** Every path of the schema that takes a value, computed independently of the code under test. */
  const leavesOf = (node: Node, path: string): string[] => {
    const section = node.properties ?? node.anyOf?.find(branch => branch.properties !== undefined)?.properties
    if (section === undefined) return [path]
    const inner = Object.entries(section).flatMap(([name, below]) =>
      leavesOf(below, path === '' ? name : `${path}.${name}`),
    )
    return inner.map(leaf => leaf.replace(/^(models\.\w+)\.model$/, '$1'))
  }

  it('are all that the schema of the config has for a training, each with its documentation', async () => {
    const { options } = await world.trainings.options()
    const schema = z.toJSONSchema(configSchema, { io: 'input', unrepresentable: 'any' }) as Node
    const all = leavesOf(schema, '').filter(path => path !== '$schema' && !path.startsWith('sleep.'))
    expect(options.map(({ path }) => path)).toEqual(all)
    expect(options.filter(({ description }) => description === '')).toEqual([])
    const chosen = options.filter(({ kind }) => kind === 'choice' || kind === 'choices')
    expect(chosen.filter(({ choices = [] }) => choices.length < 2)).toEqual([])
    expect(options.find(({ path }) => path === 'preset')?.choices).toEqual(presetNames)
  })

  it('have defaults that are accepted, and are what a project gets', async () => {
    const { options } = await world.trainings.options()
    const open = options.filter(({ locked }) => locked === undefined)
    const byDefault = open.flatMap(({ path, byDefault: text }) => (text === undefined ? [] : [[path, text]]))
    expect(byDefault.length).toBeGreaterThan(40)
    const changes: Record<string, string> = Object.fromEntries(byDefault)
    // Judge options can only be set if there is a judge.
    for (const path of Object.keys(changes)) if (path.startsWith('models.judge')) delete changes[path]
    const { problems, values } = await world.trainings.check(wanted(changes))
    expect(problems).toEqual([])
    for (const [path, text] of Object.entries(changes))
      expect([path, values?.[path]?.value]).toEqual([path, text])
  })

  it('exclude those that name files, programs, or destinations of keys and money', async () => {
    const paths = [
      'skill',
      'prompts',
      'name',
      'sandbox',
      'harness.access',
      'harness.inherit',
      'environment.use',
      'models.target.endpoint',
      'models.judge.apiKeyEnv',
      'models.target.provider',
      'telemetry.endpoint',
      'telemetry.texts',
      'telemetry.logFile',
      'models.optimizer.price.input',
      'models.target.extraBody',
    ]
    const { options } = await world.trainings.options()
    const changes = Object.fromEntries(paths.map(path => [path, 'x']))
    const message = expect.stringContaining('in the project’s file only')
    const { problems, values } = await world.trainings.check(wanted(changes))
    expect(problems).toEqual(paths.map(path => ({ path, message })))
    expect(values?.skill?.value).toBe('SKILL.md')
    for (const path of paths) {
      expect(options.find(option => option.path === path)?.locked).toMatch(/^It /)
      const one = wanted({ [path]: 'x' })
      await expect(world.trainings.forecast(one)).rejects.toThrow(/project’s file only/)
      await expect(world.trainings.start({ ...one, key: path })).rejects.toThrow(/project’s file only/)
    }
  })
})

describe('a check', () => {
  it('finds nothing wrong with a good project, and says where each value comes from', async () => {
    const { problems, values, environment } = await world.trainings.check(wanted({ 'train.epochs': '2' }))
    expect(problems).toEqual([])
    expect(values).toMatchObject({
      'models.target': {
        value: 'simulated/target',
        source: expect.stringMatching(/^file skillopt.yaml:\d+$/),
      },
      'train.epochs': { value: '2', source: 'flag --set train.epochs' },
      'train.seed': { value: '42', source: 'default' },
    })
    expect(environment?.map(({ path }) => path)).toContain('environment.train')
    expect(environment?.every(({ locked }) => locked !== undefined)).toBe(true)
  })

  it('names the preset that a value comes from', async () => {
    const { values } = await world.trainings.check(wanted({ preset: 'paper' }))
    expect(Object.values(values ?? {}).map(({ source }) => source)).toContain('preset paper')
  })

  it('names every option that is wrong', async () => {
    const changes = { 'train.epochs': 'many', 'train.focus': '7', 'limits.maxCost': '-1', preset: 'lavish' }
    const { problems, values } = await world.trainings.check(wanted(changes))
    // The other options keep their values.
    expect(values).toMatchObject({ 'train.epochs': { value: '1' }, 'train.batchSize': { value: '4' } })
    expect(problems.map(({ path }) => path).toSorted()).toEqual(Object.keys(changes).toSorted())
    expect(problems.find(({ path }) => path === 'train.focus')?.message).toMatch(/from 0 to 1, but is 7\.$/)
  })

  it.each([
    ['gpt', /gpt/],
    ['opnai/gpt-5-mini', /opnai/],
    ['openai/gpt-5-mini', /OPENAI_API_KEY/],
  ])('says beside the model what is wrong with %s', async (model, words) => {
    const { problems, values } = await world.trainings.check(wanted({ 'models.target': model }))
    const message = expect.stringMatching(words)
    expect(problems).toEqual([{ path: 'models.target', message, hint: expect.any(String) }])
    expect(values?.['models.target']?.value).toBe(model)
  })

  it('reports other obstacles if the settings are valid', async () => {
    const { problems, values } = await world.trainings.check(wanted({ 'limits.maxCost': '1' }, paid))
    expect(problems).toEqual([{ message: expect.stringMatching(/price/), hint: expect.any(String) }])
    expect(values?.['limits.maxCost']?.value).toBe('1')
  })

  it('refuses by name an option that the form does not have', async () => {
    const refused: readonly (readonly [string, string, RegExp])[] = [
      ['no.such.option', '1', /not an option/],
      ['__proto__', '1', /not an option/],
      ['sleep.sources', 'codex', /not an option/],
      ['$schema', 'x', /not an option/],
      ['environment.train', '/etc/passwd', /not an option/],
      ['evaluation.gate', './gate.ts', /gate of your own/],
      ['cache', '/tmp/elsewhere', /true or false here/],
      ['train.epochs', '1\0', /character/],
    ]
    const changes: LaunchChanges = Object.fromEntries(refused.map(([path, value]) => [path, value]))
    expect((await world.trainings.check(wanted(changes))).problems).toEqual(
      refused.map(([path, , words]) => ({ path, message: expect.stringMatching(words) })),
    )
    for (const [path, value, words] of refused) {
      const one = wanted(Object.fromEntries([[path, value]]))
      await expect(world.trainings.start({ ...one, key: path })).rejects.toThrow(words)
    }
  })

  it('is skipped if the client has disconnected', async () => {
    const signal = AbortSignal.abort()
    await expect(world.trainings.check(wanted(), signal)).rejects.toThrow(/has gone/)
    await expect(world.trainings.forecast(wanted(), signal)).rejects.toThrow(/has gone/)
    expect((await world.trainings.check(wanted())).problems).toEqual([])
  })
})

describe('a forecast', () => {
  it('says what a free training would take, also under each preset', async () => {
    const forecast = await world.trainings.forecast(wanted())
    expect(forecast).toMatchObject({ name: 'free', simulated: true, free: true, preset: 'default' })
    expect(forecast.total.cost).toEqual({ low: 0, likely: 0, high: 0 })
    expect(forecast.total.calls.low).toBeGreaterThan(0)
    expect(forecast.presets.map(({ preset }) => preset)).toEqual(presetNames)
    const twice = await world.trainings.forecast(wanted({ 'train.epochs': '2' }))
    expect(twice.total.calls.high).toBeGreaterThan(forecast.total.calls.high)
    expect(twice.id).not.toBe(forecast.id)
    expect((await world.trainings.forecast(wanted())).id).toBe(forecast.id)
  })

  it('does not treat a model with an unknown price as free', async () => {
    const forecast = await world.trainings.forecast(wanted({}, paid))
    expect(forecast).toMatchObject({ simulated: false, free: false })
    expect(forecast.total.cost).toBeUndefined()
  })
})

describe('a paid training', () => {
  const start = (agreed: string | undefined, changes: LaunchChanges = {}) =>
    world.trainings.start({ ...wanted(changes, paid), key: `${agreed} ${JSON.stringify(changes)}`, agreed })

  it('is not started unless the user agrees to the forecast', async () => {
    const { id } = await world.trainings.forecast(wanted({}, paid))
    const [settings, calls, tokens] = id.split(' ')
    await expect(start(undefined)).rejects.toThrow(/nobody has agreed/)
    await expect(start(id, { 'train.epochs': '3' })).rejects.toThrow(/something else by now/)
    await expect(start('whatever')).rejects.toThrow(/something else by now/)
    await expect(start(settings)).rejects.toThrow(/something else by now/)
    await expect(start(`${settings} ${Number(calls) / 2} ${tokens}`)).rejects.toThrow(/something else by now/)
  })
})

it('makes no calls and writes nothing in any of these tests', async () => {
  expect(world.server.counters.requests).toBe(0)
  expect((await readdir(join(world.cwd, 'runs'))).toSorted()).toEqual(['of-a-run'])
  expect(await world.runs.list()).toEqual([])
})
