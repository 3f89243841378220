import type { Part, Score, Split, Task, Trajectory } from '../task/task.js'
import type { ModelReply, ModelRequest, ToolSpec } from './model.js'
import type { Sandbox } from './sandbox.js'

/**
 * Capabilities that an environment needs and a harness offers. If one is missing, the run is rejected before
 * anything is spent.
 */
export type Capability = 'chat' | 'tools' | 'turns' | 'images' | 'documents' | 'workspace'

export interface Tool extends ToolSpec {
  call(argumentsJson: string, signal: AbortSignal): Promise<string>
}

/** An attempt's conversation: one question, a tool loop, or a dialogue with the environment. */
export interface Session {
  /** The environment's rules, placed before the skill. May be empty. */
  readonly instructions: string
  /** Text, or text with files in the order in which the model receives them. */
  readonly prompt: string | readonly Part[]
  /** Position of the skill: in the system prompt under `## Skill`, or before the user prompt. */
  readonly skillAt: 'system' | 'user'
  readonly tools: readonly Tool[]
  readonly turnLimit: number
  /** Wall-clock limit for the whole attempt. The turn that exceeds it is the last. */
  readonly secondsLimit?: number
  /** In multi-turn environments: returns the next user message, or `done`. */
  reply?(assistantText: string): Promise<string | 'done'>
  /** Each turn sends only the rules, the skill and the latest message, which must be self-contained. */
  readonly stateless?: boolean
  /**
   * The attempt's own folder, in which the agent works and from which scoring reads files. `close` removes
   * it.
   */
  readonly workspace?: string
  /**
   * Whether only `tools` may change the workspace. An agent's own tools are then off, because they would work
   * on a copy.
   */
  readonly toolsOnly?: boolean
  /** Text for reflection only, never shown to the target. */
  readonly hidden?: string
  close(): Promise<void>
}

/** Resources available to a session while it is open. */
export interface SessionContext {
  readonly signal: AbortSignal
  readonly sandbox: Sandbox
  /** Whether the session is only inspected and never run, so that it needs no folder. */
  readonly isLook?: boolean
}

export interface ScoreContext extends SessionContext {
  /**
   * Calls the judge model, which is never the optimizer's. If the judge fails, that is an external failure,
   * not a score. `vote` distinguishes votes on the same question; without it, calls are numbered
   * consecutively.
   */
  judge(request: ModelRequest, vote?: number): Promise<ModelReply>
  /** The session's folder, if it has one. */
  readonly workspace?: string
  /** The agent's changes to its input files, in words and lines; judges treat them as part of its answer. */
  readonly changedFiles?: string
}

/** What scoring needs besides the reply. Unmet needs are rejected before anything is spent. */
export interface ScoringNeeds {
  /** Judge calls per attempt, not counting repairs. */
  readonly judgeCalls?: number
  readonly sandbox?: boolean
}

/**
 * A rubric of an environment that can be called on its own. `doctor --judge` uses it to compare the judge
 * with human labels.
 */
export interface RubricJudge<T extends Task = Task> {
  /** Name of the rubric's part in a weighted score; empty if the rubric is the whole score. */
  readonly name: string
  readonly votes: number
  /** Minimum score of a passing answer. */
  readonly threshold: number
  score(task: T, trajectory: Trajectory, context: ScoreContext): Promise<Score>
}

export interface Environment<T extends Task = Task> {
  readonly id: string
  readonly needs: readonly Capability[]
  /** Warnings to show before anything is paid. */
  readonly warnings?: readonly string[]
  /**
   * The environment's own optimizer prompts, by name (`analyst-failure`, …). Prompts in the user's folder
   * take precedence.
   */
  readonly prompts?: Readonly<Record<string, string>>
  readonly scoring?: ScoringNeeds
  /**
   * Hashes of files that affect scores and that the config only references. A change of these files changes
   * the run.
   */
  readonly fingerprints?: Readonly<Record<string, string>>
  readonly judges?: readonly RubricJudge<T>[]
  /**
   * Checks, before anything is spent, that the sandbox has the programs that scoring runs. Throws
   * `InputError` if one is missing.
   */
  checkSandbox?(sandbox: Sandbox): Promise<void>
  /** All validated tasks of a split. Throws `InputError` for bad data. */
  tasks(split: Split): Promise<readonly T[]>
  open(task: T, context: SessionContext): Promise<Session>
  score(task: T, trajectory: Trajectory, context: ScoreContext): Promise<Score>
}
