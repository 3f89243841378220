/**
 * These names have a file of their own, so that `--help` lists them without loading the schema of a task.
 * `divided`: each example of the task has a split of its own. `held-back`: in no split.
 */
export const taskSplits = ['divided', 'train', 'val', 'test', 'held-back'] as const
export type TaskSplit = (typeof taskSplits)[number]
