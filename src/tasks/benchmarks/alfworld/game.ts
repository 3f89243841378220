import { z } from 'zod'
import { messageOf } from '../../../core/errors/errors.js'
import { type Goal, readGoal } from './goal.js'
import { type Layout, readLayout } from './layout.js'
import { readProblem } from './pddl.js'
import { checkRules, readTexts } from './rules.js'

/** The immutable part of a game, as read from its file. */
export interface Game extends Layout {
  /** The sentence after "Your task is to:". */
  readonly task: string
  readonly goal: Goal
  /** Output of the command `help`. */
  readonly help: string
  /** Commands that win the game. */
  readonly walkthrough: readonly string[]
}

const fileSchema = z.object({
  pddl_domain: z.string(),
  grammar: z.string(),
  pddl_problem: z.string(),
  walkthrough: z.array(z.string()).default([]),
  solvable: z.boolean().default(true),
})

/** Parses a `game.tw-pddl` file. Throws an `Error` whose message continues after the file's name. */
export function readGame(text: string): Game {
  const file = readFields(text)
  if (!file.solvable) throw new Error('is marked as a game that cannot be won')
  checkRules(file.pddl_domain)
  const texts = readTexts(file.grammar)
  try {
    const problem = readProblem(file.pddl_problem)
    const goal = readGoal(problem.goal)
    return { ...texts, goal, walkthrough: file.walkthrough, ...readLayout(problem.facts) }
  } catch (error) {
    throw new Error(`has a \`pddl_problem\` that cannot be played: ${messageOf(error)}`, { cause: error })
  }
}

function readFields(text: string): z.infer<typeof fileSchema> {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw new Error(`is cut short, or not JSON: ${messageOf(error)}`, { cause: error })
  }
  const parsed = fileSchema.safeParse(value)
  if (parsed.success) return parsed.data
  const fields = parsed.error.issues.map(({ path }) => path.join('.')).filter(field => field !== '')
  throw new Error(
    `is not a game file${fields.length === 0 ? '' : `: ${fields.join(', ')} missing or of another type`}`,
  )
}
