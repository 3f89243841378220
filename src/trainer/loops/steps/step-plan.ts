import type { Config } from '../../../core/config/config.js'
import { budgetAt } from '../../../core/config/edit-budget.js'
import { epochsOf } from '../../../core/config/epochs.js'
import { scheduleOf } from '../../../core/config/loop-defaults.js'
import { seededShuffle } from '../../../core/statistics/random.js'
import type { Task } from '../../../core/task/task.js'
import { type FinishedStep, solvedTasks } from './finished-steps.js'

export interface PlannedStep {
  /** Step number across all epochs, from 1. */
  readonly step: number
  /** Batches of train tasks; more than one if gradients are accumulated. */
  readonly batches: readonly (readonly Task[])[]
  /** Maximum number of edits. */
  readonly budget: number
}

/** The tasks of each step and its edit budget, from the config and the results of earlier epochs. */
export interface Plan {
  readonly epochs: number
  /** Steps of an epoch that tries every task. An epoch that leaves out solved tasks has fewer steps. */
  readonly stepsPerEpoch: number
  /** The steps of an epoch, given the finished steps of earlier epochs. */
  steps(epoch: number, before: readonly FinishedStep[]): readonly PlannedStep[]
  /** The train tasks compared at the end of an epoch. */
  sample(epoch: number, count: number): readonly Task[]
}

export function planTraining(config: Config, train: readonly Task[]): Plan {
  const { batchSize, accumulation, focus, seed } = config.train
  const epochs = epochsOf(config, train.length)
  const stepsPerEpoch = Math.ceil(train.length / (batchSize * accumulation))
  const schedule = scheduleOf(config, epochs * stepsPerEpoch)
  return {
    epochs,
    stepsPerEpoch,
    steps(epoch, before) {
      const order = seededShuffle(train, seed + 1000 * epoch)
      const tried = withoutSolved(order, solvedTasks(before), focus)
      const batches = tried.length === order.length ? chunks(order, batchSize) : evenChunks(tried, batchSize)
      return chunks(batches, accumulation).map((group, index) => ({
        step: before.length + index + 1,
        batches: group,
        // The schedule counts full epochs, so that an epoch with fewer steps does not raise the budget of its
        // steps.
        budget: budgetAt(schedule, (epoch - 1) * stepsPerEpoch + index + 1),
      }))
    },
    // A separate seed per epoch, since otherwise the sample would be the head of some epoch's order.
    sample: (epoch, count) => seededShuffle(train, seed + 1_000_003 * epoch).slice(0, count),
  }
}

/**
 * Leaves out part of the solved tasks, since failed ones offer more to learn. A share of the solved ones is
 * retried, because an edit may have broken them. If nothing failed, all are retried, since only that shows
 * that nothing is left.
 */
function withoutSolved(order: readonly Task[], solved: ReadonlySet<string>, focus: number): readonly Task[] {
  const known = order.filter(({ id }) => solved.has(id))
  if (known.length === order.length) return order
  const again = new Set(known.slice(0, Math.ceil(focus * known.length)))
  return order.filter(task => !solved.has(task.id) || again.has(task))
}

function chunks<T>(items: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, index) =>
    items.slice(index * size, (index + 1) * size),
  )
}

/**
 * Splits the items into as few chunks as the size allows, all about equally long, because a step costs much
 * the same with any number of tasks.
 */
function evenChunks<T>(items: readonly T[], size: number): T[][] {
  return chunks(items, Math.ceil(items.length / Math.ceil(items.length / size)))
}
