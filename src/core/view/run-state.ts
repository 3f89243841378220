/** `running` and `killed` look the same in a log; only the existence of the process distinguishes them. */
export type RunState =
  | 'running'
  | 'killed'
  | 'finished'
  | 'paused'
  | 'cap reached'
  | 'interrupted'
  | 'failed'
  /** The log cannot be read; `problem` holds the reason. */
  | 'unreadable'
