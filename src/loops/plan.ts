import type { Config } from '../core/config.js'
import { seededShuffle } from '../core/random.js'
import { budgetAt } from '../core/schedule.js'
import type { Task } from '../core/task.js'

/** What is known before the first call: how many steps there are, which tasks each sees, and its edit budget. */
export interface Plan {
  readonly epochs: number
  readonly stepsPerEpoch: number
  /** The steps of an epoch, each a list of batches: more than one when gradients are accumulated. */
  steps(epoch: number): readonly { readonly step: number; readonly batches: readonly (readonly Task[])[] }[]
  budget(step: number): number
  /** The train tasks compared at the end of an epoch. */
  sample(epoch: number, count: number): readonly Task[]
}

export function planTraining(config: Config, train: readonly Task[]): Plan {
  const { epochs, batchSize, accumulation, seed } = config.train
  const { learningRate, minLearningRate, schedule } = config.optimizer
  const stepsPerEpoch = Math.ceil(train.length / (batchSize * accumulation))
  const curve = {
    mode: schedule,
    max: learningRate,
    min: Math.min(minLearningRate, learningRate),
    steps: epochs * stepsPerEpoch,
  }
  return {
    epochs,
    stepsPerEpoch,
    steps(epoch) {
      const batches = chunks(seededShuffle(train, seed + 1000 * epoch), batchSize)
      return chunks(batches, accumulation).map((group, index) => ({
        step: (epoch - 1) * stepsPerEpoch + index + 1,
        batches: group,
      }))
    },
    budget: step => budgetAt(curve, step),
    // Its own seed, or the sample would be the head of some epoch's order.
    sample: (epoch, count) => seededShuffle(train, seed + 1_000_003 * epoch).slice(0, count),
  }
}

function chunks<T>(items: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, index) =>
    items.slice(index * size, (index + 1) * size),
  )
}
