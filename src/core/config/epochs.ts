import type { Config } from './config.js'

const usualEpochs = 3
/** Judging edits takes about this many attempts in total, so a small train split gets more epochs. */
const enoughAttempts = 400
const mostEpochs = 20

/** Number of passes over the train split: the configured number, or one derived from the split's size. */
export function epochsOf({ train }: Pick<Config, 'train'>, tasks: number): number {
  if (train.epochs !== undefined) return train.epochs
  if (train.loop === 'steps') return usualEpochs
  return Math.max(usualEpochs, Math.min(mostEpochs, Math.ceil(enoughAttempts / Math.max(1, tasks))))
}
