import type { Role } from '../../core/ports/model.js'
import type { Setup } from '../loops/setup.js'
import { type CallEstimates, type CallTokens, describeLengths } from './call-tokens.js'
import type { RunHistory } from './history.js'
import { mapRange, plus, type Range, sumRanges, times } from './range.js'

export interface ForecastRow {
  readonly stage: string
  readonly role: Role
  readonly calls: Range
  readonly tokens: Range
  /** US dollars; undefined if the model's price is unknown. */
  readonly cost: Range | undefined
}

export interface Forecast {
  readonly rows: readonly ForecastRow[]
  readonly total: Omit<ForecastRow, 'stage' | 'role'>
  /** Target inputs besides text, such as images. Their cost is not yet known and not in the figures. */
  readonly onTop: readonly string[]
  /** The basis of the figures, shown with them: measurements of earlier runs, then assumptions. */
  readonly measured: readonly string[]
  readonly assumptions: readonly string[]
  /** Whether reply lengths are a guess, because none were measured. */
  readonly guessesLengths: boolean
}

/** The basis of the figures as sentences: what was measured, and what is assumed. */
export interface Basis {
  readonly measured: readonly string[]
  readonly assumed: readonly string[]
}

interface RowOptions {
  readonly stage: string
  readonly role: Role
  readonly calls: Range
  readonly perCall: CallTokens
}

export function forecastRow(
  setup: Pick<Setup, 'models'>,
  { stage, role, calls, perCall }: RowOptions,
): ForecastRow {
  const { price } = setup.models[role] ?? { price: undefined }
  const counts = {
    calls: mapRange(calls, Math.round),
    tokens: mapRange(times(plus(perCall.input, perCall.output), calls), Math.round),
  }
  if (price === undefined) return { stage, role, ...counts, cost: undefined }
  const input = perCall.cached * (price.cachedInput ?? price.input) + (1 - perCall.cached) * price.input
  const each = plus(times(perCall.input, input), times(perCall.output, price.output))
  return { stage, role, ...counts, cost: times(times(each, calls), 1e-6) }
}

interface TotalOptions {
  readonly rows: readonly ForecastRow[]
  readonly estimates: CallEstimates
  readonly history?: RunHistory | undefined
  readonly basis: Basis
  /** Target calls per attempt. */
  readonly perAttempt: Range
}

/** Adds the judge's calls: if a judge scores, every attempt also takes its votes. */
function judgeRows(
  setup: Setup,
  rows: readonly ForecastRow[],
  { estimates, perAttempt }: Pick<TotalOptions, 'estimates' | 'perAttempt'>,
): ForecastRow[] {
  const each = setup.environment.scoring?.judgeCalls ?? 0
  if (each === 0) return []
  const calls = sumRanges(rows.filter(({ role }) => role === 'target').map(({ calls }) => calls))
  return [
    forecastRow(setup, {
      stage: 'votes',
      role: 'judge',
      calls: times(
        calls,
        mapRange(perAttempt, calls => each / calls),
      ),
      perCall: estimates.judge,
    }),
  ]
}

export function totalForecast(setup: Setup, options: TotalOptions): Forecast {
  const { history, basis } = options
  const rows = [...options.rows, ...judgeRows(setup, options.rows, options)].filter(
    ({ calls }) => calls.high > 0,
  )
  const costs = rows.map(({ cost }) => cost)
  const lengths = describeLengths(history, new Set(rows.map(({ role }) => role)), setup.models)
  const known = [...lengths.measured, ...basis.measured]
  return {
    rows,
    total: {
      calls: sumRanges(rows.map(({ calls }) => calls)),
      tokens: sumRanges(rows.map(({ tokens }) => tokens)),
      cost: costs.every(cost => cost !== undefined) ? sumRanges(costs) : undefined,
    },
    onTop: setup.environment.needs.filter(need => need === 'images' || need === 'documents'),
    measured: history === undefined ? [] : [`${known.join('; ')} (${history.runs.join(', ')})`],
    guessesLengths: lengths.assumed.length > 0,
    assumptions: [...lengths.assumed, ...basis.assumed, 'no failed calls'],
  }
}
