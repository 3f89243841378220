/** In a file of its own, so that `--help` lists them without loading the schema of a task. */
export const taskSplits = ['train', 'val', 'test', 'held-back'] as const
export type TaskSplit = (typeof taskSplits)[number]
