import type { ChatReply, ChatRequest } from '../chat.js'
import type { Dice } from '../random.js'

/**
 * A kind of work that the simulated models understand besides parcel quotes. A solver defines the agent's
 * default behaviour, the lessons that improve it, and how a reader of its attempts sees that a lesson is
 * missing. Like everything simulated, it knows only the messages of the request, and no task, id or answer
 * from elsewhere.
 */
export interface Solver<L extends string = string> {
  readonly id: string
  readonly lessons: Readonly<Record<L, Lesson>>
  /** Whether a request is of this kind, according to its system message and its latest user message. */
  recognises(request: ChatRequest): boolean
  /** Pattern of the first words of a task. If a message contains both, the skill ends there. */
  readonly taskBegins?: RegExp
  /**
   * The agent's next turn. `follows` tells whether the agent applies a lesson. It does so if the skill states
   * the lesson, apart from an occasional slip; otherwise it acts by default. Within a turn, the result for a
   * lesson stays the same.
   */
  act(request: ChatRequest, follows: (lesson: L) => boolean, dice: Dice): ChatReply
  /**
   * Remarks that the optimizer makes without evidence, general and harmful ones. By default those for parcel
   * quotes are used.
   */
  readonly remarks?: { readonly general: readonly string[]; readonly harmful?: readonly string[] }
}

/** An attempt as the optimizer's prompt shows it. */
export interface Attempt {
  readonly question: string
  readonly reply: string
  readonly feedback: string
  readonly whole: string
}

/** Advice that improves results when a skill states it. */
export interface Lesson {
  /** Wordings that an optimizer would use. Each is one line that `isStatedIn` recognises. */
  readonly wordings: readonly [string, ...string[]]
  /** Whether a line of a skill states the lesson. It may use other words. */
  isStatedIn(line: string): boolean
  /**
   * Whether a failed attempt shows that the lesson was missing. Like a model, it judges by the conversation
   * and the scorer's feedback in the optimizer's prompt.
   */
  isLackingIn(attempt: Attempt): boolean
  /**
   * For a lesson that names things, such as headings or figures: wordings for what this attempt lacked and
   * the skill does not state yet. Empty if there is nothing to add.
   */
  wordingsFor?(attempt: Attempt, skill: string): readonly string[]
  /** Whether an answer follows the lesson, in the judge's view. Absent if the work is not judged. */
  isKeptIn?(attempt: { readonly question: string; readonly answer: string }): boolean
}
