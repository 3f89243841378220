/**
 * Maps the keys of the Python reference's YAML, except those of its models (models.ts). No key is ignored:
 * each is in one of these tables, or it is refused as unknown.
 */

export interface Direct {
  /** Dotted path of our option. */
  readonly to: string
  readonly read: 'number' | 'boolean' | 'text'
  /** Converts the reference's value to ours. Undefined if there is no equivalent. */
  readonly map?: (value: unknown) => unknown
  /** Description of the values that `map` accepts. */
  readonly takes?: string
  /** The reference's default, if it differs from ours. It applies if the key is not set. */
  readonly otherwise?: unknown
}

const isTrue = (yes: unknown, no: unknown) => (value: unknown) => (value === true ? yes : no)

const oneOf =
  (...known: string[]) =>
  (value: unknown) =>
    known.find(name => name === value)

/** Update modes of the reference by name. The short names come from its command line. */
const updateModes: Readonly<Record<string, string>> = {
  patch: 'patch',
  rewrite_from_suggestions: 'rewrite_from_suggestions',
  rewrite: 'rewrite_from_suggestions',
  suggestions: 'rewrite_from_suggestions',
  full_rewrite_minibatch: 'full_rewrite_minibatch',
  full_rewrite: 'full_rewrite_minibatch',
  minibatch_full_rewrite: 'full_rewrite_minibatch',
}

export const directKeys: Readonly<Record<string, Direct>> = {
  'train.num_epochs': { to: 'train.epochs', read: 'number' },
  'train.batch_size': { to: 'train.batchSize', read: 'number' },
  'train.accumulation': { to: 'train.accumulation', read: 'number' },
  'train.seed': { to: 'train.seed', read: 'number' },
  'gradient.minibatch_size': { to: 'reflect.minibatchSize', read: 'number' },
  'gradient.merge_batch_size': { to: 'reflect.mergeBatchSize', read: 'number' },
  'gradient.failure_only': { to: 'reflect.failureOnly', read: 'boolean' },
  'gradient.analyst_workers': { to: 'models.optimizer.concurrency', read: 'number', otherwise: 16 },
  'optimizer.learning_rate': { to: 'optimizer.learningRate', read: 'number' },
  'optimizer.min_learning_rate': { to: 'optimizer.minLearningRate', read: 'number' },
  'optimizer.lr_control_mode': {
    to: 'optimizer.control',
    read: 'text',
    map: oneOf('fixed', 'autonomous', 'none'),
    takes: 'fixed, autonomous or none',
  },
  'optimizer.lr_scheduler': {
    to: 'optimizer.schedule',
    read: 'text',
    map: oneOf('constant', 'linear', 'cosine'),
    takes: 'constant, linear or cosine (autonomous is a lr_control_mode)',
  },
  'optimizer.skill_update_mode': {
    to: 'optimizer.mode',
    read: 'text',
    map: value => updateModes[String(value)],
    takes: 'patch, rewrite_from_suggestions or full_rewrite_minibatch',
  },
  'optimizer.use_skill_aware_reflection': { to: 'reflect.skillAware.enabled', read: 'boolean' },
  'optimizer.skill_aware_appendix_source': {
    to: 'reflect.skillAware.successes',
    read: 'text',
    map: value => (value === 'both' ? true : value === 'failure_only' ? false : undefined),
    takes: 'both or failure_only',
    otherwise: 'both',
  },
  'optimizer.skill_aware_consolidate_threshold': {
    to: 'reflect.skillAware.notes',
    read: 'number',
    otherwise: 0,
  },
  'model.rewrite_reasoning_effort': {
    to: 'optimizer.effort.update',
    read: 'text',
    map: oneOf('none', 'minimal', 'low', 'medium', 'high', 'xhigh'),
    takes: 'none, minimal, low, medium, high or xhigh',
  },
  'optimizer.use_slow_update': { to: 'optimizer.slowUpdate.enabled', read: 'boolean' },
  'optimizer.slow_update_samples': { to: 'optimizer.slowUpdate.samples', read: 'number' },
  'optimizer.slow_update_gate_with_selection': {
    to: 'optimizer.slowUpdate.accept',
    read: 'boolean',
    map: isTrue('gated', 'force'),
    otherwise: false,
  },
  'optimizer.longitudinal_pair_policy': { to: 'optimizer.slowUpdate.pairs', read: 'text' },
  'optimizer.use_meta_skill': { to: 'optimizer.metaSkill', read: 'boolean' },
  'evaluation.use_gate': { to: 'evaluation.gate', read: 'boolean', map: isTrue('strict', 'always') },
  'evaluation.gate_metric': { to: 'evaluation.metric', read: 'text' },
  'evaluation.gate_mixed_weight': { to: 'evaluation.mixedWeight', read: 'number' },
  'evaluation.sel_env_num': { to: 'evaluation.validationSize', read: 'number' },
  'evaluation.test_env_num': { to: 'evaluation.testSize', read: 'number' },
  'evaluation.eval_test': {
    to: 'evaluation.test',
    read: 'boolean',
    map: isTrue(['initial', 'best', 'last'], []),
    otherwise: true,
  },
}

export interface OnlyOff {
  /** Values that switch the feature off. Empty text always does. */
  readonly fine: readonly unknown[]
  readonly why: string
}

const notYet = 'is not supported yet'
const deepReflection = 'the reference has retired deep reflection'

/** Keys of features that are not supported. Unless the value switches the feature off, the key is refused. */
export const onlyOff: Readonly<Record<string, OnlyOff>> = {
  'train.mem0_enabled': { fine: [false], why: `memory in mem0 ${notYet}` },
  'gradient.max_analyst_rounds': {
    fine: [3],
    why: 'the reference has retired it: how many analyst calls there are follows from gradient.minibatch_size',
  },
  'optimizer.meta_learning_rate': { fine: [0], why: 'the meta skill here has no edit budget' },
  'evaluation.use_semantic_density': { fine: [false], why: `the semantic-density bonus ${notYet}` },
  'human_feedback.enabled': { fine: [false], why: `pausing at the gate for a person ${notYet}` },
  'gradient.use_deep_reflect': { fine: [false], why: deepReflection },
  'env.use_deep_reflect': { fine: [false], why: deepReflection },
  'optimizer.use_meta_reflect': {
    fine: [false],
    why: 'the reference has retired it; optimizer.use_meta_skill took its place',
  },
  'env.split_output_dir': {
    fine: [],
    why: 'splits are made in memory; `skillopt data split` writes them out',
  },
}

/** Keys that have no effect here, with the reason. */
export const harmless: readonly { readonly keys: readonly string[]; readonly why: string }[] = [
  {
    keys: ['train.steps_per_epoch'],
    why: 'follows from the number of tasks and the batch size, there as here',
  },
  {
    keys: inSection('train', 'mem0_', [
      'namespace',
      'retrieval_enabled',
      'retrieval_limit',
      'timeout_seconds',
      'max_chars',
    ]),
    why: 'only read when train.mem0_enabled is true',
  },
  {
    keys: ['evaluation.semantic_density_weight', 'evaluation.leading_words'],
    why: 'only read when evaluation.use_semantic_density is true',
  },
  {
    keys: inSection('human_feedback', '', ['timeout_seconds', 'on_timeout', 'max_retries_per_step']),
    why: 'only read when human_feedback.enabled is true',
  },
  {
    keys: ['model.rewrite_max_completion_tokens'],
    why: 'all calls of the optimizer have one output limit, models.optimizer.maxOutputTokens',
  },
  {
    keys: ['gradient', 'env'].flatMap(section =>
      inSection(section, 'deep_reflect_', ['failures', 'successes']),
    ),
    why: 'only read when use_deep_reflect is true',
  },
  {
    keys: ['model.codex_trace_to_optimizer', 'model.claude_trace_to_optimizer'],
    why: 'only read with a coding agent as target',
  },
  {
    keys: [
      ...inSection('model', 'codex_exec_', [
        'path',
        'sandbox',
        'profile',
        'full_auto',
        'reasoning_effort',
        'use_sdk',
        'network_access',
        'web_search',
        'approval_policy',
      ]),
      ...inSection('model', '', ['codex_path', 'codex_cli_bin', 'codex_bin', 'codex_sandbox', 'sandbox']),
      ...inSection('model', 'claude_code_exec_', [
        'path',
        'profile',
        'use_sdk',
        'effort',
        'max_thinking_tokens',
      ]),
      ...inSection('model', 'cursor_exec_', ['path', 'sandbox']),
      ...inSection('model', 'copilot_exec_', ['path', 'home', 'allow_all_tools']),
      ...inSection('model', 'copilot_chat_', ['optimizer_model', 'target_model', 'timeout']),
    ],
    why: 'only read by a backend that is not selected',
  },
  {
    // The reference's trainer adds these keys to a run's config.json, which may serve as a config again.
    keys: ['env.batches_per_epoch', 'env.samples_per_epoch'],
    why: 'computed by the run',
  },
]

function inSection(section: string, prefix: string, names: readonly string[]): string[] {
  return names.map(name => `${section}.${prefix}${name}`)
}

/** Keys that yaml.ts maps individually. */
export const trainingKeys = ['env.out_root', 'train.train_size'] as const

/** Old key names without a section. `--cfg-options` and the top level of old files still accept them. */
export const flatNames: Readonly<Record<string, string>> = {
  backend: 'model.backend',
  model_backend: 'model.backend',
  env: 'env.name',
  optimizer_model: 'model.optimizer',
  target_model: 'model.target',
  edit_budget: 'optimizer.learning_rate',
  min_edit_budget: 'optimizer.min_learning_rate',
  meta_edit_budget: 'optimizer.meta_learning_rate',
}
