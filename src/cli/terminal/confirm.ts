import type { IntendedMining, IntendedNight, TransferForecast } from '../../app/index.js'
import { InputError } from '../../core/errors/errors.js'
import type { Forecast } from '../../trainer/forecast/forecast.js'
import { forecastInShort, renderForecast } from '../output/forecast-text.js'
import { intendedText } from '../output/night-text.js'
import { clean, count, money, plural } from '../output/text.js'
import { renderTransferForecast } from '../output/transfer-report.js'
import type { Io } from './io.js'

export interface ConsentFlags {
  readonly yes?: boolean | undefined
  readonly json?: boolean | undefined
  readonly quiet?: boolean | undefined
}

/** Shows the forecast of a training run and asks for confirmation. */
export function confirmTraining(io: Io, flags: ConsentFlags): (forecast: Forecast) => Promise<boolean> {
  return forecast => consent(io, flags, forecastInShort(forecast), renderForecast(forecast, io.colors))
}

/**
 * Tells users which provider receives their words before they agree. `found` is the displayed summary of the
 * data.
 */
export function confirmMining(
  io: Io,
  flags: ConsentFlags,
): (intended: Pick<IntendedMining, 'forecast' | 'model'>, found: string) => Promise<boolean> {
  return ({ forecast, model }, found) => {
    const sent = `Sent to ${clean(model)}: requests of yours, answers and corrections, with secrets hidden`
    const shown = [found, renderForecast(forecast, io.colors), `${sent}.`].join('\n\n')
    return consent(io, flags, `${forecastInShort(forecast)}. ${sent}`, shown)
  }
}

/**
 * Shows everything a night may do, document by document; one confirmation covers all, as they are paid for
 * together.
 */
export function confirmNight(io: Io, flags: ConsentFlags): (intended: IntendedNight) => Promise<boolean> {
  return intended => {
    const sent =
      'What you asked your agents, the project’s CLAUDE.md and AGENTS.md and the documents above go to these models, with secrets hidden; an agent also gets a copy of the project.'
    const inShort = intended.parts
      .map(({ name, forecast }) => `${clean(name)}: ${forecastInShort(forecast)}`)
      .join('; ')
    return consent(io, flags, `${inShort}. ${sent}`, `${intendedText(io, intended)}\n\n${sent}`)
  }
}

/** Confirms the few calls of a forecast probe; shows their maximum cost. */
export function confirmProbe(io: Io, flags: ConsentFlags): (forecast: Forecast) => Promise<boolean> {
  return ({ total: { calls, tokens, cost } }) => {
    const price =
      cost === undefined
        ? 'a cost that is not known'
        : `${money(cost.high)}, most likely about ${money(cost.likely)}`
    const most = `at most ${plural(calls.high, 'call')}, ${count(tokens.high)} tokens and ${price}`
    return consent(io, flags, most, `A probe, to know how long replies are: ${most}.`)
  }
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

/** One confirmation for all targets of a transfer, as they are paid for together. */
export function confirmTransfer(
  io: Io,
  flags: ConsentFlags,
): (forecast: TransferForecast) => Promise<boolean> {
  return forecast =>
    consent(
      io,
      flags,
      forecastInShort({ total: forecast.total, onTop: [] }),
      renderTransferForecast(forecast, io.colors),
    )
}

export function confirmJudging(io: Io, flags: ConsentFlags): (calls: number) => Promise<boolean> {
  return calls => {
    const text = `at least ${plural(calls, 'call')} of the judge, none for answers that are judged in the log already`
    return consent(io, flags, text, `Expected: ${text}.`)
  }
}

/** `--yes` shows the forecast without asking; in a non-interactive terminal nothing is spent. */
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
  return ask('Start, and pay for these calls?', true)
}

async function ask(message: string, initialValue: boolean): Promise<boolean> {
  const { confirm, isCancel } = await import('@clack/prompts')
  const answer = await confirm({ message, initialValue })
  return !isCancel(answer) && answer
}

/** Asks before a permanent deletion. `what` completes the error message for non-interactive terminals. */
export async function agreesToRemove(
  io: Io,
  flags: Pick<ConsentFlags, 'yes'>,
  message: string,
  what: string,
): Promise<boolean> {
  return agrees(io, flags, message, { problem: `This removes ${what}`, initially: false })
}

/** Asks before the user's own files are changed; the caller has already shown the changes. */
export async function agreesToChange(
  io: Io,
  flags: Pick<ConsentFlags, 'yes' | 'json'>,
  message: string,
): Promise<boolean> {
  return agrees(io, flags, message, { problem: 'This changes files of yours', initially: true })
}

async function agrees(
  io: Io,
  flags: Pick<ConsentFlags, 'yes' | 'json'>,
  message: string,
  { problem, initially }: { readonly problem: string; readonly initially: boolean },
): Promise<boolean> {
  if (flags.yes === true) return true
  if (io.stdin.isTTY !== true || io.stdout.isTTY !== true || flags.json === true) {
    throw new InputError(`${problem}, and there is no terminal to ask.`, { hint: 'Pass --yes to agree.' })
  }
  return ask(message, initially)
}
