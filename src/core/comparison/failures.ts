/** A task that the shipped skill does not solve. */
export interface FailingTask {
  readonly task: string
  readonly type: string
  /** Mean score with the shipped skill; `before` is that with the seed, if the seed was tried. */
  readonly score: number
  readonly before: number | undefined
  /** The scorer's feedback on the latest failed attempt: what it expected and what it got. */
  readonly feedback: string
}

export interface FailingType {
  readonly type: string
  readonly tasks: number
  /** Mean score with the shipped skill; `before` is that with the seed, if all tasks were tried with it. */
  readonly score: number
  readonly before: number | undefined
  readonly failing: readonly FailingTask[]
  /** Content of the accepted edit that was learned from tasks of this type alone. */
  readonly line: string | undefined
}

export interface Failures {
  readonly split: 'test' | 'validation'
  readonly tasks: number
  /** Types with failing tasks, sorted by the number of failing tasks. */
  readonly types: readonly FailingType[]
  /** Tasks that the seed solved and the shipped skill fails. */
  readonly broken: readonly FailingTask[]
}
