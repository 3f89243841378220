import type { ChatReply, ChatRequest } from '../chat.js'
import type { Dice } from '../random.js'

/**
 * A kind of work that the simulated models understand besides quoting parcels: the agent's default
 * behaviour, the lessons that improve it, and how a reader of its attempts detects a missing lesson. Like
 * everything simulated, a solver knows only the messages of the request, and no task, id or answer from
 * elsewhere.
 */
export interface Solver<L extends string = string> {
  readonly id: string
  readonly lessons: Readonly<Record<L, Lesson>>
  /** Whether the system message and the latest user message describe this solver's kind of work. */
  recognises(request: ChatRequest): boolean
  /** Matches the first words of a task. Marks the end of the skill if both are in the same message. */
  readonly taskBegins?: RegExp
  /**
   * The agent's next turn. `follows` tells whether the agent applies a lesson: it does if the skill states
   * it, apart from an occasional slip; otherwise it acts by default. Within a turn, `follows` always gives
   * the same answer for a lesson.
   */
  act(request: ChatRequest, follows: (lesson: L) => boolean, dice: Dice): ChatReply
  /** General remarks made without evidence, and harmful ones; defaults to the remarks for parcels. */
  readonly remarks?: { readonly general: readonly string[]; readonly harmful?: readonly string[] }
}

/** An attempt in the form that the optimizer's prompt shows. */
export interface Attempt {
  readonly question: string
  readonly reply: string
  readonly feedback: string
  readonly whole: string
}

/** Advice that improves results when a skill states it. */
export interface Lesson {
  /** Wordings that an optimizer would use; each is one line, and `isStatedIn` must recognise it. */
  readonly wordings: readonly [string, ...string[]]
  /** Whether a line of a skill states the lesson, in these or other words. */
  isStatedIn(line: string): boolean
  /**
   * Whether a failed attempt shows that the lesson was missing, judged like a model: from the conversation
   * and the scorer's feedback in the optimizer's prompt.
   */
  isLackingIn(attempt: Attempt): boolean
  /**
   * For a lesson that names things, such as a heading or a figure: wordings for what this attempt lacked and
   * the skill does not state yet. Empty if there is nothing to add.
   */
  wordingsFor?(attempt: Attempt, skill: string): readonly string[]
  /** Whether an answer follows the lesson, as a reader would see it; absent if no judge is used. */
  isKeptIn?(attempt: { readonly question: string; readonly answer: string }): boolean
}
