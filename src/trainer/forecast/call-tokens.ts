import type { StageName } from '../../core/log/event.js'
import type { Role } from '../../core/ports/model.js'
import { promptParts, userMessage } from '../../core/task/parts.js'
import { loadTokenCounter } from '../../core/text/tokens.js'
import type { Setup } from '../loops/setup.js'
import { previewSession } from '../stages/attempt.js'
import type { RunHistory, Usage } from './history.js'
import { exactly, mapRange, plus, type Range, sumRanges, times } from './range.js'

/** Tokens of one call. */
export interface CallTokens {
  readonly input: Range
  readonly output: Range
  /** Share of the input that is in the provider's cache. */
  readonly cached: number
}

/**
 * Prior for the tokens of a reply, used until something was measured: from one word to a long chain of
 * reasoning. The length depends mostly on model and tasks, so the range is wide.
 */
const replyTokens: Record<Role, Range> = {
  target: { low: 20, likely: 190, high: 1500 },
  judge: { low: 30, likely: 130, high: 600 },
  optimizer: { low: 100, likely: 700, high: 4000 },
}

/** An agent's attempt counts as one call, although the agent makes any number of model calls within it. */
const agentTokens = {
  attempt: {
    input: { low: 10_000, likely: 60_000, high: 500_000 },
    output: { low: 200, likely: 1500, high: 20_000 },
  },
  /** The agent's own instructions, sent before a question without tools. */
  question: { low: 0, likely: 10_000, high: 60_000 },
}

export interface CallEstimates {
  readonly target: CallTokens
  /** Target calls in the final test, averaged over the tested skills. Calls without a skill are shortest. */
  readonly test: CallTokens
  readonly judge: CallTokens
  /**
   * Tokens of an optimizer call that reads this many attempts. `stages` are the run stages that make such
   * calls.
   */
  optimizer(attempts: Range, stages: readonly StageName[]): CallTokens
}

/** Estimates tokens per call from the lengths of skill and tasks and from earlier measurements. */
export async function callEstimates(setup: Setup, measured: RunHistory | undefined): Promise<CallEstimates> {
  const count = await loadTokenCounter()
  const { instructions, question } = await taskTokens(setup, count)
  const seed = count(setup.frame?.fill(setup.skill) ?? setup.skill)
  // The skill grows during training.
  const growth = { low: 0, likely: 150, high: seed + 1000 }
  const skill = plus(exactly(seed), growth)
  const prior = (role: Role, input: Range) => priorTokens(setup, role, input)
  const { target, judge, optimizer } = measured ?? {}
  const tried = target && meanTokens([target.usage])
  const reply = tried?.output ?? replyTokens.target
  // The prior starts from the seed skill. The mean of a measured training already covers skills of all
  // lengths and needs no correction.
  const first = tried ?? prior('target', exactly(seed + instructions + question))
  const isMean = target?.hasTrained === true
  const withSkill = (change: Range) =>
    isMean ? first : { ...first, input: mapRange(plus(first.input, change), tokens => Math.max(0, tokens)) }
  const change = { none: exactly(-seed), initial: exactly(0), best: growth, last: growth }
  const { test } = setup.config.evaluation
  // The last skill is usually the best one.
  const tested = test.filter(which => which !== 'last' || !test.includes('best'))
  const trajectory = plus(exactly(question + 40), reply)
  const { preferences } = setup.config.reflect
  const preferenceTokens = preferences === undefined ? 0 : count(preferences)
  const prompt = plus({ low: 800, likely: 1200, high: 1600 }, exactly(preferenceTokens))
  return {
    target: withSkill(growth),
    test: { ...first, input: meanInput(tested.map(which => change[which]).map(withSkill)) },
    // The question, a rubric of about the same length, and the answer.
    judge:
      (judge && meanTokens([judge])) ??
      prior('judge', plus({ low: 400, likely: 600, high: 800 }, plus(exactly(question), reply))),
    optimizer: (attempts, stages) => {
      const known = optimizer && meanTokens(stages.map(stage => optimizer.stages[stage]))
      if (known !== undefined) return known
      const input = plus(plus(prompt, skill), times(trajectory, attempts))
      const others = optimizer && meanTokens([optimizer.all])
      return others === undefined ? prior('optimizer', input) : { ...others, input }
    },
  }
}

/** Prior for a call with this much input, used until something was measured. */
export function priorTokens({ models }: Pick<Setup, 'models'>, role: Role, input: Range): CallTokens {
  if (models[role]?.agent === undefined) return { input, output: replyTokens[role], cached: 0 }
  const { attempt, question: own } = agentTokens
  return role === 'target'
    ? { input: plus(input, attempt.input), output: attempt.output, cached: 0 }
    : { input: plus(input, own), output: replyTokens[role], cached: 0 }
}

/** Describes where the length estimates come from, and which lengths are unknown. */
export function describeLengths(
  measured: RunHistory | undefined,
  asked: ReadonlySet<Role>,
  { target: { agent } }: Setup['models'],
): { measured: string[]; assumed: string[] } {
  const { target, optimizer } = measured ?? {}
  const known = [
    ...(target === undefined ? [] : ['target']),
    ...(optimizer === undefined || !asked.has('optimizer') ? [] : ['optimizer']),
  ]
  const guess = (role: Role) => {
    const { low, likely, high } = replyTokens[role]
    return `${role} replies: about ${likely.toLocaleString('en-US')} tokens (${low.toLocaleString('en-US')}–${high.toLocaleString('en-US')})`
  }
  return {
    measured: known.length === 0 ? [] : [`tokens per call of the ${known.join(' and the ')}`],
    assumed: [
      ...(target === undefined
        ? agent === undefined
          ? ['tokens counted with o200k, one call per attempt, no provider cache', guess('target')]
          : [describeAttempts(agent.title)]
        : []),
      ...(optimizer === undefined && asked.has('optimizer') ? [guess('optimizer')] : []),
    ],
  }
}

function describeAttempts(title: string): string {
  const { low, likely, high } = agentTokens.attempt.input
  const [least, most] = [low, high].map(tokens => tokens.toLocaleString('en-US'))
  return `about ${likely.toLocaleString('en-US')} tokens per attempt of ${title} (${least}–${most}); run \`skillopt try\` once to measure`
}

/** Range around the mean of earlier runs for the mean of the next run. Fewer calls make it wider. */
function spreadOf(calls: number): Range {
  const width = 0.25 + 1 / Math.sqrt(calls)
  return { low: 1 / (1 + width), likely: 1, high: 1 + width }
}

function meanTokens(given: readonly (Usage | undefined)[]): CallTokens | undefined {
  const parts = given.filter(part => part !== undefined)
  const total = (of: (usage: Usage) => number) => parts.reduce((sum, part) => sum + of(part), 0)
  const calls = total(part => part.calls - part.unknownUsage)
  if (calls <= 0) return undefined
  const input = total(part => part.input)
  const spread = spreadOf(calls)
  return {
    input: times(spread, input / calls),
    output: times(spread, total(part => part.output) / calls),
    cached: input === 0 ? 0 : total(part => part.cachedInput) / input,
  }
}

function meanInput(calls: readonly CallTokens[]): Range {
  return times(sumRanges(calls.map(({ input }) => input)), 1 / Math.max(1, calls.length))
}

/** Tokens of the target's prompt besides the skill, averaged over some of the tasks. */
async function taskTokens(setup: Setup, count: (text: string) => number) {
  const { tasks } = setup
  const sample = [...tasks.val.slice(0, 20), ...tasks.train.slice(0, 20)]
  const lengths = await Promise.all(
    sample.map(async task => {
      const session = await previewSession(setup, task)
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
