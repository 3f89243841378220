import { epochEndOf } from '../../core/config/loop-defaults.js'
import type { Role } from '../../core/ports/model.js'
import { finalPasses } from '../../core/statistics/final-passes.js'
import type { Setup } from '../loops/setup.js'
import { probeTasks } from '../loops/step-probe.js'
import { type Plan, planTraining } from '../loops/steps/step-plan.js'
import { planTrials } from '../loops/trials/training.js'
import { lookAt } from '../stages/attempt.js'
import { type CallEstimates, type CallTokens, callEstimates, lengthsInWords } from './call-tokens.js'
import { type Course, expectedCourse } from './expected-steps.js'
import type { Measured } from './history.js'
import { exactly, mapped, plus, type Range, sumOf, times } from './range.js'
import { type Rates, ratesFor } from './rates.js'
import {
  analysts,
  attemptsRead,
  counted,
  merges,
  minibatches,
  rollouts,
  stepsOf,
  testAttempts,
  validation,
} from './stage-counts.js'

export type { Range } from './range.js'

export interface ForecastRow {
  readonly stage: string
  readonly role: Role
  readonly calls: Range
  readonly tokens: Range
  /** Absent if the model's price is unknown. */
  readonly cost: Range | undefined
}

export interface Forecast {
  readonly rows: readonly ForecastRow[]
  readonly total: Omit<ForecastRow, 'stage' | 'role'>
  /** Target inputs besides text. Their cost is unknown before the first call and is not in the figures. */
  readonly onTop: readonly string[]
  /** The basis of the figures, shown with them: measurements of earlier runs, and assumptions. */
  readonly measured: readonly string[]
  readonly assumptions: readonly string[]
  /** Whether reply lengths are a guess, for lack of measurements. */
  readonly guessesLengths: boolean
}

/** Forecasts a training before the first paid call: counts from the config, lengths from skill and tasks. */
export async function forecast(setup: Setup, measured?: Measured): Promise<Forecast> {
  return setup.config.train.loop === 'trials'
    ? forecastTrials(setup, measured)
    : forecastSteps(setup, measured)
}

/** Attempts at train tasks per reflection. */
const attemptsPerReflection = { low: 60, likely: 45, high: 30 } as const

/**
 * Training by trials: all rounds have the same size, and few calls go to the optimizer. The ranges are wide,
 * because training may end early and the number of checkpoints and the gate's stopping points vary.
 */
async function forecastTrials(setup: Setup, measured: Measured | undefined): Promise<Forecast> {
  const { config, tasks } = setup
  const { epochs, stepsPerEpoch } = planTrials(config, tasks.train)
  const rounds = epochs * stepsPerEpoch
  const most = rounds * Math.min(config.trials.round, tasks.train.length)
  const attempts = { low: Math.min(most, (2 * most) / epochs), likely: most, high: most }
  const reflections = {
    low: Math.floor(attempts.low / attemptsPerReflection.low),
    likely: Math.ceil(most / attemptsPerReflection.likely),
    high: Math.ceil(most / attemptsPerReflection.high),
  }
  const estimates = await callEstimates(setup, measured)
  const perAttempt = await callsPerAttempt(setup, measured)
  const validated = trialValidation(tasks.val.length, epochs)
  const { hasSlowUpdate, hasMetaSkill } = epochEndOf(config)
  // The last epoch needs no slow update, since no step follows that could use it.
  const ends = epochs - 1
  const compared = hasSlowUpdate ? 2 * Math.min(config.optimizer.slowUpdate.samples, tasks.train.length) : 0
  const perEnd = Number(hasSlowUpdate) + Number(hasMetaSkill)
  const target = (stage: string, count: Range, tokens = estimates.target) =>
    row(setup, stage, 'target', times(count, perAttempt), tokens)
  const rows = [
    target('rollout', attempts),
    row(setup, 'reflect', 'optimizer', reflections, estimates.optimizer(attemptsRead(config), ['reflect'])),
    target('gate', validated),
    target('slow update', { low: 0, likely: ends * compared, high: ends * compared }),
    row(
      setup,
      'slow update, meta skill',
      'optimizer',
      { low: 0, likely: ends * perEnd, high: ends * perEnd },
      estimates.optimizer(exactly(compared), ['meta-skill']),
    ),
    target('test', testAttempts(setup, { changed: likelyToLearn }), estimates.test),
  ]
  const basis = {
    measured: [],
    assumed: [
      ...turnsInWords(perAttempt),
      `${rounds} rounds at most; training ends early when nothing new is proposed`,
      'at the high end, the final test and the checkpoints run all validation tasks',
    ],
  }
  return summed(setup, rows, estimates, measured, basis, perAttempt)
}

/** Probability that the last skill differs from the first. From trainings in simulated worlds. */
const likelyToLearn = 0.8

/** On small splits the final test runs both skills several times; checkpoints come at the ends of epochs. */
function trialValidation(tasks: number, epochs: number): Range {
  const passes = finalPasses(tasks)
  const final = 2 * tasks * passes
  return {
    low: Math.min(20, final),
    likely: Math.min(final, 60) + 2 * Math.min(tasks, 20),
    high: final + 2 * tasks * Math.max(0, epochs - 1),
  }
}

async function forecastSteps(setup: Setup, measured: Measured | undefined): Promise<Forecast> {
  const { config, tasks } = setup
  const plan = planTraining(config, tasks.train)
  const rates = ratesFor(config, tasks.val.length, measured?.counts)
  const course = expectedCourse(plan, config, rates)
  const steps = stepsOf(plan, config, course)
  const laterEpochs = {
    ...mapped(steps, count => Math.max(0, Math.ceil(count / plan.stepsPerEpoch) - 1)),
    likely: course.laterEpochs,
  }
  const perStep = tasks.train.length / plan.stepsPerEpoch
  const { slowUpdate, mode } = config.optimizer
  const { hasSlowUpdate, hasMetaSkill } = epochEndOf(config)
  const compared = hasSlowUpdate || hasMetaSkill ? Math.min(slowUpdate.samples, tasks.train.length) : 0
  const guided = hasSlowUpdate ? laterEpochs : exactly(0)
  const perEpochEnd = Number(hasSlowUpdate) + Number(hasMetaSkill)
  const proposing = { low: 0, likely: course.accepted + course.rejected, high: steps.high }

  const estimates = await callEstimates(setup, measured)
  const perAttempt = await callsPerAttempt(setup, measured)
  const attempts = (stage: string, count: Range, tokens = estimates.target) =>
    row(setup, stage, 'target', times(count, perAttempt), tokens)
  const calls = (stage: string, count: Range, tokens: CallTokens) =>
    row(setup, stage, 'optimizer', count, tokens)
  const { optimizer } = estimates
  const { samples } = config.train

  const rows = [
    attempts(
      'rollout',
      times(rollouts(config, times(steps, perStep), perStep * course.batches, tasks.train.length), samples),
    ),
    calls(
      'reflect',
      times(counted(analysts(config, plan), measured?.counts.analysts), steps),
      optimizer(attemptsRead(config), ['reflect']),
    ),
    calls(
      'merge and rank',
      times(counted(merges(config, perStep), measured?.counts.merges), steps),
      optimizer(exactly(0), ['aggregate', 'select']),
    ),
    calls(
      'rewrite',
      mode === 'rewrite_from_suggestions' ? proposing : exactly(0),
      optimizer(exactly(0), ['update']),
    ),
    attempts('gate', times(validation(steps, guided, course, rates), tasks.val.length)),
    attempts('slow update', {
      ...times({ low: compared, likely: 0, high: 2 * compared }, laterEpochs),
      likely: compared * course.compared,
    }),
    calls(
      'slow update, meta skill',
      times(laterEpochs, perEpochEnd),
      optimizer(exactly(2 * compared), ['meta-skill']),
    ),
    attempts('test', testAttempts(setup, course), estimates.test),
  ]
  const basis = courseInWords(plan, course, rates, measured)
  return summed(
    setup,
    rows,
    estimates,
    measured,
    { ...basis, assumed: [...turnsInWords(perAttempt), ...basis.assumed] },
    perAttempt,
  )
}

/**
 * A tool loop or an interactive environment takes one call per turn; the number of turns is not known in
 * advance.
 */
async function callsPerAttempt(setup: Setup, measured: Measured | undefined): Promise<Range> {
  if (measured !== undefined) return exactly(measured.callsPerAttempt)
  if (setup.models.target.agent !== undefined) return exactly(1)
  const [first] = setup.tasks.train.length > 0 ? setup.tasks.train : setup.tasks.test
  const turns = first === undefined ? 1 : (await lookAt(setup, first)).turnLimit
  return { low: 1, likely: Math.sqrt(turns), high: turns }
}

function turnsInWords({ likely, high }: Range): string[] {
  return likely === high ? [] : [`an attempt takes ${Math.round(likely)} calls, at most ${high}`]
}

/** Forecasts a probe. The high end is an upper bound, since it assumes replies of maximum length. */
export async function forecastProbe(setup: Setup): Promise<Forecast> {
  const { config, models } = setup
  const tasks = probeTasks(setup)
  const perAttempt = await callsPerAttempt(setup, undefined)
  const estimates = await callEstimates(setup, undefined)
  const upTo = (role: 'target' | 'optimizer', { output, ...call }: CallTokens): CallTokens => ({
    ...call,
    output: { ...output, high: models[role].maxOutputTokens },
  })
  const attempts = times(perAttempt, tasks.length * config.train.samples)
  const rows = [
    row(setup, 'rollout', 'target', attempts, upTo('target', estimates.target)),
    row(
      setup,
      'reflect',
      'optimizer',
      minibatches(tasks.length, config.reflect),
      upTo('optimizer', estimates.optimizer(attemptsRead(config), ['reflect'])),
    ),
    row(
      setup,
      'merge and rank',
      'optimizer',
      merges(config, tasks.length),
      upTo('optimizer', estimates.optimizer(exactly(0), ['aggregate', 'select'])),
    ),
  ]
  return summed(
    setup,
    rows,
    estimates,
    undefined,
    { measured: [], assumed: turnsInWords(perAttempt) },
    perAttempt,
  )
}

/**
 * Forecasts the rest of a baseline comparison: the one-shot skill unless it is written, and the skills left
 * to test.
 */
export async function forecastBaseline(
  setup: Setup,
  { examples, untested }: { readonly examples: number | undefined; readonly untested: number },
): Promise<Forecast> {
  const estimates = await callEstimates(setup, undefined)
  const perAttempt = await callsPerAttempt(setup, undefined)
  const attempts = (stage: string, count: number) =>
    row(setup, stage, 'target', times(perAttempt, count), estimates.target)
  const oneShot =
    examples === undefined
      ? []
      : [
          attempts('examples', examples),
          row(
            setup,
            'one-shot skill',
            'optimizer',
            { low: 1, likely: 1, high: 2 },
            estimates.optimizer(exactly(examples), ['one-shot']),
          ),
        ]
  const rows = [...oneShot, attempts('test', untested * setup.tasks.test.length)]
  return summed(
    setup,
    rows,
    estimates,
    undefined,
    { measured: [], assumed: turnsInWords(perAttempt) },
    perAttempt,
  )
}

/** Forecasts this many attempts, with any skill. */
export async function forecastAttempts(
  setup: Setup,
  attempts: number,
  measured: Measured | undefined,
): Promise<Forecast> {
  const estimates = await callEstimates(setup, measured)
  const perAttempt = await callsPerAttempt(setup, measured)
  const rows = [row(setup, 'test', 'target', times(perAttempt, attempts), estimates.target)]
  const basis = { measured: [], assumed: turnsInWords(perAttempt) }
  return summed(setup, rows, estimates, measured, basis, perAttempt)
}

/** The basis of the figures, in words. */
interface Basis {
  readonly measured: readonly string[]
  readonly assumed: readonly string[]
}

function courseInWords(
  plan: Plan,
  { steps, accepted }: Course,
  { rejectedSplits }: Rates,
  measured: Measured | undefined,
): Basis {
  const [taken, all] = [Math.round(steps), plan.epochs * plan.stepsPerEpoch]
  const share = Math.round(100 * rejectedSplits)
  const course = [
    `${taken === all ? `all ${all}` : `${taken} of ${all}`} steps, ${Math.round(accepted)} of them accepted`,
    `a rejected candidate is run on ${share}% of the validation split`,
  ].join('; ')
  const ends = 'at the high end, every step has a candidate that is run on all of it'
  const trained = (measured?.counts.courses.length ?? 0) > 0
  return trained
    ? {
        measured: ['how often edits are accepted and what the gate takes'],
        assumed: [`by that, ${course}`, ends],
      }
    : { measured: [], assumed: [course, ends] }
}

export function row(
  setup: Pick<Setup, 'models'>,
  stage: string,
  role: Role,
  calls: Range,
  perCall: CallTokens,
): ForecastRow {
  const { price } = setup.models[role] ?? { price: undefined }
  const counts = {
    calls: mapped(calls, Math.round),
    tokens: mapped(times(plus(perCall.input, perCall.output), calls), Math.round),
  }
  if (price === undefined) return { stage, role, ...counts, cost: undefined }
  const input = perCall.cached * (price.cachedInput ?? price.input) + (1 - perCall.cached) * price.input
  const each = plus(times(perCall.input, input), times(perCall.output, price.output))
  return { stage, role, ...counts, cost: times(times(each, calls), 1e-6) }
}

/** If a judge scores, every attempt also takes its votes. */
function votes(
  setup: Setup,
  rows: readonly ForecastRow[],
  { judge }: CallEstimates,
  perAttempt: Range,
): ForecastRow[] {
  const each = setup.environment.scoring?.judgeCalls ?? 0
  if (each === 0) return []
  const calls = sumOf(rows.filter(({ role }) => role === 'target').map(({ calls }) => calls))
  return [
    row(
      setup,
      'votes',
      'judge',
      times(
        calls,
        mapped(perAttempt, calls => each / calls),
      ),
      judge,
    ),
  ]
}

function summed(
  setup: Setup,
  given: readonly ForecastRow[],
  estimates: CallEstimates,
  measured: Measured | undefined,
  basis: Basis,
  perAttempt: Range,
): Forecast {
  const judged = votes(setup, given, estimates, perAttempt)
  const rows = [...given, ...judged].filter(({ calls }) => calls.high > 0)
  const costs = rows.map(({ cost }) => cost)
  const lengths = lengthsInWords(measured, new Set(rows.map(({ role }) => role)), setup.models)
  const known = [...lengths.measured, ...basis.measured]
  return {
    rows,
    total: {
      calls: sumOf(rows.map(({ calls }) => calls)),
      tokens: sumOf(rows.map(({ tokens }) => tokens)),
      cost: costs.every(cost => cost !== undefined) ? sumOf(costs) : undefined,
    },
    onTop: setup.environment.needs.filter(need => need === 'images' || need === 'documents'),
    measured: measured === undefined ? [] : [`${known.join('; ')} (${measured.runs.join(', ')})`],
    guessesLengths: lengths.assumed.length > 0,
    assumptions: [...lengths.assumed, ...basis.assumed, 'no failed calls'],
  }
}
