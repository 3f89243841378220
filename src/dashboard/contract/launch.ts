import type { PresetName } from '../../core/config/presets.js'
import type { CapName } from '../../core/errors/errors.js'
import type { Role } from '../../core/ports/model.js'

/** What the form of a training and the server agree on. */

/** A folder with a config file in it. `id` stands for it in every request; never a path. */
export interface LaunchProject {
  readonly id: string
  readonly name: string
  /** As a person would write it, from where the dashboard was started. */
  readonly folder: string
  /** The example that comes with the package: simulated, so that it needs no key and costs nothing. */
  readonly bundled: boolean
}

/** `GET /api/launch/projects` */
export interface LaunchProjects {
  readonly projects: readonly LaunchProject[]
  /** There are more than are listed. */
  readonly isCut: boolean
}

export type LaunchOptionKind = 'model' | 'number' | 'switch' | 'choice' | 'choices' | 'text' | 'long text'

/** One option of the config, from its schema. */
export interface LaunchOption {
  readonly path: string
  readonly description: string
  readonly kind: LaunchOptionKind
  /** What it takes, in words. */
  readonly expected: string
  readonly choices?: readonly string[]
  /** As text, as all values here: what `--set` takes. */
  readonly byDefault?: string
  /** Whether a run may go on under another value. */
  readonly mayChange: boolean
  /** Why it is changed in the project's file and not here. */
  readonly locked?: string
}

/** `GET /api/launch/options`: the same for every project. */
export interface LaunchOptions {
  readonly options: readonly LaunchOption[]
  /** Names to choose a model from; there are others. */
  readonly models: readonly string[]
}

/** Start from a version of another run. */
export interface LaunchFork {
  readonly run: string
  readonly version: number
}

/** `GET /api/launch/forks/:run`: what a fork of the run starts with. */
export interface LaunchForkForm {
  readonly project: string
  readonly name: string
  readonly versions: readonly { readonly version: number; readonly score?: number; readonly best: boolean }[]
  /** What differs between the run's settings and those of the project as it is now. */
  readonly changes: LaunchChanges
}

/** Dotted path -> value as text; only what differs from the project. */
export type LaunchChanges = Readonly<Record<string, string>>

/** `POST /api/launch/check` and, once nothing is wrong, `POST /api/launch/forecast`. Neither spends or writes anything. */
export interface LaunchCheckRequest {
  readonly project: string
  readonly changes: LaunchChanges
  readonly fork?: LaunchFork | undefined
}

export interface LaunchProblem {
  /** Of the option that it is about, where it is about one. */
  readonly path?: string
  readonly message: string
  readonly hint?: string
}

export interface LaunchValue {
  readonly value: string
  /** `file skillopt.yaml:12`, `environment SKILLOPT_…`, `preset paper`, `default`; a change here is a flag. */
  readonly source: string
}

export interface LaunchCheck {
  readonly problems: readonly LaunchProblem[]
  /** Every value with these changes; absent where the config cannot be read at all. */
  readonly values?: Readonly<Record<string, LaunchValue>>
  /** Options that the environment has of its own. */
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
  /** Absent where a price is not known. */
  readonly cost?: ForecastRange | undefined
}

export interface LaunchForecast {
  /** Stands for these very settings and prices, and for the most that they were forecast to take: what is agreed to. */
  readonly id: string
  /** What run directories of the project are called. */
  readonly name: string
  readonly simulated: boolean
  /** Nothing can be charged: nobody has to agree. */
  readonly free: boolean
  readonly preset: PresetName
  readonly rows: readonly (ForecastFigures & { readonly stage: string; readonly role: Role })[]
  readonly total: ForecastFigures
  readonly presets: readonly (ForecastFigures & { readonly preset: PresetName })[]
  readonly prices: readonly {
    readonly role: Role
    readonly model: string
    /** US dollars per million tokens; absent where it is not known. */
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
  /** Made by the page, once for each training: the same twice starts one. */
  readonly key: string
  /** The id of the forecast that was shown and agreed to; needed where something may be charged. */
  readonly agreed?: string | undefined
}

export interface LaunchStarted {
  readonly directory: string
  /** False while it still gets ready, which large tasks can take minutes for: the same request again waits on. */
  readonly begun: boolean
  /** Absent where it has not begun, or lies outside of the folders that the dashboard shows. */
  readonly run?: string
}

export type LaunchLimits = Readonly<Partial<Record<CapName, number | undefined>>>

/** `POST /api/runs/:run/resume` */
export interface ResumeRequest {
  readonly key: string
  /** Caps from now on, in place of those that it had. */
  readonly limits: LaunchLimits
  /** Calls may be charged again. */
  readonly agreed: true
}

/** `POST /api/runs/:run/stop`. `at once` is for a process that does not end by itself. */
export interface StopRequest {
  readonly how: 'politely' | 'at once'
}

/** `gone`: no process was at work on it, or it has ended by now. */
export interface StopAnswer {
  readonly state: 'ending' | 'gone'
}
