import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { InputError } from '../../core/errors/errors.js'
import { type LoadOptions, loadProject } from '../../project/load.js'

let folder: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'skillopt-reference-'))
})
afterEach(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }))

async function write(files: Record<string, string>): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true })
    await writeFile(join(folder, name), text)
  }
}

const load = (options: Partial<LoadOptions> = {}) =>
  loadProject({ config: 'configs/searchqa/run.yaml', env: {}, cwd: folder, trust: true, ...options })

async function refusal(options: Partial<LoadOptions> = {}): Promise<string> {
  const error = await load(options).then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  expect(error).toBeInstanceOf(InputError)
  return (error as InputError).message
}

/** Every kind of key in the reference's own default file, switched off. */
const base = `model:
  backend: azure_openai
  optimizer: gpt-5.5
  target: gpt-5.5
  optimizer_backend: openai_chat
  target_backend: openai_chat
  reasoning_effort: medium
  rewrite_reasoning_effort: ""
  rewrite_max_completion_tokens: 64000
  codex_exec_path: codex
  codex_exec_full_auto: false
  claude_code_exec_effort: medium
  codex_trace_to_optimizer: true
  azure_openai_endpoint: ""
  azure_openai_api_version: "2024-12-01-preview"
  azure_openai_api_key: ""
  azure_openai_auth_mode: azure_cli
  azure_openai_ad_scope: "https://cognitiveservices.azure.com/.default"
  optimizer_azure_openai_auth_mode: azure_cli
  target_azure_openai_auth_mode: azure_cli
train:
  num_epochs: 4
  train_size: 0
  batch_size: 40
  accumulation: 1
  seed: 42
gradient:
  minibatch_size: 8
  merge_batch_size: 8
  analyst_workers: 16
  max_analyst_rounds: 3
  failure_only: false
optimizer:
  learning_rate: 4
  min_learning_rate: 2
  lr_scheduler: cosine
  lr_control_mode: fixed
  skill_update_mode: patch
  use_slow_update: true
  slow_update_samples: 20
  longitudinal_pair_policy: mixed
  use_meta_skill: true
evaluation:
  use_gate: true
  sel_env_num: 0
  test_env_num: 0
  eval_test: true
env:
  name: ""
  skill_init: ""
  split_mode: ratio
  split_ratio: "2:1:7"
  split_seed: 42
  split_dir: ""
  data_path: ""
  split_output_dir: ""
  exec_timeout: 120
  out_root: ""
human_feedback:
  enabled: false
  timeout_seconds: 0
`

const run = `_base_: ../_base_/default.yaml
model:
  optimizer_backend: openai_compatible
  target_backend: qwen_chat
  optimizer: deepseek-chat
  target: Qwen/Qwen3.5-4B
train:
  num_epochs: 2
  train_size: 3
env:
  name: searchqa
  skill_init: skills/initial.md
  split_mode: split_dir
  split_dir: data/split
  workers: 24
  max_turns: 1
  limit: 0
`

const env = {
  OPENAI_COMPATIBLE_BASE_URL: 'http://127.0.0.1:9/v1',
  OPENAI_COMPATIBLE_API_KEY: 'sk-optimizer',
  QWEN_CHAT_BASE_URL: 'http://127.0.0.1:8/v1',
}

async function writeRun(text = run, more: Record<string, string> = {}): Promise<void> {
  await write({
    'configs/_base_/default.yaml': base,
    'configs/searchqa/run.yaml': text,
    'skills/initial.md': '# Skill\n',
    'data/split/train/items.json': '[]',
    ...more,
  })
}

describe('a YAML of the reference', () => {
  it('is mapped onto ours, with what it inherits and the vendors’ variables', async () => {
    await writeRun()
    const { config, sources, mapped, warnings, expectedTrainSize } = await load({ env })
    expect(config.train).toMatchObject({ epochs: 2, batchSize: 40, accumulation: 1, seed: 42 })
    expect(config.reflect).toMatchObject({ minibatchSize: 8, mergeBatchSize: 8, failureOnly: false })
    expect(config.models.optimizer).toMatchObject({
      model: 'openai-compatible/deepseek-chat',
      endpoint: 'http://127.0.0.1:9/v1',
      apiKeyEnv: 'OPENAI_COMPATIBLE_API_KEY',
      maxOutputTokens: 8000,
      timeout: 300,
      concurrency: 16,
    })
    expect(config.models.optimizer).not.toHaveProperty('effort')
    expect(config.models.optimizer).not.toHaveProperty('temperature')
    expect(config.models.target).toMatchObject({
      model: 'openai-compatible/Qwen/Qwen3.5-4B',
      endpoint: 'http://127.0.0.1:8/v1',
      temperature: 0.7,
      maxOutputTokens: 8000,
      timeout: 120,
      concurrency: 24,
    })
    expect(config.models.target).not.toHaveProperty('extraBody')
    expect(config.models.target).not.toHaveProperty('apiKeyEnv')
    expect(config.skill).toBe('../../skills/initial.md')
    expect(config.environment).toEqual({ use: 'searchqa', splitDir: '../../data/split' })
    expect(expectedTrainSize).toBe(3)
    expect(warnings).toEqual([])
    expect(sources).toMatchObject({
      'train.epochs': 'file run.yaml:8',
      'train.batchSize': 'file ../_base_/default.yaml:24',
      'models.target.endpoint': 'environment QWEN_CHAT_BASE_URL',
      'models.target.concurrency': 'file run.yaml:15',
    })
    expect(mapped).toContain('optimizer.lr_scheduler -> optimizer.schedule = cosine')
    expect(mapped).toContain('QWEN_CHAT_BASE_URL -> models.target.endpoint = http://127.0.0.1:8/v1')
    expect(mapped.join('\n')).toContain('model.codex_exec_path, model.codex_exec_full_auto')
    expect(JSON.stringify({ config, sources, mapped })).not.toContain('sk-optimizer')
  })

  it('brings its update mode and skill-aware reflection along', async () => {
    await writeRun()
    const cfgOptions = [
      'optimizer.skill_update_mode=rewrite_from_suggestions',
      'optimizer.use_skill_aware_reflection=true',
      'optimizer.skill_aware_appendix_source=failure_only',
      'optimizer.skill_aware_consolidate_threshold=9',
      'model.rewrite_reasoning_effort=high',
    ]
    const { config } = await load({ env, cfgOptions })
    expect(config.optimizer).toMatchObject({ mode: 'rewrite_from_suggestions', effort: { update: 'high' } })
    expect(config.reflect.skillAware).toEqual({ enabled: true, successes: false, notes: 9 })
    const plain = await load({ env })
    expect(plain.config.reflect.skillAware).toEqual({ enabled: false, successes: true, notes: 0 })
    expect(plain.config.optimizer.effort).toEqual({})
  })

  it('has the reference’s defaults where they differ from ours', async () => {
    await writeRun()
    const { config, sources, mapped } = await load({ env })
    expect(config.optimizer.slowUpdate).toEqual({
      enabled: true,
      samples: 20,
      accept: 'force',
      pairs: 'mixed',
    })
    expect(config.evaluation.test).toEqual(['initial', 'best', 'last'])
    expect(sources['optimizer.slowUpdate.accept']).toBe('default of the reference')
    // Options that the file has no key for follow the reference's defaults, not ours.
    expect(config.preset).toBe('reference')
    expect(config.evaluation).toMatchObject({ gate: 'strict', earlyStop: false, validationSize: 0 })
    expect(config.train).toMatchObject({ reuse: 'resample', patience: 0, stopWhenSolved: false })
    expect(sources['train.reuse']).toBe('preset reference')
    expect(mapped).toContain(
      'optimizer.slow_update_gate_with_selection (not set) -> optimizer.slowUpdate.accept = force',
    )
  })

  it('is overridden by --cfg-options, then flags; and by our variables, below those', async () => {
    await writeRun()
    const { config, sources, out } = await load({
      env: { ...env, SKILLOPT_TRAIN_EPOCHS: '9', SKILLOPT_TRAIN_SEED: '9' },
      cfgOptions: [
        'train.num_epochs=3',
        'optimizer.slow_update_gate_with_selection=true',
        'evaluation.use_gate=no',
        'evaluation.eval_test=false',
        'optimizer.lr_scheduler=linear',
        'batch_size=12',
        'evaluation.gate_metric=mixed',
        'evaluation.gate_mixed_weight=0.25',
        'env.out_root=outputs/x',
      ],
      flags: { 'optimizer.learningRate': 6 },
    })
    expect(config.train).toMatchObject({ epochs: 3, seed: 9, batchSize: 12 })
    expect(config.optimizer).toMatchObject({ learningRate: 6, schedule: 'linear' })
    expect(config.optimizer.slowUpdate.accept).toBe('gated')
    expect(config.evaluation).toMatchObject({ gate: 'always', test: [], metric: 'mixed', mixedWeight: 0.25 })
    expect(sources['train.epochs']).toBe('flag --cfg-options train.num_epochs')
    expect(out).toBe(join(folder, 'outputs/x'))
  })

  it('makes a split by ratio from one file', async () => {
    await writeRun()
    await write({ 'data/raw.json': '[]' })
    const { config } = await load({
      env,
      cfgOptions: ['env.split_mode=ratio', 'env.data_path=data/raw.json', 'env.split_ratio=8:1:1'],
    })
    expect(config.environment).toEqual({
      use: 'searchqa',
      path: '../../data/raw.json',
      ratio: '8:1:1',
      seed: 42,
    })
  })

  it('takes the short names of its update modes', async () => {
    await writeRun()
    const mode = async (name: string) =>
      (await load({ env, cfgOptions: [`optimizer.skill_update_mode=${name}`] })).config.optimizer.mode
    expect(await mode('rewrite')).toBe('rewrite_from_suggestions')
    expect(await mode('suggestions')).toBe('rewrite_from_suggestions')
    expect(await mode('full_rewrite')).toBe('full_rewrite_minibatch')
    expect(await mode('minibatch_full_rewrite')).toBe('full_rewrite_minibatch')
  })

  it('is overridden by the flags of its own command line, which win over --cfg-options', async () => {
    await writeRun()
    const { config, sources, mapped } = await load({
      env,
      cfgOptions: ['--num_epochs=5', '--edit_budget=3', '--limit=2', '--seed=7', 'train.num_epochs=3'],
    })
    expect(config.train).toMatchObject({ epochs: 5, seed: 7 })
    expect(config.optimizer.learningRate).toBe(3)
    expect(config.environment).toMatchObject({ limit: 2 })
    expect(sources['train.epochs']).toBe('flag --num_epochs')
    expect(mapped).toContain('optimizer.learning_rate -> optimizer.learningRate = 3')
    expect(await refusal({ env, cfgOptions: ['--batch_size=many'] })).toContain(
      'train.batch_size must be a whole number above 0, but is "many" (flag --batch_size)',
    )
  })

  it('may have all its keys on one level, as old files do, and as a run writes them', async () => {
    const flat = {
      env: 'searchqa',
      skill_init: 'skills/initial.md',
      split_mode: 'split_dir',
      split_dir: 'data/split',
      optimizer_model: 'deepseek-chat',
      target_model: 'qwen',
      model_backend: 'openai_compatible',
      num_epochs: 3,
      batch_size: 8,
      edit_budget: 5,
      use_gate: false,
      workers: 2,
      steps_per_epoch: 2,
      codex_exec_path: 'codex',
      samples_per_epoch: 16,
      out_root: 'outputs/a',
    }
    await writeRun(JSON.stringify(flat))
    const { config, out } = await load({ env })
    expect(config.train).toMatchObject({ epochs: 3, batchSize: 8 })
    expect(config.optimizer.learningRate).toBe(5)
    expect(config.evaluation.gate).toBe('always')
    expect(config.models.target).toMatchObject({ model: 'openai-compatible/qwen', concurrency: 2 })
    expect(out).toBe(join(folder, 'outputs/a'))
    await writeRun(JSON.stringify({ ...flat, num_epoch: 3 }))
    expect(await refusal({ env })).toContain('num_epoch is not a Python SkillOpt setting')
  })

  it('lets a key in its section win over the same one without it, wherever they stand', async () => {
    await writeRun(`${run}num_epochs: 9\nedit_budget: 7\n`)
    const { config } = await load({ env })
    expect(config.train.epochs).toBe(2)
    // The base sets it within its section and this file without one: the later file wins.
    expect(config.optimizer.learningRate).toBe(7)
  })

  it('finds paths beside itself when they are not where it is run', async () => {
    await writeRun(run.replace('skills/initial.md', 'start.md'), { 'configs/searchqa/start.md': '# Skill\n' })
    expect((await load({ env })).config.skill).toBe('start.md')
  })

  it('merges a list of bases, the later one winning, and lets null unset a key', async () => {
    await writeRun(
      run
        .replace('_base_: ../_base_/default.yaml', '_base_: [../_base_/default.yaml, more.yaml]')
        .replace('  num_epochs: 2\n', '  seed:\n'),
      { 'configs/searchqa/more.yaml': 'train:\n  num_epochs: 7\n  seed: 1\n' },
    )
    const { config } = await load({ env })
    expect(config.train).toMatchObject({ epochs: 7, seed: 42 })
  })
})

describe('backends', () => {
  it('tells the two roles apart by their own variables', async () => {
    await writeRun(run.replace('openai_compatible', 'qwen_chat'))
    const { config } = await load({
      env: {
        ...env,
        OPTIMIZER_QWEN_CHAT_BASE_URL: 'http://127.0.0.1:7/v1',
        OPTIMIZER_QWEN_CHAT_API_KEY: 'a',
        QWEN_CHAT_API_KEY: 'b',
        TARGET_QWEN_CHAT_TEMPERATURE: '0',
        QWEN_CHAT_MAX_TOKENS: '500',
        TARGET_QWEN_CHAT_THINKING_MODE: 'disabled',
      },
    })
    expect(config.models.optimizer).toMatchObject({
      endpoint: 'http://127.0.0.1:7/v1',
      apiKeyEnv: 'OPTIMIZER_QWEN_CHAT_API_KEY',
      temperature: 0.7,
    })
    expect(config.models.target).toMatchObject({
      endpoint: 'http://127.0.0.1:8/v1',
      apiKeyEnv: 'QWEN_CHAT_API_KEY',
      temperature: 0,
      maxOutputTokens: 500,
      extraBody: { chat_template_kwargs: { enable_thinking: false } },
    })
    expect(config.models.optimizer).not.toHaveProperty('extraBody')
  })

  it('takes the model from the variable when the file has only the shipped name', async () => {
    await writeRun(run.replace('  optimizer: deepseek-chat\n', '').replace('  target: Qwen/Qwen3.5-4B\n', ''))
    const { config } = await load({
      env: { ...env, OPENAI_COMPATIBLE_MODEL: 'llama', QWEN_CHAT_MODEL: 'Qwen/other' },
    })
    expect(config.models.optimizer).toMatchObject({ model: 'openai-compatible/llama' })
    expect(config.models.target).toMatchObject({ model: 'openai-compatible/Qwen/other' })
  })

  it('sends the old thinking switch only when it is on', async () => {
    await writeRun()
    const on = await load({ env, cfgOptions: ['model.qwen_chat_enable_thinking=true'] })
    expect(on.config.models.target).toMatchObject({
      extraBody: { chat_template_kwargs: { enable_thinking: true } },
    })
    const off = await load({ env, cfgOptions: ['model.qwen_chat_enable_thinking=false'] })
    expect(off.config.models.target).not.toHaveProperty('extraBody')
    expect(
      await refusal({
        env,
        cfgOptions: ['model.qwen_chat_enable_thinking=false', 'model.qwen_chat_thinking_mode=enabled'],
      }),
    ).toContain('contradict each other')
    expect(await refusal({ env, cfgOptions: ['model.qwen_chat_thinking_mode=fasle'] })).toContain(
      'model.qwen_chat_thinking_mode must be one of server_default, enabled, disabled, but is "fasle"',
    )
  })

  const chat = run.replace(/ {2}optimizer_backend[\s\S]*train:/, '  reasoning_effort: high\ntrain:')

  it('maps openai_chat onto Azure with a key, with Entra ID, or onto an endpoint that imitates OpenAI', async () => {
    await writeRun(chat)
    const endpoint = { AZURE_OPENAI_ENDPOINT: 'https://mine.openai.azure.com/' }
    const entra = await load({ env: endpoint })
    expect(entra.config.models.target).toMatchObject({
      model: 'azure/gpt-5.5',
      auth: 'entra',
      apiVersion: '2024-12-01-preview',
      effort: 'high',
    })
    expect(entra.config.models.target).not.toHaveProperty('apiKeyEnv')
    const key = await load({
      env: { ...endpoint, AZURE_OPENAI_AUTH_MODE: 'api_key', AZURE_OPENAI_API_KEY: 'k' },
    })
    expect(key.config.models.optimizer).toMatchObject({
      model: 'azure/gpt-5.5',
      auth: 'key',
      apiKeyEnv: 'AZURE_OPENAI_API_KEY',
      maxOutputTokens: 16384,
    })
    const compatible = await load({
      env: {
        AZURE_OPENAI_ENDPOINT: 'http://127.0.0.1:5/v1',
        AZURE_OPENAI_AUTH_MODE: 'openai_compatible',
        AZURE_OPENAI_API_KEY: 'k',
      },
    })
    expect(compatible.config.models.target).toMatchObject({
      model: 'openai-compatible/gpt-5.5',
      endpoint: 'http://127.0.0.1:5/v1',
      apiKeyEnv: 'AZURE_OPENAI_API_KEY',
    })
    const openai = await load({
      env: {
        AZURE_OPENAI_ENDPOINT: 'https://api.openai.com/v1',
        AZURE_OPENAI_AUTH_MODE: 'openai_compatible',
        TARGET_AZURE_OPENAI_API_KEY: 'k',
      },
    })
    expect(openai.config.models.target).toMatchObject({
      model: 'openai/gpt-5.5',
      apiKeyEnv: 'TARGET_AZURE_OPENAI_API_KEY',
    })
    expect(await refusal()).toContain(
      'set model.azure_openai_endpoint or the environment variable AZURE_OPENAI_ENDPOINT',
    )
  })

  it('maps claude_chat onto the Anthropic API, and says so', async () => {
    await writeRun(chat)
    const { config, warnings } = await load({ cfgOptions: ['model.backend=claude'] })
    expect(config.models.target).toMatchObject({ model: 'anthropic/claude-sonnet-4-6', effort: 'high' })
    expect(config.models.optimizer).toMatchObject({ model: 'anthropic/claude-sonnet-4-6' })
    expect(warnings).toHaveLength(2)
  })
})

describe('what is not supported is refused by name', () => {
  it.each([
    [
      'optimizer.skill_update_mode=anew',
      'optimizer.skill_update_mode must be patch, rewrite_from_suggestions or full_rewrite_minibatch, but is "anew"',
    ],
    [
      'optimizer.lr_control_mode=sometimes',
      'optimizer.lr_control_mode must be fixed, autonomous or none, but is "sometimes"',
    ],
    [
      'optimizer.lr_scheduler=autonomous',
      'optimizer.lr_scheduler must be constant, linear or cosine (autonomous is a lr_control_mode), but is "autonomous"',
    ],
    [
      'optimizer.skill_aware_appendix_source=successes',
      'optimizer.skill_aware_appendix_source must be both or failure_only, but is "successes"',
    ],
    ['gradient.max_analyst_rounds=5', 'gradient.max_analyst_rounds: 5 is not supported'],
    ['evaluation.use_semantic_density=true', 'evaluation.use_semantic_density: true is not supported'],
    ['human_feedback.enabled=true', 'human_feedback.enabled: true is not supported'],
    ['train.mem0_enabled=true', 'train.mem0_enabled: true is not supported'],
    ['env.name=swebench', 'env.name: swebench is not supported'],
    [
      'env.name=searchqq',
      'env.name: searchqq is not a Python SkillOpt environment (flag --cfg-options env.name); there are searchqa, docvqa, livemathematicianbench, spreadsheetbench, officeqa, alfworld',
    ],
    ['gradient.use_deep_reflect=true', 'gradient.use_deep_reflect: true is not supported'],
    ['optimizer.use_meta_reflect=true', 'optimizer.use_meta_reflect: true is not supported'],
    ['env.split_output_dir=x', 'env.split_output_dir: "x" is not supported'],
    ['env.max_turns=4', 'env.max_turns: 4 is not supported'],
    [
      'model.target_backend=aider_exec',
      'model.target_backend asks for the backend aider_exec, which is unknown (flag --cfg-options model.target_backend); use openai_chat,',
    ],
    ['env.image_detail=high', 'env.image_detail: "high" is not supported'],
    [
      'train.batchsize=4',
      'train.batchsize is not a Python SkillOpt setting (flag --cfg-options train.batchsize); did you mean train.batch_size?',
    ],
    ['foo.bar=4', 'foo.bar is not a Python SkillOpt setting'],
    [
      'train.num_epochs=four',
      'train.num_epochs must be a whole number above 0, but is "four" (flag --cfg-options train.num_epochs).',
    ],
    ['evaluation.use_gate=perhaps', 'evaluation.use_gate must be true or false, but is "perhaps"'],
    [
      'evaluation.gate_metric=best',
      'evaluation.gate_metric must be one of hard, soft, mixed, reward, but is "best"',
    ],
    ['train.train_size=-1', 'train.train_size must be a whole number of at least 0, but is -1'],
    ['env.split_mode=both', 'env.split_mode must be one of ratio, split_dir, but is "both"'],
    ['env.skill_init=', 'env.skill_init is not set'],
    ['env.split_dir=', 'env.split_dir is not set, although env.split_mode is split_dir'],
    ['novalue', '--cfg-options takes section.key=value'],
  ])('%s', async (option, sentence) => {
    await writeRun()
    expect(await refusal({ env, cfgOptions: [option] })).toContain(sentence)
  })

  it('names the file and line, also of a base', async () => {
    await writeRun(run, {
      'configs/_base_/default.yaml': base.replace('skill_update_mode: patch', 'skill_update_mode: something'),
    })
    expect(await refusal({ env })).toContain('(../_base_/default.yaml:38)')
  })

  it('a key written into the file, without repeating it', async () => {
    await writeRun(run.replace('train:', '  qwen_chat_api_key: sk-secret\ntrain:'))
    const message = await refusal({ env })
    expect(message).toContain(
      'model.qwen_chat_api_key holds a secret (run.yaml:7): put the key into the environment variable QWEN_CHAT_API_KEY instead',
    )
    expect(message).not.toContain('sk-secret')
  })

  it('a circle of bases, a base that is not there, a base that is no path', async () => {
    await writeRun('_base_: b.yaml\n', { 'configs/searchqa/b.yaml': '_base_: run.yaml\n' })
    expect(await refusal()).toBe('_base_ is circular: run.yaml -> b.yaml -> run.yaml.')
    await writeRun('_base_: gone.yaml\n')
    expect(await refusal()).toBe('gone.yaml cannot be read: there is no such file.')
    await writeRun('_base_: 5\n')
    expect(await refusal()).toBe('_base_ must be a path or a list of paths (run.yaml:1).')
  })

  it('is told apart from ours by more than a section of the same name', async () => {
    await write({ 'skillopt.yaml': 'train:\n  epochs: 2\noptimizer:\n  learningRate: 3\nsandbox: none\n' })
    expect(await refusal({ config: 'skillopt.yaml' })).not.toContain('reference')
    const flags = { config: 'skillopt.yaml', cfgOptions: ['--num_epochs=2'] }
    expect(await refusal(flags)).toBe(
      '--num_epochs is a Python SkillOpt flag and works only with its configs.',
    )
  })

  it('is distinguished from our own config with a typo', async () => {
    await write({ 'skillopt.yaml': 'environment: {}\nmodel:\n  target: a/b\n' })
    expect(await refusal({ config: 'skillopt.yaml' })).toContain(
      'model is not an option (skillopt.yaml:3); did you mean models?',
    )
  })
})
