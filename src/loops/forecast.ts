import { promptParts, userMessage } from '../core/parts.js'
import type { Price, Role } from '../core/ports.js'
import { planTraining } from './plan.js'
import type { Setup } from './setup.js'

export interface Range {
  readonly low: number
  readonly high: number
}

export interface ForecastRow {
  readonly stage: string
  readonly role: Role
  readonly calls: Range
  readonly tokens: Range
  /** Absent when the model's price is not known. */
  readonly cost: Range | undefined
}

export interface Forecast {
  readonly rows: readonly ForecastRow[]
  readonly total: Omit<ForecastRow, 'stage' | 'role'>
  /** What goes to the target besides text: what it takes is not known before the first call, and not in the figures. */
  readonly onTop: readonly string[]
  /** What the figures rest on: shown with them, since a forecast is not a bill. */
  readonly assumptions: readonly string[]
}

const charactersPerToken = 4
/** Tokens of a reply: from a short answer to a long chain of work. */
const replyTokens: Record<Role, Range> = {
  target: { low: 60, high: 600 },
  judge: { low: 60, high: 300 },
  optimizer: { low: 300, high: 1500 },
}

/** What a training will take, before the first paid call: counts from the config, lengths from skill and tasks. */
export async function forecast(setup: Setup): Promise<Forecast> {
  const { config, tasks } = setup
  const plan = planTraining(config, tasks.train)
  const steps = plan.epochs * plan.stepsPerEpoch
  const laterEpochs = Math.max(0, plan.epochs - 1)
  const { slowUpdate, metaSkill } = config.optimizer
  const { minibatchSize, mergeBatchSize } = config.reflect
  const compared = slowUpdate.enabled || metaSkill ? Math.min(slowUpdate.samples, tasks.train.length) : 0

  const { target, optimizer, reading } = await estimates(setup)
  const perStep = tasks.train.length / plan.stepsPerEpoch
  const analysts = Math.ceil(perStep / minibatchSize)

  const rows = [
    target('rollout', both(tasks.train.length * plan.epochs)),
    optimizer('reflect', { low: analysts * steps, high: (analysts + 1) * steps }, reading(minibatchSize)),
    optimizer(
      'merge and rank',
      { low: 0, high: (Math.ceil(analysts / mergeBatchSize) + 2) * steps },
      reading(0),
    ),
    optimizer(
      'rewrite',
      { low: 0, high: config.optimizer.mode === 'rewrite_from_suggestions' ? steps : 0 },
      reading(0),
    ),
    // The seed once; then a candidate per step and one guidance per later epoch, unless nothing is proposed.
    target('gate', {
      low: tasks.val.length,
      high: tasks.val.length * (1 + steps + (slowUpdate.enabled ? laterEpochs : 0)),
    }),
    target('slow update', { low: compared * laterEpochs, high: 2 * compared * laterEpochs }),
    optimizer(
      'slow update, meta skill',
      both(laterEpochs * (Number(slowUpdate.enabled) + Number(metaSkill))),
      reading(2 * compared),
    ),
    target('test', testCalls(setup)),
  ].filter(({ calls }) => calls.high > 0)

  return summed(
    await judged(setup, rows),
    'a candidate at every step at the high end; no failed calls, no provider cache',
    besidesText(setup),
  )
}

/** What a comparison of baselines still has to do: the one-shot skill unless it is written, and some skills to test. */
export async function forecastBaseline(
  setup: Setup,
  { examples, untested }: { readonly examples: number | undefined; readonly untested: number },
): Promise<Forecast> {
  const { target, optimizer, reading } = await estimates(setup)
  const oneShot =
    examples === undefined
      ? []
      : [
          target('examples', both(examples)),
          optimizer('one-shot skill', { low: 1, high: 2 }, reading(examples)),
        ]
  const rows = [...oneShot, target('test', both(untested * setup.tasks.test.length))]
  return summed(
    await judged(
      setup,
      rows.filter(({ calls }) => calls.high > 0),
    ),
    'no failed calls, no provider cache',
    besidesText(setup),
  )
}

/** Where a judge scores, every attempt takes its votes too: the question, a rubric about as long, and the answer. */
async function judged(setup: Setup, rows: readonly ForecastRow[]): Promise<readonly ForecastRow[]> {
  const votes = setup.environment.scoring?.judgeCalls ?? 0
  if (votes === 0) return rows
  const attempts = rows.filter(({ role }) => role === 'target').map(({ calls }) => calls)
  const question = await attemptTokens({ ...setup, skill: '' })
  const input = plus({ low: 400 + question.low, high: 800 + question.high }, replyTokens.target)
  const calls = times(attempts.reduce(plus, both(0)), votes)
  return [...rows, row(setup, 'votes', 'judge', calls, plus(input, replyTokens.judge))]
}

/** How a row is worked out, for the skill and tasks at hand. */
async function estimates(setup: Setup) {
  const attempt = await attemptTokens(setup)
  const skillTokens = setup.skill.length / charactersPerToken
  return {
    /** Input of an optimizer call that reads so many attempts. */
    reading: (attempts: number) =>
      plus({ low: 800 + skillTokens, high: 1600 + 2 * skillTokens }, times(attempt, attempts)),
    target: (stage: string, calls: Range) =>
      row(setup, stage, 'target', calls, plus(attempt, replyTokens.target)),
    optimizer: (stage: string, calls: Range, input: Range) =>
      row(setup, stage, 'optimizer', calls, plus(input, replyTokens.optimizer)),
  }
}

function summed(rows: readonly ForecastRow[], assumption: string, onTop: readonly string[]): Forecast {
  return {
    rows,
    total: {
      calls: rows.map(({ calls }) => calls).reduce(plus, both(0)),
      tokens: rows.map(({ tokens }) => tokens).reduce(plus, both(0)),
      cost: rows.reduce<Range | undefined>(
        (sum, { cost }) => (sum === undefined || cost === undefined ? undefined : plus(sum, cost)),
        both(0),
      ),
    },
    onTop,
    assumptions: [
      `about ${charactersPerToken} characters per token, one call per attempt`,
      `replies of ${replyTokens.target.low} to ${replyTokens.target.high} tokens (optimizer ${replyTokens.optimizer.low} to ${replyTokens.optimizer.high})`,
      assumption,
    ],
  }
}

function besidesText({ environment }: Setup): readonly string[] {
  return environment.needs.filter(need => need === 'images' || need === 'documents')
}

/** Input of one attempt, as low and high over a sample of the tasks. */
async function attemptTokens({ environment, skill, tasks }: Setup): Promise<Range> {
  const sample = [...tasks.val.slice(0, 20), ...tasks.train.slice(0, 20)]
  const lengths = await Promise.all(
    sample.map(async task => {
      const session = await environment.open(task)
      await session.close()
      return session.instructions.length + userMessage(promptParts(session.prompt)).text.length
    }),
  )
  const mean = lengths.reduce((sum, length) => sum + length, 0) / Math.max(1, lengths.length)
  return {
    low: (mean + skill.length) / charactersPerToken,
    // The skill grows while it is trained.
    high: (mean + 2 * skill.length + 4000) / charactersPerToken,
  }
}

/** Skills with the same text are tested once: at the least, nothing was learned and the initial skill is the best and the last. */
function testCalls({ config, tasks }: Setup): Range {
  const { test } = config.evaluation
  const trained = test.filter(which => which !== 'none')
  const none = test.includes('none') ? 1 : 0
  return {
    low: tasks.test.length * (none + Math.min(1, trained.length)),
    high: tasks.test.length * (none + trained.length),
  }
}

function row(setup: Setup, stage: string, role: Role, calls: Range, perCall: Range): ForecastRow {
  const { price } = setup.models[role] ?? { price: undefined }
  const tokens = { low: Math.round(calls.low * perCall.low), high: Math.round(calls.high * perCall.high) }
  return {
    stage,
    role,
    calls,
    tokens,
    cost: price === undefined ? undefined : costOf(tokens, role, calls, price),
  }
}

function costOf(tokens: Range, role: Role, calls: Range, price: Price): Range {
  const cost = (total: number, count: number, reply: number) =>
    ((total - count * reply) * price.input + count * reply * price.output) / 1e6
  const reply = replyTokens[role]
  return { low: cost(tokens.low, calls.low, reply.low), high: cost(tokens.high, calls.high, reply.high) }
}

const both = (value: number): Range => ({ low: value, high: value })
const plus = (a: Range, b: Range): Range => ({ low: a.low + b.low, high: a.high + b.high })
const times = (a: Range, factor: number): Range => ({ low: a.low * factor, high: a.high * factor })
