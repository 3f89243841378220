import { confirm, isCancel } from '@clack/prompts'
import { InputError } from '../core/errors.js'
import type { Forecast, ForecastRow } from '../loops/forecast.js'
import type { Io } from './io.js'
import { type Colors, count, money, plural, table } from './text.js'

export interface ConsentFlags {
  readonly yes?: boolean | undefined
  readonly json?: boolean | undefined
  readonly quiet?: boolean | undefined
}

/** Shows what a training is expected to take and asks. */
export function confirmTraining(io: Io, flags: ConsentFlags): (forecast: Forecast) => Promise<boolean> {
  return forecast => consent(io, flags, totalText(forecast), renderForecast(forecast, io.colors))
}

export function confirmEvaluation(
  io: Io,
  flags: ConsentFlags,
): (calls: number, judgeCalls: number) => Promise<boolean> {
  return (calls, judgeCalls) => {
    const votes = judgeCalls === 0 ? '' : ` and ${judgeCalls} of the judge`
    const text = `at least ${plural(calls, 'call')} of the target${votes}, none for tasks whose result is in the log already`
    return consent(io, flags, text, `Expected: ${text}.`)
  }
}

export function confirmJudging(io: Io, flags: ConsentFlags): (calls: number) => Promise<boolean> {
  return calls => {
    const text = `at least ${plural(calls, 'call')} of the judge, none for answers that are judged in the log already`
    return consent(io, flags, text, `Expected: ${text}.`)
  }
}

/** `--yes` shows without asking; where nobody can be asked, nothing is spent. */
async function consent(io: Io, flags: ConsentFlags, inShort: string, shown: string): Promise<boolean> {
  const canAsk = io.stdin.isTTY === true && io.stdout.isTTY === true && flags.json !== true
  if (flags.yes !== true && !canAsk) {
    throw new InputError('This calls paid models, and there is no terminal to ask for consent.', {
      hint: `Pass --yes to agree. Expected: ${inShort}. Hard limits: --max-calls, --max-tokens, --max-cost, --max-time.`,
    })
  }
  const out = flags.json === true ? io.stderr : io.stdout
  if (flags.quiet !== true || flags.yes !== true) out.write(`${shown}\n\n`)
  if (flags.yes === true) return true
  const answer = await confirm({ message: 'Start, and pay for these calls?', initialValue: true })
  return !isCancel(answer) && answer
}

export function renderForecast(forecast: Forecast, colors: Colors): string {
  const rows = [
    ...forecast.rows.map(row => [row.stage, row.role, ...figures(row)]),
    ['total', '', ...figures(forecast.total)].map(cell => colors.bold(cell)),
  ]
  const head = ['expected', 'model', 'calls', 'tokens', 'cost']
  const notes = forecast.assumptions.map(assumption => colors.dim(`  ${assumption}`))
  const onTop = forecast.onTop.map(what => `Not in these figures: what ${what} take, which is unknown.`)
  return [
    table(head, rows, { colors, right: [2, 3, 4] }),
    '',
    ...onTop,
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

function totalText({ total, onTop }: Forecast): string {
  const cost = total.cost === undefined ? 'cost unknown' : range(total.cost, money)
  const more = onTop.length === 0 ? '' : `, and ${onTop.join(' and ')} on top, whose tokens are unknown`
  return `${range(total.calls, count)} calls, ${range(total.tokens, count)} tokens, ${cost}${more}`
}
