import type { Part, Score, Split, Task, Trajectory } from '../task/task.js'
import type { ModelReply, ModelRequest, ToolSpec } from './model.js'
import type { Sandbox } from './sandbox.js'

/** What an environment needs and a harness offers; a mismatch is refused before anything is spent. */
export type Capability = 'chat' | 'tools' | 'turns' | 'images' | 'documents' | 'workspace'

export interface Tool extends ToolSpec {
  call(argumentsJson: string, signal: AbortSignal): Promise<string>
}

/** One question, a tool loop, or a world that answers each turn. */
export interface Session {
  /** What the agent is told before the skill: the rules of the environment. May be empty. */
  readonly instructions: string
  /** Text, or text and files in the order in which the model gets them. */
  readonly prompt: string | readonly Part[]
  /** Where the skill goes: system prompt under `## Skill`, or before the user prompt. */
  readonly skillAt: 'system' | 'user'
  readonly tools: readonly Tool[]
  readonly turnLimit: number
  /** Time on the clock for the whole attempt; the turn that passes it is the last. */
  readonly secondsLimit?: number
  /** For worlds that answer: the next user message, or `done`. */
  reply?(assistantText: string): Promise<string | 'done'>
  /** Every turn is asked anew, with nothing but the rules, the skill and the latest message, which says all that counts. */
  readonly stateless?: boolean
  /** A folder of this attempt's own, in which the agent works and where scoring finds what it made; `close` removes it. */
  readonly workspace?: string
  /** The workspace is worked in by `tools` alone. An agent's own tools are off then: they would work on a copy of it. */
  readonly toolsOnly?: boolean
  /** Text for reflection only, never shown to the target. */
  readonly hidden?: string
  close(): Promise<void>
}

/** What a session may use while it lasts. */
export interface SessionContext {
  readonly signal: AbortSignal
  readonly sandbox: Sandbox
  /** Nothing will be run in it, so that no folder needs to be made for it. */
  readonly isLook?: boolean
}

export interface ScoreContext extends SessionContext {
  /**
   * Asks the judge model, which is never the optimizer's. A judge that fails is a failure of the world, not a score.
   * Votes on the same question are told apart by their number; without one, calls count up.
   */
  judge(request: ModelRequest, vote?: number): Promise<ModelReply>
  /** The session's folder, if it has one. */
  readonly workspace?: string
  /** What the agent did to the files that it was given, in words and lines: for judges, as a part of its answer. */
  readonly changedFiles?: string
}

/** What scoring takes besides the reply; what is not there is refused before anything is spent. */
export interface ScoringNeeds {
  /** Calls of the judge model per attempt, repairs aside. */
  readonly judgeCalls?: number
  readonly sandbox?: boolean
}

/** One rubric of an environment, asked on its own: `doctor --judge` compares it with the labels of people. */
export interface RubricJudge<T extends Task = Task> {
  /** The part of a weighted score that it is; empty when it is the whole. */
  readonly name: string
  readonly votes: number
  /** The score from which an answer passes. */
  readonly threshold: number
  score(task: T, trajectory: Trajectory, context: ScoreContext): Promise<Score>
}

export interface Environment<T extends Task = Task> {
  readonly id: string
  readonly needs: readonly Capability[]
  /** What the user should know before paying, besides errors. */
  readonly warnings?: readonly string[]
  /** Optimizer prompts of its own, by name (`analyst-failure`, …); the user's prompts folder stands above them. */
  readonly prompts?: Readonly<Record<string, string>>
  readonly scoring?: ScoringNeeds
  /** Hashes of files that decide scores and that the config only names: a change of them is a change of the run. */
  readonly fingerprints?: Readonly<Record<string, string>>
  readonly judges?: readonly RubricJudge<T>[]
  /** Looks in the sandbox for what scoring will run there, before anything is spent. Throws `InputError`. */
  checkSandbox?(sandbox: Sandbox): Promise<void>
  /** All tasks of a split, checked. Throws `InputError` for bad data. */
  tasks(split: Split): Promise<readonly T[]>
  open(task: T, context: SessionContext): Promise<Session>
  score(task: T, trajectory: Trajectory, context: ScoreContext): Promise<Score>
}
