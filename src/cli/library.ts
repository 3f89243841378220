import type { SkillOptError } from '../core/errors.js'
import type { RunEvent } from '../core/event.js'
import type { Interval } from '../core/ports.js'
import type { RunView } from '../core/state.js'
import type { Message, Outcome, Split } from '../core/task.js'
import type { Forecast } from '../loops/forecast.js'

/** What the commands need of the rest, so that a test of a command needs none of it. */
export interface Library {
  startTraining(options: TrainingOptions): Promise<TrainingResult>
  evaluateSkill(options: EvaluationOptions): Promise<EvaluationResult>
  tryTask(options: TryOptions): Promise<TryResult>
}

export interface ProjectOptions {
  readonly project?: string | undefined
  readonly config?: string | undefined
  readonly cfgOptions?: readonly string[] | undefined
  /** Dotted path -> value. */
  readonly flags?: Readonly<Record<string, unknown>> | undefined
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd: string
  readonly signal?: AbortSignal | undefined
}

export interface Watching {
  readonly onReady?: ((info: ReadyInfo) => void) | undefined
  readonly onEvent?: ((event: RunEvent) => void) | undefined
  /** Asked before the first call that costs money; never when every model is simulated. */
  readonly confirm?: ((forecast: Forecast) => Promise<boolean>) | undefined
}

export interface TrainingOptions extends ProjectOptions, Watching {
  readonly out?: string | undefined
  readonly fresh?: boolean | undefined
  readonly fork?: string | undefined
}

export interface ReadyInfo {
  readonly directory: string
  readonly resumed: boolean
  readonly name: string
  readonly mapped: readonly string[]
  readonly warnings: readonly string[]
  /** What the log says so far: events from here on go to `onEvent`. */
  readonly view: RunView
}

export type RunEnd = 'finished' | 'paused' | 'cap' | 'interrupted' | 'declined'

export interface TrainingResult {
  readonly outcome: RunEnd
  readonly directory: string
  readonly error?: SkillOptError | undefined
  readonly view: RunView
}

export interface EvaluationOptions extends ProjectOptions, Watching {
  readonly skill?: string | undefined
  readonly split: Split | 'all'
}

export interface SplitResult {
  readonly split: Split
  readonly score: number
  readonly hard: number
  readonly soft: number
  readonly scored: number
  readonly failed: number
  readonly interval: Interval
  readonly types: readonly {
    readonly type: string
    readonly hard: number
    readonly scored: number
    readonly failed: number
    readonly interval: Interval
  }[]
}

export interface EvaluationResult extends TrainingResult {
  readonly splits: readonly SplitResult[]
}

export interface TryOptions extends ProjectOptions {
  readonly task: string
  readonly skill?: string | undefined
}

export interface TryResult {
  readonly task: string
  readonly split: Split
  readonly simulated: boolean
  readonly messages: readonly Message[]
  readonly outcome: Outcome
  readonly view: RunView
}
