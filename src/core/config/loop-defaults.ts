import type { Config } from './config.js'
import type { Schedule } from './edit-budget.js'

/** Options whose default depends on the loop, because some stages pay off in one loop only. */
type LoopConfig = Pick<Config, 'train' | 'optimizer'>

/** Stages at the end of an epoch besides validation. */
export function epochEndOf({ train, optimizer }: LoopConfig): {
  readonly hasSlowUpdate: boolean
  readonly hasMetaSkill: boolean
} {
  const byDefault = train.loop === 'steps'
  return {
    hasSlowUpdate: optimizer.slowUpdate.enabled ?? byDefault,
    hasMetaSkill: optimizer.metaSkill ?? byDefault,
  }
}

/** The edit-budget schedule over this many steps. */
export function scheduleOf({ train, optimizer }: LoopConfig, steps: number): Schedule {
  const { learningRate: max, minLearningRate, schedule } = optimizer
  const mode = schedule ?? (train.loop === 'steps' ? 'cosine' : 'constant')
  return { mode, max, min: Math.min(minLearningRate, max), steps }
}
