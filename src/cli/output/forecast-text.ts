import type { PriceSource, TrainingForecast } from '../../app/index.js'
import type { Forecast, ForecastRow, Range } from '../../trainer/forecast/forecast.js'
import { type Colors, count, money, table } from './text.js'

export function renderForecast(forecast: Forecast, colors: Colors): string {
  const rows = [
    ...forecast.rows.map(row => [row.stage, row.role, ...figures(row)]),
    ['total', '', ...figures(forecast.total)].map(cell => colors.bold(cell)),
  ]
  const head = ['expected', 'model', 'calls', 'tokens', 'cost']
  return [table(head, rows, { colors, right: [2, 3, 4] }), '', ...whatItRestsOn(forecast, colors)].join('\n')
}

/**
 * Text below the forecast's figures: the likely cost in words, what the figures leave out, and the data and
 * assumptions they are based on.
 */
export function whatItRestsOn(
  { total, onTop, measured, assumptions }: Pick<Forecast, 'total' | 'onTop' | 'measured' | 'assumptions'>,
  colors: Colors,
): string[] {
  return [
    `Most likely ${likely(total)}.`,
    ...onTop.map(what => `Not included: ${what}, whose tokens are unknown.`),
    ...measured.map(what => colors.dim(`Measured: ${what}.`)),
    colors.dim('Assumptions:'),
    ...assumptions.map(assumption => colors.dim(`  ${assumption}`)),
  ]
}

/** Formats a forecast with its assumptions and the figures for other presets. */
export function renderTrainingForecast(
  forecast: Omit<TrainingForecast, 'warnings'>,
  probed: string | undefined,
  colors: Colors,
): string {
  const prices = forecast.prices.map(({ price, ...known }) => [
    known.role,
    known.model,
    price === undefined ? 'unknown' : `$${price.input}`,
    price === undefined ? 'unknown' : `$${price.output}`,
    priceFrom(known),
  ])
  const presets = forecast.presets.map(({ preset, calls, tokens, cost }) => {
    const amounts = cost === undefined ? ['unknown', 'unknown'] : [money(cost.likely), money(cost.high)]
    const cells = [preset, count(calls.likely), count(tokens.likely), ...amounts]
    return preset === forecast.preset ? cells.map(cell => colors.bold(cell)) : cells
  })
  return [
    renderForecast(forecast, colors),
    table(['price of', 'model', '1M tokens in', 'out', 'from'], prices, { colors, right: [2, 3] }),
    [
      table(['most likely', 'calls', 'tokens', 'cost', 'at most'], presets, { colors, right: [1, 2, 3, 4] }),
      `This project uses the preset ${forecast.preset}; settings in the config override any preset.`,
    ].join('\n'),
    ...(forecast.guessesLengths ? [probeHint] : []),
    `${probed ?? 'No model was called, nothing was written or spent.'}${forecast.simulated ? ' Simulated models cost nothing.' : ''}`,
  ].join('\n\n')
}

const probeHint = 'Reply lengths are guesses; --dry-run --probe measures them with a few calls.'

function priceFrom({ from, date, source }: Omit<PriceSource, 'price'>): string {
  if (from === 'config') return 'your config'
  if (from === 'unknown') return "unknown: set the model's `price`"
  return from === 'provider' ? 'the provider' : `${date}, ${source}`
}

/** Forecast in one sentence, for places without room for a table. */
export function forecastInShort({ total, onTop }: Pick<Forecast, 'total' | 'onTop'>): string {
  const { calls, tokens, cost } = total
  const price = cost === undefined ? 'cost unknown' : range(cost, money)
  const more = onTop.length === 0 ? '' : `, plus ${onTop.join(' and ')}, whose tokens are unknown`
  return `${range(calls, count)} calls, ${range(tokens, count)} tokens, ${price}${more}`
}

function likely({ calls, tokens, cost }: Forecast['total']): string {
  const price = cost === undefined ? 'at an unknown cost' : `for ${money(cost.likely)}`
  return `about ${count(calls.likely)} calls and ${count(tokens.likely)} tokens, ${price}`
}

type Figures = Omit<ForecastRow, 'stage' | 'role'>

/** Calls, tokens and cost as table cells. */
export function figures({ calls, tokens, cost }: Figures): string[] {
  return [range(calls, count), range(tokens, count), cost === undefined ? 'unknown' : range(cost, money)]
}

function range({ low, high }: Range, format: (value: number) => string): string {
  const [from, to] = [format(low), format(high)]
  return from === to ? from : `${from} to ${to}`
}
