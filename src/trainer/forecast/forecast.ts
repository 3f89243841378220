import { epochEndOf } from '../../core/config/loop-defaults.js'
import { finalPasses } from '../../core/statistics/sign-flip-test.js'
import type { Setup } from '../loops/setup.js'
import { probeTasks } from '../loops/step-probe.js'
import { type Plan, planTraining } from '../loops/steps/step-plan.js'
import { planTrials } from '../loops/trials/training.js'
import { previewSession } from '../stages/attempt.js'
import { type CallTokens, callEstimates } from './call-tokens.js'
import { type ExpectedSteps, expectSteps } from './expected-steps.js'
import { type Basis, type Forecast, forecastRow, totalForecast } from './forecast-rows.js'
import type { RunHistory } from './history.js'
import { exactly, mapRange, type Range, times } from './range.js'
import { type Rates, ratesFor } from './rates.js'
import {
  analystCalls,
  attemptsPerAnalyst,
  blendRange,
  mergeCalls,
  minibatchCount,
  rolloutRange,
  stepRange,
  testAttempts,
  validationSplits,
} from './stage-counts.js'

export type { Forecast, ForecastRow } from './forecast-rows.js'
export type { Range } from './range.js'

/** Forecasts a training before it costs anything: counts from the config, lengths from skill and tasks. */
export async function forecast(setup: Setup, history?: RunHistory): Promise<Forecast> {
  return setup.config.train.loop === 'trials' ? forecastTrials(setup, history) : forecastSteps(setup, history)
}

/** Attempts at train tasks per reflection. */
const attemptsPerReflection = { low: 60, likely: 45, high: 30 } as const

/**
 * Forecasts a training by trials. All rounds have the same size, and few calls go to the optimizer. The
 * ranges are wide, because training may end early, and the number of checkpoints and the gate's stopping
 * points vary.
 */
async function forecastTrials(setup: Setup, history: RunHistory | undefined): Promise<Forecast> {
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
  const estimates = await callEstimates(setup, history)
  const perAttempt = await callsPerAttempt(setup, history)
  const validated = trialValidation(tasks.val.length, epochs)
  const { hasSlowUpdate, hasMetaSkill } = epochEndOf(config)
  // The last epoch needs no slow update, since no step follows that could use it.
  const ends = epochs - 1
  const compared = hasSlowUpdate ? 2 * Math.min(config.optimizer.slowUpdate.samples, tasks.train.length) : 0
  const perEnd = Number(hasSlowUpdate) + Number(hasMetaSkill)
  const target = (stage: string, count: Range, tokens = estimates.target) =>
    forecastRow(setup, { stage, role: 'target', calls: times(count, perAttempt), perCall: tokens })
  const rows = [
    target('rollout', attempts),
    forecastRow(setup, {
      stage: 'reflect',
      role: 'optimizer',
      calls: reflections,
      perCall: estimates.optimizer(attemptsPerAnalyst(config), ['reflect']),
    }),
    target('gate', validated),
    target('slow update', { low: 0, likely: ends * compared, high: ends * compared }),
    forecastRow(setup, {
      stage: 'slow update, meta skill',
      role: 'optimizer',
      calls: { low: 0, likely: ends * perEnd, high: ends * perEnd },
      perCall: estimates.optimizer(exactly(compared), ['meta-skill']),
    }),
    target('test', testAttempts(setup, { changed: likelyToLearn }), estimates.test),
  ]
  const basis = {
    measured: [],
    assumed: [
      ...describeTurns(perAttempt),
      `${rounds} rounds at most; training ends early when nothing new is proposed`,
      'at the high end, the final test and the checkpoints run all validation tasks',
    ],
  }
  return totalForecast(setup, { rows, estimates, history, basis, perAttempt })
}

/** Probability that the last skill differs from the first. Measured in trainings in simulated worlds. */
const likelyToLearn = 0.8

/**
 * Validation attempts of a training by trials. On small splits the final test runs both skills several times;
 * checkpoints come at the ends of epochs.
 */
function trialValidation(tasks: number, epochs: number): Range {
  const passes = finalPasses(tasks)
  const final = 2 * tasks * passes
  return {
    low: Math.min(20, final),
    likely: Math.min(final, 60) + 2 * Math.min(tasks, 20),
    high: final + 2 * tasks * Math.max(0, epochs - 1),
  }
}

async function forecastSteps(setup: Setup, history: RunHistory | undefined): Promise<Forecast> {
  const { config, tasks } = setup
  const plan = planTraining(config, tasks.train)
  const rates = ratesFor(config, tasks.val.length, history?.counts)
  const expected = expectSteps(plan, config, rates)
  const steps = stepRange(plan, config, expected)
  const laterEpochs = {
    ...mapRange(steps, count => Math.max(0, Math.ceil(count / plan.stepsPerEpoch) - 1)),
    likely: expected.laterEpochs,
  }
  const perStep = tasks.train.length / plan.stepsPerEpoch
  const { slowUpdate, mode } = config.optimizer
  const { hasSlowUpdate, hasMetaSkill } = epochEndOf(config)
  const compared = hasSlowUpdate || hasMetaSkill ? Math.min(slowUpdate.samples, tasks.train.length) : 0
  const guided = hasSlowUpdate ? laterEpochs : exactly(0)
  const perEpochEnd = Number(hasSlowUpdate) + Number(hasMetaSkill)
  const proposing = { low: 0, likely: expected.accepted + expected.rejected, high: steps.high }

  const estimates = await callEstimates(setup, history)
  const perAttempt = await callsPerAttempt(setup, history)
  const attempts = (stage: string, count: Range, tokens = estimates.target) =>
    forecastRow(setup, { stage, role: 'target', calls: times(count, perAttempt), perCall: tokens })
  const calls = (stage: string, count: Range, tokens: CallTokens) =>
    forecastRow(setup, { stage, role: 'optimizer', calls: count, perCall: tokens })
  const { optimizer } = estimates
  const { samples } = config.train

  const rows = [
    attempts(
      'rollout',
      times(
        rolloutRange(config, times(steps, perStep), {
          likely: perStep * expected.batches,
          trainSize: tasks.train.length,
        }),
        samples,
      ),
    ),
    calls(
      'reflect',
      times(blendRange(analystCalls(config, plan), history?.counts.analysts), steps),
      optimizer(attemptsPerAnalyst(config), ['reflect']),
    ),
    calls(
      'merge and rank',
      times(blendRange(mergeCalls(config, perStep), history?.counts.merges), steps),
      optimizer(exactly(0), ['aggregate', 'select']),
    ),
    calls(
      'rewrite',
      mode === 'rewrite_from_suggestions' ? proposing : exactly(0),
      optimizer(exactly(0), ['update']),
    ),
    attempts('gate', times(validationSplits({ steps, guided }, expected, rates), tasks.val.length)),
    attempts('slow update', {
      ...times({ low: compared, likely: 0, high: 2 * compared }, laterEpochs),
      likely: compared * expected.compared,
    }),
    calls(
      'slow update, meta skill',
      times(laterEpochs, perEpochEnd),
      optimizer(exactly(2 * compared), ['meta-skill']),
    ),
    attempts('test', testAttempts(setup, expected), estimates.test),
  ]
  const basis = describeSteps(plan, expected, { rates, history })
  return totalForecast(setup, {
    rows,
    estimates,
    history,
    basis: { ...basis, assumed: [...describeTurns(perAttempt), ...basis.assumed] },
    perAttempt,
  })
}

/**
 * Target calls of one attempt. A tool loop or an interactive environment makes one call per turn, and the
 * number of turns is not known in advance.
 */
async function callsPerAttempt(setup: Setup, history: RunHistory | undefined): Promise<Range> {
  if (history !== undefined) return exactly(history.callsPerAttempt)
  if (setup.models.target.agent !== undefined) return exactly(1)
  const [first] = setup.tasks.train.length > 0 ? setup.tasks.train : setup.tasks.test
  const turns = first === undefined ? 1 : (await previewSession(setup, first)).turnLimit
  return { low: 1, likely: Math.sqrt(turns), high: turns }
}

function describeTurns({ likely, high }: Range): string[] {
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
    forecastRow(setup, {
      stage: 'rollout',
      role: 'target',
      calls: attempts,
      perCall: upTo('target', estimates.target),
    }),
    forecastRow(setup, {
      stage: 'reflect',
      role: 'optimizer',
      calls: minibatchCount(tasks.length, config.reflect),
      perCall: upTo('optimizer', estimates.optimizer(attemptsPerAnalyst(config), ['reflect'])),
    }),
    forecastRow(setup, {
      stage: 'merge and rank',
      role: 'optimizer',
      calls: mergeCalls(config, tasks.length),
      perCall: upTo('optimizer', estimates.optimizer(exactly(0), ['aggregate', 'select'])),
    }),
  ]
  return totalForecast(setup, {
    rows,
    estimates,
    basis: { measured: [], assumed: describeTurns(perAttempt) },
    perAttempt,
  })
}

/**
 * Forecasts the rest of a baseline comparison: writing the one-shot skill unless it exists, and testing the
 * skills that are not yet tested.
 */
export async function forecastBaseline(
  setup: Setup,
  { examples, untested }: { readonly examples: number | undefined; readonly untested: number },
): Promise<Forecast> {
  const estimates = await callEstimates(setup, undefined)
  const perAttempt = await callsPerAttempt(setup, undefined)
  const attempts = (stage: string, count: number) =>
    forecastRow(setup, { stage, role: 'target', calls: times(perAttempt, count), perCall: estimates.target })
  const oneShot =
    examples === undefined
      ? []
      : [
          attempts('examples', examples),
          forecastRow(setup, {
            stage: 'one-shot skill',
            role: 'optimizer',
            calls: { low: 1, likely: 1, high: 2 },
            perCall: estimates.optimizer(exactly(examples), ['one-shot']),
          }),
        ]
  const rows = [...oneShot, attempts('test', untested * setup.tasks.test.length)]
  return totalForecast(setup, {
    rows,
    estimates,
    basis: { measured: [], assumed: describeTurns(perAttempt) },
    perAttempt,
  })
}

/** Forecasts a number of attempts, with any skill. */
export async function forecastAttempts(
  setup: Setup,
  attempts: number,
  history: RunHistory | undefined,
): Promise<Forecast> {
  const estimates = await callEstimates(setup, history)
  const perAttempt = await callsPerAttempt(setup, history)
  const rows = [
    forecastRow(setup, {
      stage: 'test',
      role: 'target',
      calls: times(perAttempt, attempts),
      perCall: estimates.target,
    }),
  ]
  const basis = { measured: [], assumed: describeTurns(perAttempt) }
  return totalForecast(setup, { rows, estimates, history, basis, perAttempt })
}

function describeSteps(
  plan: Plan,
  { steps, accepted }: ExpectedSteps,
  { rates: { rejectedSplits }, history }: { readonly rates: Rates; readonly history: RunHistory | undefined },
): Basis {
  const [taken, all] = [Math.round(steps), plan.epochs * plan.stepsPerEpoch]
  const share = Math.round(100 * rejectedSplits)
  const expected = [
    `${taken === all ? `all ${all}` : `${taken} of ${all}`} steps, ${Math.round(accepted)} of them accepted`,
    `a rejected candidate is run on ${share}% of the validation split`,
  ].join('; ')
  const ends = 'at the high end, every step has a candidate that is run on the whole validation split'
  const trained = (history?.counts.trainings.length ?? 0) > 0
  return trained
    ? {
        measured: ['accept rate and validation attempts per decision'],
        assumed: [`at those rates, ${expected}`, ends],
      }
    : { measured: [], assumed: [expected, ends] }
}
