import type { StageName } from '../core/event.js'
import { promptParts, userMessage } from '../core/parts.js'
import type { Role } from '../core/ports.js'
import type { RunView, Spending } from '../core/state.js'
import { loadTokenCounter } from '../core/tokens.js'
import { exactly, plus, type Range, times } from './range.js'
import type { Setup } from './setup.js'

/** What one call takes. */
export interface CallTokens {
  readonly input: Range
  readonly output: Range
  /** The share of the input that the provider has in its cache. */
  readonly cached: number
}

/** What an earlier run of the same project took: it knows how long replies are, which nothing else can say. */
export interface Measured {
  readonly run: string
  readonly spending: RunView['spending']
  /** More than one where the target uses tools or turns. */
  readonly callsPerAttempt: number
  /** Attempts of the gate per step, as a share of the validation split; only if the gate is the same. */
  readonly gateShare?: number | undefined
}

/** Tokens of a reply while nothing was measured: from a short answer to a long chain of work. */
export const replyTokens: Record<Role, Range> = {
  target: { low: 60, likely: 190, high: 600 },
  judge: { low: 60, likely: 130, high: 300 },
  optimizer: { low: 300, likely: 700, high: 1500 },
}

export interface CallEstimates {
  readonly target: CallTokens
  readonly judge: CallTokens
  /** A call of the optimizer that reads so many attempts; the stages are those of a run that such calls are made in. */
  optimizer(attempts: number, stages: readonly StageName[]): CallTokens
}

/** Lengths of skill and tasks, and what was measured before, as tokens per call. */
export async function callEstimates(setup: Setup, measured: Measured | undefined): Promise<CallEstimates> {
  const count = await loadTokenCounter()
  const { instructions, question } = await taskTokens(setup, count)
  const seed = count(setup.skill)
  // The skill grows while it is trained.
  const skill = { low: seed, likely: seed + 150, high: 2 * seed + 1000 }
  const prior = (role: Role, input: Range): CallTokens => ({ input, output: replyTokens[role], cached: 0 })
  const known = (role: Role) => measured && meanOf([measured.spending.roles[role]])
  const trajectory = plus(exactly(question + 40), replyTokens.target)
  const prompt = { low: 800, likely: 1200, high: 1600 }
  return {
    target: known('target') ?? prior('target', plus(skill, exactly(instructions + question))),
    // The question, a rubric about as long, and the answer.
    judge:
      known('judge') ??
      prior('judge', plus({ low: 400, likely: 600, high: 800 }, plus(exactly(question), replyTokens.target))),
    optimizer: (attempts, stages) =>
      (measured && meanOf(stages.map(stage => measured.spending.stages[stage]))) ??
      known('optimizer') ??
      prior('optimizer', plus(plus(prompt, skill), times(trajectory, attempts))),
  }
}

/** How far a mean of an earlier run may be off in the next one. */
const spread = { low: 0.8, likely: 1, high: 1.3 }

function meanOf(given: readonly (Spending | undefined)[]): CallTokens | undefined {
  const parts = given.filter(part => part !== undefined)
  const total = (of: (spending: Spending) => number) => parts.reduce((sum, part) => sum + of(part), 0)
  const calls = total(part => part.calls - part.unknownUsage)
  if (calls <= 0) return undefined
  const input = total(part => part.input)
  return {
    input: times(spread, input / calls),
    output: times(spread, total(part => part.output) / calls),
    cached: input === 0 ? 0 : total(part => part.cachedInput) / input,
  }
}

/** What the target is told besides the skill, as a mean over some of the tasks. */
async function taskTokens({ environment, tasks }: Setup, count: (text: string) => number) {
  const sample = [...tasks.val.slice(0, 20), ...tasks.train.slice(0, 20)]
  const lengths = await Promise.all(
    sample.map(async task => {
      const session = await environment.open(task)
      await session.close()
      return {
        instructions: count(session.instructions),
        question: count(userMessage(promptParts(session.prompt)).text),
      }
    }),
  )
  const mean = (of: 'instructions' | 'question') =>
    lengths.reduce((sum, length) => sum + length[of], 0) / Math.max(1, lengths.length)
  return { instructions: mean('instructions'), question: mean('question') }
}
