import type { Config } from './config.js'
import type { Schedule } from './edit-budget.js'

/** Options whose default depends on the loop: what pays with one of them adds nothing with the other. */
type LoopConfig = Pick<Config, 'train' | 'optimizer'>

/** What happens at the end of an epoch besides validation. */
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

/** How the edit budget falls over so many steps. */
export function scheduleOf({ train, optimizer }: LoopConfig, steps: number): Schedule {
  const { learningRate: max, minLearningRate, schedule } = optimizer
  const mode = schedule ?? (train.loop === 'steps' ? 'cosine' : 'constant')
  return { mode, max, min: Math.min(minLearningRate, max), steps }
}
