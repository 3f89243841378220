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
  return forecast =>
    consent(io, flags, {
      summary: forecastInShort(forecast),
      details: renderForecast(forecast, io.colors),
    })
}

/**
 * Asks for confirmation before sessions are sent to a model, and names the provider that receives them.
 * `found` is a summary of the data.
 */
export function confirmMining(
  io: Io,
  flags: ConsentFlags,
): (intended: Pick<IntendedMining, 'forecast' | 'model'>, found: string) => Promise<boolean> {
  return ({ forecast, model }, found) => {
    const sent = `Sent to ${clean(model)}: your requests, answers and corrections, with secrets hidden`
    const shown = [found, renderForecast(forecast, io.colors), `${sent}.`].join('\n\n')
    return consent(io, flags, { summary: `${forecastInShort(forecast)}. ${sent}`, details: shown })
  }
}

/** Shows what a night may do, target by target. One confirmation covers all, because it is paid together. */
export function confirmNight(io: Io, flags: ConsentFlags): (intended: IntendedNight) => Promise<boolean> {
  return intended => {
    const sent =
      'What you asked your agents, the project’s CLAUDE.md and AGENTS.md and the documents above go to these models, with secrets hidden; an agent also gets a copy of the project.'
    const inShort = intended.parts
      .map(({ name, forecast }) => `${clean(name)}: ${forecastInShort(forecast)}`)
      .join('; ')
    return consent(io, flags, {
      summary: `${inShort}. ${sent}`,
      details: `${intendedText(intended, io)}\n\n${sent}`,
    })
  }
}

/** Asks for confirmation of the few calls of a probe, with their maximum cost. */
export function confirmProbe(io: Io, flags: ConsentFlags): (forecast: Forecast) => Promise<boolean> {
  return ({ total: { calls, tokens, cost } }) => {
    const price =
      cost === undefined ? 'an unknown cost' : `${money(cost.high)}, most likely about ${money(cost.likely)}`
    const most = `at most ${plural(calls.high, 'call')}, ${count(tokens.high)} tokens and ${price}`
    return consent(io, flags, { summary: most, details: `A probe measures how long replies are: ${most}.` })
  }
}

export function confirmEvaluation(
  io: Io,
  flags: ConsentFlags,
): (calls: number, judgeCalls: number) => Promise<boolean> {
  return (calls, judgeCalls) => {
    const votes = judgeCalls === 0 ? '' : ` and ${plural(judgeCalls, 'judge call')}`
    const text = `at least ${plural(calls, 'target call')}${votes}; results already in the log cost nothing`
    return consent(io, flags, { summary: text, details: `Expected: ${text}.` })
  }
}

/** Asks once for all targets of a transfer, because they are paid for together. */
export function confirmTransfer(
  io: Io,
  flags: ConsentFlags,
): (forecast: TransferForecast) => Promise<boolean> {
  return forecast =>
    consent(io, flags, {
      summary: forecastInShort({ total: forecast.total, onTop: [] }),
      details: renderTransferForecast(forecast, io.colors),
    })
}

export function confirmJudging(io: Io, flags: ConsentFlags): (calls: number) => Promise<boolean> {
  return calls => {
    const text = `at least ${plural(calls, 'judge call')}; answers already judged in the log cost nothing`
    return consent(io, flags, { summary: text, details: `Expected: ${text}.` })
  }
}

/**
 * Asks for confirmation to spend money. `--yes` agrees without a question; without it, a terminal that cannot
 * ask is an error.
 */
async function consent(
  io: Io,
  flags: ConsentFlags,
  { summary, details }: { readonly summary: string; readonly details: string },
): Promise<boolean> {
  const canAsk = io.stdin.isTTY === true && io.stdout.isTTY === true && flags.json !== true
  if (flags.yes !== true && !canAsk) {
    throw new InputError('This calls paid models and needs your consent, but there is no terminal to ask.', {
      hint: `Pass --yes to agree. Expected: ${summary}. Hard limits: --max-calls, --max-tokens, --max-cost, --max-time.`,
    })
  }
  const out = flags.json === true ? io.stderr : io.stdout
  if (flags.quiet !== true || flags.yes !== true) out.write(`${details}\n\n`)
  if (flags.yes === true) return true
  return ask('Start and pay for these calls?', true)
}

async function ask(message: string, initialValue: boolean): Promise<boolean> {
  const { confirm, isCancel } = await import('@clack/prompts')
  const answer = await confirm({ message, initialValue })
  return !isCancel(answer) && answer
}

/** Asks before a permanent deletion. Without a terminal, the error says that this removes `what`. */
export async function agreesToRemove(
  io: Io,
  flags: Pick<ConsentFlags, 'yes'>,
  { question, what }: { readonly question: string; readonly what: string },
): Promise<boolean> {
  return agrees(io, flags, { question, problem: `This removes ${what}`, initially: false })
}

/** Asks before the user's own files are changed. The caller has shown the changes before. */
export async function agreesToChange(
  io: Io,
  flags: Pick<ConsentFlags, 'yes' | 'json'>,
  question: string,
): Promise<boolean> {
  return agrees(io, flags, { question, problem: 'This changes your files', initially: true })
}

async function agrees(
  io: Io,
  flags: Pick<ConsentFlags, 'yes' | 'json'>,
  {
    question,
    problem,
    initially,
  }: { readonly question: string; readonly problem: string; readonly initially: boolean },
): Promise<boolean> {
  if (flags.yes === true) return true
  if (io.stdin.isTTY !== true || io.stdout.isTTY !== true || flags.json === true) {
    throw new InputError(`${problem} and needs your consent, but there is no terminal to ask.`, {
      hint: 'Pass --yes to agree.',
    })
  }
  return ask(question, initially)
}
