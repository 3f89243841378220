/** A task that the shipped skill does not solve. */
export interface FailingTask {
  readonly task: string
  readonly type: string
  /** Mean score with the shipped skill, and with the seed if it was tried. */
  readonly score: number
  readonly before: number | undefined
  /** What the scorer said of the latest failed attempt: expected and got. */
  readonly feedback: string
}

export interface FailingType {
  readonly type: string
  readonly tasks: number
  /** Mean score with the shipped skill, and with the seed if all its tasks were tried with it. */
  readonly score: number
  readonly before: number | undefined
  readonly failing: readonly FailingTask[]
  /** Content of the accepted edit that was learned from tasks of this type alone. */
  readonly line: string | undefined
}

export interface Failures {
  readonly split: 'test' | 'validation'
  readonly tasks: number
  /** Types with failing tasks, the one with most of them first. */
  readonly types: readonly FailingType[]
  /** Tasks that the seed solved and the shipped skill fails. */
  readonly broken: readonly FailingTask[]
}
