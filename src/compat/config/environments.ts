/** The reference's environments: their names here, and the mapping of their own keys. */

export interface EnvironmentKey {
  /** Dotted path of our option. */
  readonly to: string
  readonly read: 'number' | 'boolean' | 'text' | 'path'
  readonly map?: (value: unknown) => unknown
  readonly takes?: string
  /** The reference's default, if it differs from ours. */
  readonly otherwise?: unknown
}

/** A key for a feature that is not supported. The `fine` values switch it off; any other value is refused. */
export interface FixedKey {
  readonly fine: readonly unknown[]
  readonly why: string
}

export interface TheirEnvironment {
  readonly ours: string
  /** Where tasks come from if the config does not say. `always` means that a config cannot change it. */
  readonly splitMode: 'ratio' | 'split_dir' | 'always split_dir'
  readonly workers: number
  readonly keys: Readonly<Record<string, EnvironmentKey | FixedKey>>
}

const oneTurn = (what: string): Readonly<Record<string, FixedKey>> => ({
  'env.max_turns': { fine: [1], why: `${what} is answered in one turn` },
})

const hiddenFromAgent: FixedKey = {
  fine: [false],
  why: 'theorem and sketch are shown to reflection only, never to the agent',
}

export const environments: Readonly<Record<string, TheirEnvironment>> = {
  searchqa: { ours: 'searchqa', splitMode: 'ratio', workers: 64, keys: oneTurn('SearchQA') },
  docvqa: {
    ours: 'docvqa',
    splitMode: 'split_dir',
    workers: 16,
    keys: {
      ...oneTurn('DocVQA'),
      'env.image_detail': { to: 'detail', read: 'text' },
    },
  },
  livemathematicianbench: {
    ours: 'livemath',
    splitMode: 'ratio',
    workers: 64,
    keys: {
      ...oneTurn('LiveMathematicianBench'),
      'env.shuffle_choices': { to: 'shuffleChoices', read: 'boolean' },
      'env.use_theorem': hiddenFromAgent,
      'env.use_sketch': hiddenFromAgent,
    },
  },
  spreadsheetbench: {
    ours: 'spreadsheetbench',
    splitMode: 'ratio',
    workers: 64,
    keys: {
      'env.data_root': { to: 'files', read: 'path' },
      'env.mode': {
        to: 'mode',
        read: 'text',
        map: value =>
          value === 'single' ? 'multi' : value === 'multi' || value === 'react' ? value : undefined,
        takes: 'single, multi or react',
        otherwise: 'single',
      },
      'env.max_turns': { to: 'maxTurns', read: 'number' },
      // In this environment, the key limits a whole task; calls have a limit of their own.
      'env.exec_timeout': { to: 'secondsPerTask', read: 'number' },
    },
  },
  officeqa: {
    ours: 'officeqa',
    splitMode: 'always split_dir',
    workers: 8,
    keys: {
      'env.data_dirs': { to: 'sourcesDir', read: 'path' },
      'env.docs_dirs': { to: 'sourcesDir', read: 'path' },
      'env.max_tool_turns': { to: 'turns', read: 'number', otherwise: 12 },
    },
  },
  alfworld: {
    ours: 'alfworld',
    splitMode: 'split_dir',
    workers: 8,
    keys: { 'env.max_steps': { to: 'maxSteps', read: 'number' } },
  },
}

/** Environments of the reference, current or former, that are not supported here. */
const others = ['babyvision', 'mathverse', 'mmrb', 'sealqa', 'swebench']

/** Keys of the unsupported environments. They have no effect with the supported ones. */
const otherKeys = ['judge_max_completion_tokens', 'judge_model', 'judge_retries']

export const isOtherEnvironment = (name: string): boolean => others.includes(name)

/** All keys that belong to a single environment. */
export const ownKeys: readonly string[] = [
  ...new Set(Object.values(environments).flatMap(({ keys }) => Object.keys(keys))),
  ...otherKeys.map(key => `env.${key}`),
]

/** Keys of all environments. environment.ts maps each of them individually. */
export const commonKeys = [
  'env.name',
  'env.skill_init',
  'env.split_mode',
  'env.split_dir',
  'env.data_path',
  'env.split_ratio',
  'env.split_seed',
  'env.limit',
  'env.workers',
  'env.max_api_workers',
  'env.exec_timeout',
  'env.max_completion_tokens',
] as const
