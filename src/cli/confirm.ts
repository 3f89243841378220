import { confirm, isCancel } from '@clack/prompts'
import { InputError } from '../core/errors.js'
import type { Forecast, ForecastRow } from '../loops/forecast.js'
import type { Io } from './io.js'
import { type Colors, count, money, table } from './text.js'

/** Shows what a run is expected to take and asks; `--yes` shows without asking. */
export function confirmer(
  io: Io,
  options: { yes?: boolean | undefined; json?: boolean | undefined; quiet?: boolean | undefined },
): (forecast: Forecast) => Promise<boolean> {
  return async forecast => {
    const answered = options.yes === true
    const canAsk = io.stdin.isTTY === true && io.stdout.isTTY === true && options.json !== true
    if (!answered && !canAsk) {
      throw new InputError('This run calls paid models, and there is no terminal to ask for consent.', {
        hint: `Pass --yes to agree. Expected: ${totalText(forecast)}. Hard limits: --max-calls, --max-tokens, --max-cost, --max-time.`,
      })
    }
    const out = options.json === true ? io.stderr : io.stdout
    if (options.quiet !== true) out.write(`${renderForecast(forecast, io.colors)}\n\n`)
    if (answered) return true
    const answer = await confirm({ message: 'Start, and pay for these calls?', initialValue: true })
    return !isCancel(answer) && answer
  }
}

export function renderForecast(forecast: Forecast, colors: Colors): string {
  const rows = [
    ...forecast.rows.map(row => [row.stage, row.role, ...figures(row)]),
    ['total', '', ...figures(forecast.total)].map(cell => colors.bold(cell)),
  ]
  const head = ['expected', 'model', 'calls', 'tokens', 'cost']
  const notes = forecast.assumptions.map(assumption => colors.dim(`  ${assumption}`))
  return [
    table(head, rows, { colors, right: [2, 3, 4] }),
    '',
    colors.dim('A forecast, not a bill. It assumes:'),
    ...notes,
  ].join('\n')
}

function figures({ calls, tokens, cost }: Omit<ForecastRow, 'stage' | 'role'>): string[] {
  return [range(calls, count), range(tokens, count), cost === undefined ? 'unknown' : range(cost, money)]
}

function range({ low, high }: { low: number; high: number }, format: (value: number) => string): string {
  const [from, to] = [format(low), format(high)]
  return from === to ? from : `${from} to ${to}`
}

function totalText({ total }: Forecast): string {
  const cost = total.cost === undefined ? 'cost unknown' : range(total.cost, money)
  return `${range(total.calls, count)} calls, ${range(total.tokens, count)} tokens, ${cost}`
}
