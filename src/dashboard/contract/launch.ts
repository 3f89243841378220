import type { PresetName } from '../../core/config/presets.js'
import type { CapName } from '../../core/errors/errors.js'
import type { Role } from '../../core/ports/model.js'

/** The API contract between the training form and the server. */

/** A folder that contains a config file. Requests refer to it by `id`, never by path. */
export interface LaunchProject {
  readonly id: string
  readonly name: string
  /** Display path, relative to where the dashboard was started. */
  readonly folder: string
  /** True for the example bundled with the package. It is simulated, so it needs no key and costs nothing. */
  readonly bundled: boolean
}

/** `GET /api/launch/projects` */
export interface LaunchProjects {
  readonly projects: readonly LaunchProject[]
  /** True if there are more projects than are listed. */
  readonly isCut: boolean
}

export type LaunchOptionKind = 'model' | 'number' | 'switch' | 'choice' | 'choices' | 'text' | 'long text'

/** One option of the config, from its schema. */
export interface LaunchOption {
  readonly path: string
  readonly description: string
  readonly kind: LaunchOptionKind
  /** Accepted values, in words. */
  readonly expected: string
  readonly choices?: readonly string[]
  /** Default value. Like all values here, it is text in the syntax of `--set`. */
  readonly byDefault?: string
  /** Whether a run can be resumed with a different value. */
  readonly mayChange: boolean
  /** Why the option can only be changed in the project's file. */
  readonly locked?: string
}

/** `GET /api/launch/options`: the same for every project. */
export interface LaunchOptions {
  readonly options: readonly LaunchOption[]
  /** Suggested model names; others are accepted too. */
  readonly models: readonly string[]
}

/** Starts from a version of another run. */
export interface LaunchFork {
  readonly run: string
  readonly version: number
}

/** `GET /api/launch/forks/:run`: initial form values for a fork of the run. */
export interface LaunchForkForm {
  readonly project: string
  readonly name: string
  readonly versions: readonly { readonly version: number; readonly score?: number; readonly best: boolean }[]
  /** Differences between the run's settings and the project's current ones. */
  readonly changes: LaunchChanges
}

/** Dotted path -> value as text, only for values that differ from the project. */
export type LaunchChanges = Readonly<Record<string, string>>

/**
 * `POST /api/launch/check`, then `POST /api/launch/forecast` once the check finds no problems. Neither
 * request spends or writes anything.
 */
export interface LaunchCheckRequest {
  readonly project: string
  readonly changes: LaunchChanges
  readonly fork?: LaunchFork | undefined
}

export interface LaunchProblem {
  /** Path of the invalid option, if the problem concerns one. */
  readonly path?: string
  readonly message: string
  readonly hint?: string
}

export interface LaunchValue {
  readonly value: string
  /**
   * `file skillopt.yaml:12`, `environment SKILLOPT_…`, `preset paper` or `default`; changes made in the form
   * count as flags.
   */
  readonly source: string
}

export interface LaunchCheck {
  readonly problems: readonly LaunchProblem[]
  /** All values of the config with the changes applied. Absent if the config cannot be read. */
  readonly values?: Readonly<Record<string, LaunchValue>>
  /** Options specific to the environment. */
  readonly environment?: readonly LaunchOption[]
}

export interface ForecastRange {
  readonly low: number
  readonly likely: number
  readonly high: number
}

interface ForecastFigures {
  readonly calls: ForecastRange
  readonly tokens: ForecastRange
  /** Absent if a price is unknown. */
  readonly cost?: ForecastRange | undefined
}

export interface LaunchForecast {
  /** Identifies the settings, prices and upper bounds of the forecast that the user agrees to. */
  readonly id: string
  /** Base name of the project's run directories. */
  readonly name: string
  readonly simulated: boolean
  /** True if nothing can be charged, so no agreement is needed. */
  readonly free: boolean
  readonly preset: PresetName
  readonly rows: readonly (ForecastFigures & { readonly stage: string; readonly role: Role })[]
  readonly total: ForecastFigures
  readonly presets: readonly (ForecastFigures & { readonly preset: PresetName })[]
  readonly prices: readonly {
    readonly role: Role
    readonly model: string
    /** US dollars per million tokens; absent if unknown. */
    readonly price?: { readonly input: number; readonly output: number } | undefined
    readonly from: 'config' | 'provider' | 'price table' | 'unknown'
    readonly date?: string
  }[]
  readonly onTop: readonly string[]
  readonly measured: readonly string[]
  readonly assumptions: readonly string[]
  readonly guessesLengths: boolean
  readonly warnings: readonly string[]
}

/** `POST /api/launch/start` */
export interface LaunchStartRequest extends LaunchCheckRequest {
  /** Idempotency key, new for each training. Sending the same key twice starts one training. */
  readonly key: string
  /** Id of the forecast that the user agreed to; required if anything may be charged. */
  readonly agreed?: string | undefined
}

export interface LaunchStarted {
  readonly directory: string
  /**
   * False while the training is still preparing, which can take minutes for large tasks. Repeat the same
   * request to keep waiting.
   */
  readonly begun: boolean
  /** Id of the run. Absent if it has not begun, or lies outside the folders that the dashboard shows. */
  readonly run?: string
}

export type LaunchLimits = Readonly<Partial<Record<CapName, number | undefined>>>

/** `POST /api/runs/:run/resume` */
export interface ResumeRequest {
  readonly key: string
  /** New caps, replacing the previous ones. */
  readonly limits: LaunchLimits
  /** Confirms that the resumed run may make paid calls again. */
  readonly agreed: true
}

/** `POST /api/runs/:run/stop`. `politely` asks for an exit; `at once` also kills it if necessary. */
export interface StopRequest {
  readonly how: 'politely' | 'at once'
}

/** `gone`: no process was working on the run, or it has exited. */
export interface StopAnswer {
  readonly state: 'ending' | 'gone'
}
