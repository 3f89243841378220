import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { presets } from '../core/config/presets.js'
import { InputError } from '../core/errors/errors.js'
import { type LoadOptions, loadProject } from './load.js'

let folder: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'skillopt-load-'))
})
afterEach(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }))

async function write(files: Record<string, string>): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true })
    await writeFile(join(folder, name), text)
  }
}

const load = (options: Partial<LoadOptions> = {}) =>
  loadProject({ project: folder, env: {}, cwd: folder, trust: true, ...options })

async function refusal(options: Partial<LoadOptions> = {}): Promise<InputError> {
  const error = await load(options).then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  expect(error).toBeInstanceOf(InputError)
  return error as InputError
}

const valid = `environment:
  use: tasks
  file: tasks.jsonl
models:
  target: simulated/target
  optimizer:
    model: openai/gpt-5-mini
    temperature: 0.5
train:
  epochs: 3
`

describe('a valid project', () => {
  it('fills in defaults and says where each value came from', async () => {
    await write({ 'skillopt.yaml': valid })
    const project = await load()
    expect(project.config.train).toMatchObject({ epochs: 3, batchSize: 40, accumulation: 1, seed: 42 })
    expect(project.config.environment).toEqual({ use: 'tasks', file: 'tasks.jsonl' })
    expect(project.baseDir).toBe(folder)
    expect(project.sources).toMatchObject({
      'train.epochs': 'file skillopt.yaml:10',
      'train.seed': 'default',
      'models.target': 'file skillopt.yaml:5',
      'models.optimizer.temperature': 'file skillopt.yaml:8',
      'models.optimizer.timeout': 'default',
      'environment.file': 'file skillopt.yaml:3',
    })
    expect(project.mapped).toEqual([])
    expect(project.warnings).toEqual([])
  })

  it('may be JSON, indented with tabs, and named by its file', async () => {
    const json = JSON.stringify({ environment: {}, models: { target: 'a/b', optimizer: 'a/b' } }, null, '\t')
    await write({ 'skillopt.json': json })
    expect((await load()).config.models.target).toBe('a/b')
    expect((await load({ project: join(folder, 'skillopt.json') })).config.models.target).toBe('a/b')
    expect((await load({ project: undefined, config: 'skillopt.json' })).baseDir).toBe(folder)
    expect((await load({ project: undefined })).baseDir).toBe(folder)
  })

  it('takes its name from the config, or from the folder', async () => {
    await write({ 'my skill/skillopt.yaml': valid, 'other/skillopt.yaml': `name: mine\n${valid}` })
    expect((await load({ project: 'my skill' })).name).toBe('my-skill')
    expect((await load({ project: 'other' })).name).toBe('mine')
  })
})

describe('precedence', () => {
  it('is flag, then environment, then file, then default', async () => {
    await write({ 'skillopt.yaml': valid })
    const env = {
      SKILLOPT_TRAIN_EPOCHS: '5',
      SKILLOPT_TRAIN_SEED: '7',
      SKILLOPT_OPTIMIZER_SLOW_UPDATE_ENABLED: 'no',
    }
    const project = await load({
      env,
      flags: { 'train.seed': 9, 'limits.maxCost': '2.5', 'limits.maxCalls': undefined },
    })
    expect(project.config.train).toMatchObject({ epochs: 5, seed: 9, batchSize: 40 })
    expect(project.config.optimizer.slowUpdate.enabled).toBe(false)
    expect(project.config.limits).toEqual({ maxCost: 2.5 })
    expect(project.sources).toMatchObject({
      'train.epochs': 'environment SKILLOPT_TRAIN_EPOCHS',
      'train.seed': 'flag --set train.seed',
      'limits.maxCost': 'flag --max-cost',
      'train.batchSize': 'default',
    })
  })

  it('lets --cfg-options win over the environment', async () => {
    await write({ 'skillopt.yaml': valid })
    const project = await load({
      env: { SKILLOPT_TRAIN_EPOCHS: '5' },
      cfgOptions: [
        'train.epochs=6',
        'evaluation.test=best,last',
        'reflect.failureOnly=true',
        'environment.limit=4',
      ],
    })
    expect(project.config.train.epochs).toBe(6)
    expect(project.config.evaluation.test).toEqual(['best', 'last'])
    expect(project.config.reflect.failureOnly).toBe(true)
    expect(project.config.environment.limit).toBe(4)
    expect(project.sources['train.epochs']).toBe('flag --cfg-options train.epochs')
  })

  it('adds to a model that is written short, and keeps the options of one written long', async () => {
    await write({ 'skillopt.yaml': valid })
    const env = {
      SKILLOPT_MODELS_TARGET_TEMPERATURE: '0.2',
      SKILLOPT_MODELS_OPTIMIZER: 'openai/gpt-5',
      SKILLOPT_ENVIRONMENT_MAX_TASKS: '12',
    }
    const { config, sources } = await load({ env })
    expect(config.models.target).toMatchObject({ model: 'simulated/target', temperature: 0.2 })
    expect(config.models.optimizer).toMatchObject({ model: 'openai/gpt-5', temperature: 0.5 })
    expect(config.environment.maxTasks).toBe(12)
    expect(sources).toMatchObject({
      'models.target.model': 'file skillopt.yaml:5',
      'models.target.temperature': 'environment SKILLOPT_MODELS_TARGET_TEMPERATURE',
      'models.optimizer.model': 'environment SKILLOPT_MODELS_OPTIMIZER',
      'models.optimizer.temperature': 'file skillopt.yaml:8',
    })
  })

  it('drops the options of another provider’s model', async () => {
    await write({ 'skillopt.yaml': valid })
    const { config } = await load({ flags: { 'models.optimizer': 'anthropic/claude-sonnet-4-5' } })
    expect(config.models.optimizer).toBe('anthropic/claude-sonnet-4-5')
  })

  it('takes keys from .env of the project, then of the working directory, over nothing that is set', async () => {
    await write({
      'project/skillopt.yaml': valid,
      'project/.env': 'VLLM_API_KEY=project\nSGLANG_API_KEY=project\nSKILLOPT_TRAIN_EPOCHS=8\n',
      '.env': 'export SGLANG_API_KEY=here\nDEEPSEEK_API_KEY="here too"\n',
    })
    const project = await load({ project: 'project', env: { VLLM_API_KEY: 'shell' } })
    expect(project.env).toMatchObject({
      VLLM_API_KEY: 'shell',
      SGLANG_API_KEY: 'project',
      DEEPSEEK_API_KEY: 'here too',
    })
    expect(project.config.train.epochs).toBe(3)
    expect(process.env.DEEPSEEK_API_KEY).toBeUndefined()
  })

  it('starts paths on the command line from the working directory', async () => {
    await write({ 'project/skillopt.yaml': valid })
    const { config } = await load({ project: 'project', flags: { skill: 'best.md' } })
    expect(config.skill).toBe(join(folder, 'best.md'))
  })
})

describe('a preset', () => {
  it('stands below file, environment and flags, and above the defaults', async () => {
    await write({ 'skillopt.yaml': `preset: thrifty\n${valid}evaluation:\n  test: [last]\n` })
    const { config, sources } = await load({
      env: { SKILLOPT_TRAIN_PATIENCE: '7' },
      flags: { 'evaluation.validationSize': 9 },
    })
    expect(config.train).toMatchObject({ epochs: 3, patience: 7, stopWhenSolved: true, batchSize: 40 })
    expect(config.evaluation).toMatchObject({ validationSize: 9, test: ['last'] })
    expect(sources).toMatchObject({
      preset: 'file skillopt.yaml:1',
      'train.epochs': 'file skillopt.yaml:11',
      'train.patience': 'environment SKILLOPT_TRAIN_PATIENCE',
      'train.stopWhenSolved': 'preset thrifty',
      'train.batchSize': 'default',
      'evaluation.validationSize': 'flag --set evaluation.validationSize',
      'evaluation.test': 'file skillopt.yaml:13',
      'optimizer.slowUpdate.accept': 'default',
    })
  })

  it('follows flag, environment, file precedence and does not hide mistakes', async () => {
    await write({ 'skillopt.yaml': `preset: thrifty\n${valid}` })
    const named = await load({ env: { SKILLOPT_PRESET: 'paper' }, flags: { preset: 'reference' } })
    expect(named.config.optimizer.slowUpdate.accept).toBe('force')
    expect(named.sources).toMatchObject({
      preset: 'flag --preset',
      'optimizer.slowUpdate.accept': 'preset reference',
    })
    await write({ 'skillopt.yaml': `preset: thrifty\n${valid.replace('train:\n  epochs: 3', 'train: 4')}` })
    expect((await refusal()).message).toContain('train must be a section')
    expect((await refusal({ flags: { preset: 'papr', train: {} } })).message).toBe(
      'preset must be one of default, paper, reference, thrifty, but is "papr" (flag --preset).',
    )
  })

  it('is given to a program’s config too', async () => {
    const models = { target: 'simulated/target', optimizer: 'simulated/optimizer' }
    const { config } = await load({
      project: undefined,
      config: { preset: 'paper', environment: {}, models },
    })
    expect(config.optimizer.slowUpdate.accept).toBe('gated')
    expect(config).toMatchObject(presets.paper)
  })
})

describe('bad input gets one clear sentence', () => {
  const cases: [string, string, string | RegExp][] = [
    [
      'an unknown key',
      'train:\n  epoch: 2\n',
      'train.epoch is not an option (skillopt.yaml:9); did you mean train.epochs?',
    ],
    [
      'a key of another section',
      'batch_size: 2\n',
      'batch_size is not an option (skillopt.yaml:8); did you mean train.batchSize?',
    ],
    [
      'a key far from all others',
      'train:\n  wombat: 2\n',
      'train.wombat is not an option (skillopt.yaml:9); known here: loop, epochs, batchSize, accumulation, samples, seed, reuse, focus, patience, stopWhenSolved.',
    ],
    [
      'a wrong type',
      'train:\n  epochs: four\n',
      'train.epochs must be a whole number above 0, but is "four" (skillopt.yaml:9).',
    ],
    [
      'a fraction',
      'train:\n  epochs: 1.5\n',
      'train.epochs must be a whole number above 0, but is 1.5 (skillopt.yaml:9).',
    ],
    [
      'a number out of range',
      'evaluation:\n  mixedWeight: 2\n',
      'evaluation.mixedWeight must be a number from 0 to 1, but is 2 (skillopt.yaml:9).',
    ],
    [
      'a number too small',
      'reflect: { mergeBatchSize: 1 }\n',
      'reflect.mergeBatchSize must be a whole number of at least 2, but is 1 (skillopt.yaml:8).',
    ],
    [
      'an unknown choice',
      'evaluation:\n  metric: best\n',
      'evaluation.metric must be one of hard, soft, mixed, reward, but is "best" (skillopt.yaml:9).',
    ],
    [
      'an unknown choice in a list',
      'evaluation:\n  test: [first]\n',
      'evaluation.test.0 must be one of none, initial, best, last, but is "first" (skillopt.yaml:9).',
    ],
    [
      'a value for a section',
      'train: 4\n',
      'train must be a section with loop, epochs, batchSize, …, but is 4 (skillopt.yaml:8).',
    ],
    [
      'a section for a value',
      'train:\n  epochs: { a: 1 }\n',
      'train.epochs must be a whole number above 0, but is a section (skillopt.yaml:9).',
    ],
    [
      'a bad name',
      'name: my skill\n',
      'name may hold letters, digits, dot, dash and underscore only, but is "my skill" (skillopt.yaml:8).',
    ],
  ]
  const start =
    'environment:\n  use: tasks\nmodels:\n  target: simulated/target\n  optimizer:\n    model: openai/gpt-5-mini\n\n'
  it.each(cases)('%s', async (_what, yaml, sentence) => {
    await write({ 'skillopt.yaml': start + yaml })
    expect((await refusal()).message).toBe(sentence)
  })

  const modelCases: [string, string, string][] = [
    [
      'an unknown option of a model',
      '{ model: a/b, tempature: 1 }',
      'models.target.tempature is not an option (skillopt.yaml:2); did you mean models.target.temperature?',
    ],
    [
      'a wrong option of a model',
      '{ model: a/b, timeout: long }',
      'models.target.timeout must be a number above 0, but is "long" (skillopt.yaml:2).',
    ],
    [
      'a model without a name',
      '{ temperature: 1 }',
      'models.target.model is missing: it must be text (skillopt.yaml:2).',
    ],
    [
      'a number for a model',
      '5',
      'models.target must be text, or a section with model, provider, endpoint, …, but is 5 (skillopt.yaml:2).',
    ],
    [
      'an unknown option of a price',
      '{ model: a/b, price: { input: 1, output: 2, inputs: 3 } }',
      'models.target.price.inputs is not an option (skillopt.yaml:2); did you mean models.target.price.input?',
    ],
  ]
  it.each(modelCases)('%s', async (_what, target, sentence) => {
    await write({ 'skillopt.yaml': `models:\n  target: ${target}\n  optimizer: a/b\nenvironment: {}\n` })
    expect((await refusal()).message).toBe(sentence)
  })

  it('a missing section', async () => {
    await write({ 'skillopt.yaml': 'environment: {}\n' })
    expect((await refusal()).message).toBe(
      'models is missing: it must be a section with target, optimizer, judge.',
    )
  })

  it('several problems at once, ten at most, in one error', async () => {
    const many = Array.from({ length: 13 }, (_, index) => `  wrong${index}: 1`).join('\n')
    await write({ 'skillopt.yaml': `${start}train:\n  epochs: no\n${many}\n` })
    const { message } = await refusal()
    expect(message).toContain('skillopt.yaml has 14 problems:')
    expect(message.match(/\n {2}- /g)).toHaveLength(10)
    expect(message).toContain('and 4 more')
    expect(message).toContain('train.epochs must be a whole number above 0, but is "no" (skillopt.yaml:9)')
  })

  it('YAML that does not parse, with line and column', async () => {
    await write({ 'skillopt.yaml': 'train:\n  epochs: [1\nmodels: 3\n' })
    expect((await refusal()).message).toMatch(/^skillopt\.yaml is not valid YAML, line 3, column 1: /)
  })

  it('a key that stands twice', async () => {
    await write({ 'skillopt.yaml': 'train: {}\ntrain: {}\n' })
    expect((await refusal()).message).toMatch(/^skillopt\.yaml is not valid YAML, line 2, column 1: .*unique/)
  })

  it('a file that holds no sections', async () => {
    await write({ 'skillopt.yaml': '- a\n- b\n' })
    expect((await refusal()).message).toMatch(/^skillopt\.yaml must hold sections/)
  })

  it('a value in the environment or a flag, named as such', async () => {
    await write({ 'skillopt.yaml': valid })
    expect((await refusal({ env: { SKILLOPT_TRAIN_EPOCHS: 'many' } })).message).toBe(
      'train.epochs must be a whole number above 0, but is "many" (environment SKILLOPT_TRAIN_EPOCHS).',
    )
    expect((await refusal({ flags: { 'limits.maxCost': -1 } })).message).toBe(
      'limits.maxCost must be a number above 0, but is -1 (flag --max-cost).',
    )
    expect((await refusal({ cfgOptions: ['train.epoch=2'] })).message).toBe(
      'train.epoch is not an option (flag --cfg-options train.epoch); did you mean train.epochs?',
    )
    expect((await refusal({ cfgOptions: ['epochs'] })).message).toContain(
      '--cfg-options takes section.key=value',
    )
  })

  it('a variable that names no option', async () => {
    await write({ 'skillopt.yaml': valid })
    expect((await refusal({ env: { SKILLOPT_TRAIN_EPOCH: '2' } })).message).toBe(
      'The environment variable SKILLOPT_TRAIN_EPOCH names no option; did you mean SKILLOPT_TRAIN_EPOCHS?',
    )
    const { warnings } = await load({
      env: { SKILLOPT_COLOUR: 'red', SKILLOPT_VECTORS: '/tmp', SKILLOPT_HOME: '/tmp' },
    })
    expect(warnings).toEqual(['The environment variable SKILLOPT_COLOUR names no option'])
  })

  it('no project, no config in it, two of them, or both kinds named', async () => {
    expect((await refusal({ project: 'nowhere' })).message).toBe(
      'The project nowhere cannot be read: there is no such file.',
    )
    expect((await refusal({ project: undefined, config: 'no.yaml' })).message).toBe(
      'The config file no.yaml cannot be read: there is no such file.',
    )
    expect((await refusal({ project: '.' })).message).toBe('The folder . has no skillopt.yaml.')
    await write({ 'skillopt.yaml': valid, 'skillopt.json': '{}' })
    expect((await refusal({ project: '.' })).message).toBe(
      'The folder . has both skillopt.json and skillopt.yaml.',
    )
    expect((await refusal({ config: 'skillopt.yaml' })).message).toContain('cannot be combined')
  })
})

describe('secrets', () => {
  const model = (line: string) =>
    `environment: {}\nmodels:\n  optimizer: a/b\n  target:\n    model: openai/gpt-5\n    ${line}\n`
  const secret = 'sk-verysecretvalue123456'

  it.each([
    ['apiKey', `apiKey: ${secret}`],
    ['api_key in the extra body', `extraBody: { api_key: ${secret} }`],
    ['a token deep inside', `extraBody: { auth: [{ access_token: ${secret} }] }`],
  ])('are refused as %s, without being repeated', async (_what, line) => {
    await write({ 'skillopt.yaml': model(line) })
    const error = await refusal()
    expect(error.message).toContain('put the key into an environment variable and name it in apiKeyEnv')
    expect(error.message).toContain('(skillopt.yaml:6)')
    expect(error.message + String(error.hint)).not.toContain(secret)
  })

  it.each([secret, 'abcdef0123456789abcdef0123456789'])(
    'are refused where a variable is named: %s',
    async key => {
      await write({ 'skillopt.yaml': model(`apiKeyEnv: ${key}`) })
      const error = await refusal()
      expect(error.message).toContain('must be the name of an environment variable, not the key itself')
      expect(error.message).not.toContain(key)
    },
  )

  it('are refused in an address', async () => {
    await write({ 'skillopt.yaml': model(`endpoint: https://me:${secret}@host/v1`) })
    expect((await refusal()).message).not.toContain(secret)
  })

  it('leave names and limits alone', async () => {
    await write({
      'skillopt.yaml': model(
        'extraBody: { max_tokens: 5, stop_token: 7 }\n    apiKeyEnv: MY_TEAM_OPENAI_KEY_2',
      ),
    })
    expect((await load()).config.models.target).toMatchObject({ apiKeyEnv: 'MY_TEAM_OPENAI_KEY_2' })
  })
})

describe('options that training by trials does not read', () => {
  it.each([
    ['optimizer.mode', 'rewrite_from_suggestions'],
    ['optimizer.control', 'autonomous'],
    ['optimizer.slowUpdate.accept', 'force'],
    ['train.samples', '2'],
    ['train.accumulation', '2'],
    ['reflect.skillAware.enabled', 'true'],
  ])('are refused where somebody asks for them: %s', async (path, value) => {
    await write({ 'skillopt.yaml': valid })
    const { message } = await refusal({ flags: { [path]: value } })
    expect(message).toContain(`${path}: ${value} (flag --set ${path}) applies only to train.loop: steps`)
    expect((await load({ flags: { [path]: value, 'train.loop': 'steps' } })).config.train.loop).toBe('steps')
  })

  it('are fine as defaults, from presets, and where they ask for nothing', async () => {
    await write({
      'skillopt.yaml': `${valid}optimizer:\n  learningRate: 3\n  mode: patch\n  metaSkill: false\n`,
    })
    expect((await load()).config.train.loop).toBe('trials')
    const paper = await load({ flags: { preset: 'paper', 'train.loop': 'trials' } })
    expect(paper.config.optimizer.slowUpdate.enabled).toBe(true)
  })
})
