import type { Config } from '../core/config/config.js'
import type { Problem } from '../core/config/config-problems.js'
import { type ConfigTree, dotted, valueAt } from '../core/config/tree.js'

interface StepsOnly {
  readonly path: readonly string[]
  /** The value that switches the option off. */
  readonly idle: unknown
  /** Explains why training by trials does not use the option. */
  readonly because: string
}

const stepsOnly: readonly StepsOnly[] = [
  {
    path: ['optimizer', 'mode'],
    idle: 'patch',
    because: 'trials judge each edit by itself, and a rewrite cannot be split',
  },
  {
    path: ['optimizer', 'control'],
    idle: 'fixed',
    because: 'every proposed edit is tried',
  },
  {
    path: ['optimizer', 'slowUpdate', 'accept'],
    idle: 'gated',
    because: 'guidance is tried like any edit',
  },
  { path: ['train', 'samples'], idle: 1, because: 'trials choose which task is tried again' },
  { path: ['train', 'accumulation'], idle: 1, because: 'all rounds are judged together' },
  {
    path: ['reflect', 'skillAware', 'enabled'],
    idle: false,
    because: 'a reminder in the appendix has no trials of its own',
  },
]

/**
 * Reports options that training by trials would ignore. Only options that were set explicitly count, not
 * defaults or presets.
 */
export function stepsOnlyProblems(config: Config, tree: ConfigTree): Problem[] {
  if (config.train.loop !== 'trials') return []
  return stepsOnly.flatMap(({ path, idle, because }) => {
    const value = valueAt(config, path)
    const origin = tree.origins.get(dotted(path))
    const isChosen = origin !== undefined && origin !== 'default' && !origin.startsWith('preset ')
    if (!isChosen || value === idle) return []
    const where = ` (${origin.replace(/^file /, '')})`
    const remedy = 'set train.loop: steps, or leave it out'
    return [
      {
        path: dotted(path),
        sentence: `${dotted(path)}: ${String(value)}${where} applies only to train.loop: steps, because ${because}; ${remedy}`,
      },
    ]
  })
}
