import type { Config } from './config.js'

const usualEpochs = 3
/** A small train split is gone through more often: about so many attempts are needed to judge edits. */
const enoughAttempts = 400
const mostEpochs = 20

/** Passes over the train split: as configured, or as many as its size asks for. */
export function epochsOf({ train }: Pick<Config, 'train'>, tasks: number): number {
  if (train.epochs !== undefined) return train.epochs
  if (train.loop === 'steps') return usualEpochs
  return Math.max(usualEpochs, Math.min(mostEpochs, Math.ceil(enoughAttempts / Math.max(1, tasks))))
}
