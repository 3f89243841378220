/** `running` and `killed` look the same in a log: whether its process is there tells them apart. */
export type RunState =
  | 'running'
  | 'killed'
  | 'finished'
  | 'paused'
  | 'cap reached'
  | 'interrupted'
  | 'failed'
  /** Its log cannot be read: `problem` says why. */
  | 'unreadable'
