import type { Config } from '../core/config.js'
import type { Role } from '../core/ports.js'
import {
  type CallEstimates,
  type CallTokens,
  callEstimates,
  type Measured,
  replyTokens,
} from './call-tokens.js'
import { type Plan, planTraining } from './plan.js'
import { exactly, mapped, plus, type Range, sumOf, times } from './range.js'
import type { Setup } from './setup.js'
import { speculates } from './speculate.js'

export type { Measured } from './call-tokens.js'
export type { Range } from './range.js'

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

/** What a training will take, before the first paid call: counts from the config, lengths from skill and tasks. */
export async function forecast(setup: Setup, measured?: Measured): Promise<Forecast> {
  const { config, tasks } = setup
  const plan = planTraining(config, tasks.train)
  const steps = stepsOf(plan, config)
  const laterEpochs = mapped(steps, count => Math.max(0, Math.ceil(count / plan.stepsPerEpoch) - 1))
  const perStep = tasks.train.length / plan.stepsPerEpoch
  const { slowUpdate, metaSkill, mode } = config.optimizer
  const compared = slowUpdate.enabled || metaSkill ? Math.min(slowUpdate.samples, tasks.train.length) : 0
  const guided = slowUpdate.enabled ? laterEpochs : exactly(0)
  const perEpochEnd = Number(slowUpdate.enabled) + Number(metaSkill)

  const estimates = await callEstimates(setup, measured)
  const attempts = (stage: string, count: Range) =>
    row(setup, stage, 'target', times(count, measured?.callsPerAttempt ?? 1), estimates.target)
  const calls = (stage: string, count: Range, tokens: CallTokens) =>
    row(setup, stage, 'optimizer', count, tokens)
  const { optimizer } = estimates

  const rows = [
    attempts('rollout', rollouts(config, times(steps, perStep), tasks.train.length)),
    attempts('speculation', times(wrongGuesses(config, steps, guided), perStep)),
    calls(
      'reflect',
      times(analysts(config, perStep), steps),
      optimizer(config.reflect.minibatchSize, ['reflect']),
    ),
    calls('merge and rank', times(merges(config, perStep), steps), optimizer(0, ['aggregate', 'select'])),
    calls(
      'rewrite',
      mode === 'rewrite_from_suggestions'
        ? times(perStepCandidates(config), { ...steps, low: 0 })
        : exactly(0),
      optimizer(0, ['update']),
    ),
    attempts('screen', times(screens(config), steps)),
    attempts('gate', times(decisions(config, steps, guided, measured), tasks.val.length)),
    attempts('attribution', times(attributions(config), steps)),
    attempts('slow update', times({ low: compared, likely: 2 * compared, high: 2 * compared }, laterEpochs)),
    calls(
      'slow update, meta skill',
      times(laterEpochs, perEpochEnd),
      optimizer(2 * compared, ['meta-skill']),
    ),
    attempts('test', testAttempts(setup)),
  ]
  return summed(setup, rows, estimates, measured, 'a candidate at every step at the high end')
}

/** What a comparison of baselines still has to do: the one-shot skill unless it is written, and some skills to test. */
export async function forecastBaseline(
  setup: Setup,
  { examples, untested }: { readonly examples: number | undefined; readonly untested: number },
): Promise<Forecast> {
  const estimates = await callEstimates(setup, undefined)
  const attempts = (stage: string, count: number) =>
    row(setup, stage, 'target', exactly(count), estimates.target)
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
            estimates.optimizer(examples, ['one-shot']),
          ),
        ]
  const rows = [...oneShot, attempts('test', untested * setup.tasks.test.length)]
  return summed(setup, rows, estimates, undefined)
}

/** At the least, nothing is ever accepted, or everything is solved: then training may end early. */
function stepsOf({ epochs, stepsPerEpoch }: Plan, { train }: Config): Range {
  const all = epochs * stepsPerEpoch
  const patience = train.patience === 0 ? all : train.patience
  return {
    low: Math.min(all, patience, train.stopWhenSolved ? stepsPerEpoch : all),
    likely: Math.min(all, 2 * patience),
    high: all,
  }
}

/** Where attempts are reused, a skill that never changes is tried on each task once. */
function rollouts({ train }: Config, all: Range, trainSize: number): Range {
  return train.reuse === 'reuse' ? { ...all, low: Math.min(all.low, trainSize) } : all
}

/** At the most, every candidate is accepted, and no step but those after a slow update begins as was guessed. */
function wrongGuesses(config: Config, steps: Range, guided: Range): Range {
  const high = Math.max(0, steps.high - 1 - Math.max(0, guided.high - 1))
  return { low: 0, likely: 0, high: speculates(config) ? high : 0 }
}

/** Failures and successes are read apart, so that each side may have a minibatch that is not full. */
function analysts({ reflect }: Config, perStep: number): Range {
  const full = Math.ceil(perStep / reflect.minibatchSize)
  return reflect.failureOnly
    ? { low: 0, likely: Math.ceil(full / 2), high: full }
    : { low: full, likely: full + 1, high: full + 1 }
}

/** A merge for each side if it has more than one patch, one for both; then the ranking, and the rate if it is asked for. */
function merges({ reflect, optimizer }: Config, perStep: number): Range {
  const groups = Math.ceil(Math.ceil(perStep / reflect.minibatchSize) / reflect.mergeBatchSize)
  const rate = optimizer.control === 'autonomous' ? 1 : 0
  return { low: 0, likely: groups + 2 + rate, high: groups + 3 + rate }
}

/** Whole evaluations on validation: the seed once, then a candidate per step and one guidance per later epoch. */
function decisions(config: Config, steps: Range, guided: Range, measured: Measured | undefined): Range {
  const { evaluation } = config
  const share = evaluation.gate === 'strict' && !evaluation.earlyStop ? 1 : assumedShare
  const likely =
    measured?.gateShare === undefined
      ? share * (steps.likely * perStepCandidates(config).likely + guided.likely)
      : measured.gateShare * steps.likely
  const high = steps.high * config.optimizer.candidates + guided.high
  return plus(exactly(1), { low: 0, likely, high })
}

/** Further candidates take edits that the budget left over, and often there are none. */
function perStepCandidates({ optimizer }: Config): Range {
  const { candidates } = optimizer
  return { low: 1, likely: 1 + (candidates - 1) / 2, high: candidates }
}

/** Attempts of the screen per step. Most candidates show soon enough that they are no clear losers. */
function screens(config: Config): Range {
  const { screen } = config.evaluation
  return times(perStepCandidates(config), { low: 0, likely: screen / 2, high: screen })
}

/** Attempts of attribution per step: only accepted candidates have any, and most need less than they may. */
function attributions({ optimizer }: Config): Range {
  return { low: 0, likely: assumedAccepts * optimizer.attribution, high: optimizer.attribution }
}

/** Of the steps of a training. */
const assumedAccepts = 0.25

/** Of the validation split, for a gate that stops as soon as it can. */
const assumedShare = 0.5

/**
 * Skills with the same text are tested once. At the least, nothing was learned and the initial skill is the best and
 * the last; mostly the last one is the best.
 */
function testAttempts({ config, tasks }: Setup): Range {
  const { test } = config.evaluation
  const trained = test.filter(which => which !== 'none').length
  const none = test.includes('none') ? 1 : 0
  const skills = { low: Math.min(1, trained), likely: Math.min(2, trained), high: trained }
  return times(plus(skills, exactly(none)), tasks.test.length)
}

function row(setup: Setup, stage: string, role: Role, calls: Range, perCall: CallTokens): ForecastRow {
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

/** Where a judge scores, every attempt takes its votes too. */
function votes(
  setup: Setup,
  rows: readonly ForecastRow[],
  { judge }: CallEstimates,
  callsPerAttempt: number,
): ForecastRow[] {
  const perAttempt = setup.environment.scoring?.judgeCalls ?? 0
  if (perAttempt === 0) return []
  const calls = sumOf(rows.filter(({ role }) => role === 'target').map(({ calls }) => calls))
  return [row(setup, 'votes', 'judge', times(calls, perAttempt / callsPerAttempt), judge)]
}

function summed(
  setup: Setup,
  given: readonly ForecastRow[],
  estimates: CallEstimates,
  measured: Measured | undefined,
  ...more: readonly string[]
): Forecast {
  const judged = votes(setup, given, estimates, measured?.callsPerAttempt ?? 1)
  const rows = [...given, ...judged].filter(({ calls }) => calls.high > 0)
  const costs = rows.map(({ cost }) => cost)
  return {
    rows,
    total: {
      calls: sumOf(rows.map(({ calls }) => calls)),
      tokens: sumOf(rows.map(({ tokens }) => tokens)),
      cost: costs.every(cost => cost !== undefined) ? sumOf(costs) : undefined,
    },
    onTop: setup.environment.needs.filter(need => need === 'images' || need === 'documents'),
    assumptions: [...tokenAssumptions(measured), [...more, 'no failed calls'].join('; ')],
  }
}

function tokenAssumptions(measured: Measured | undefined): string[] {
  if (measured !== undefined) return [`tokens per call as in ${measured.run}`]
  const { target, optimizer } = replyTokens
  return [
    'tokens as o200k counts them, one call per attempt, no provider cache',
    `replies of ${target.low} to ${target.high} tokens (optimizer ${optimizer.low} to ${optimizer.high})`,
  ]
}
