import type { ChatReply, ChatRequest } from '../chat.js'
import type { Dice } from '../random.js'

/**
 * One kind of work that the simulated models understand besides quoting parcels: how an agent goes about it by habit,
 * what it has to be told to do better, and how someone who reads its attempts can tell. Like everything simulated, it
 * knows the messages of the request and nothing else: no task, id or answer from anywhere else.
 */
export interface Solver<L extends string = string> {
  readonly id: string
  readonly lessons: Readonly<Record<L, Lesson>>
  /** Whether this is the solver's kind of work, by what the system message and the latest user message say. */
  recognises(request: ChatRequest): boolean
  /** The first words of a task's message, where the skill stands before it in the same message: there it ends. */
  readonly taskBegins?: RegExp
  /**
   * The agent's next turn. `follows` says whether it does what a lesson says: it does when the skill says so, except for
   * a slip now and then; otherwise it follows its habit. Asked twice about one lesson in a turn, it says the same.
   */
  act(request: ChatRequest, follows: (lesson: L) => boolean, dice: Dice): ChatReply
  /** What someone says about it who has nothing exact to say, and what does damage; as of parcels, if absent. */
  readonly remarks?: { readonly general: readonly string[]; readonly harmful?: readonly string[] }
}

/** An attempt as the optimizer's prompt shows it. */
export interface Attempt {
  readonly question: string
  readonly reply: string
  readonly feedback: string
  readonly whole: string
}

/** Something that a skill can say and that makes a difference. */
export interface Lesson {
  /** How an optimizer would put it, in a few ways; each is one line, and `isStatedIn` must recognise it. */
  readonly wordings: readonly [string, ...string[]]
  /** Whether a line of a skill says so, in these or other words. */
  isStatedIn(line: string): boolean
  /**
   * Whether a failed attempt shows that this was lacking, judged as a model would: from the conversation and the scorer's
   * feedback, as the optimizer's prompt shows them.
   */
  isLackingIn(attempt: Attempt): boolean
  /**
   * For a lesson that names things, such as a heading or a figure: how to put what this attempt lacked and the skill does
   * not say yet. None where there is nothing to add.
   */
  wordingsFor?(attempt: Attempt, skill: string): readonly string[]
  /** Whether an answer does what the lesson says, as someone sees who reads it; absent where no judge is ever asked. */
  isKeptIn?(attempt: { readonly question: string; readonly answer: string }): boolean
}
