import type { TransferForecast, TransferResult, TransferredTo } from '../../../app/index.js'
import { exitCodes, InputError } from '../../../core/errors/errors.js'
import type { Split } from '../../../core/task/task.js'
import { splitNamed } from '../../inputs/split-name.js'
import { clean, shownPath } from '../../output/text.js'
import {
  renderTransferForecast,
  transferReport,
  transferSentences,
  transferSpending,
} from '../../output/transfer-report.js'
import { trustFor } from '../../terminal/ask-trust.js'
import { confirmTransfer } from '../../terminal/confirm.js'
import { interruptible } from '../../terminal/interrupt.js'
import { type Io, printLine, sayMapped, sayWarnings, warnLine } from '../../terminal/io.js'
import { createDisplay } from '../../terminal/live.js'
import { configFlags, type TrainFlags } from '../train/train.js'

export interface TargetFlags extends Omit<TrainFlags, 'out' | 'new' | 'fork' | 'probe'> {
  readonly skill?: string | undefined
  readonly on: readonly string[]
  readonly seedSkill?: string | undefined
  readonly split?: string | undefined
  readonly maxTasks?: number | undefined
  readonly samples?: number | undefined
}

/**
 * `eval --on`: compares no skill, the seed and the trained skill on the same tasks, for each of several
 * targets.
 */
export async function evaluateTargets(
  io: Io,
  project: string | undefined,
  flags: TargetFlags,
): Promise<number> {
  const given = {
    project,
    config: flags.config,
    cfgOptions: flags.cfgOptions,
    flags: configFlags(flags),
    skill: flags.skill,
    seedSkill: flags.seedSkill,
    to: namesIn(flags.on),
    split: oneSplit(flags.split ?? 'test'),
    limit: flags.maxTasks,
    samples: flags.samples,
    env: io.env,
    cwd: io.cwd,
    trust: trustFor(io, flags),
    onMapped: (lines: readonly string[]) => {
      if (flags.json !== true && flags.quiet !== true) sayMapped(io, lines)
    },
    onWarnings: (warnings: readonly string[]) => sayWarnings(io, warnings),
  }
  const library = await io.library()
  if (flags.dryRun === true) return sayForecast(io, await library.forecastTransfer(given), flags)

  // With `--json`, stdout contains only the result. Events would mix with it, so they are not shown.
  const show = () => createDisplay(io, { quiet: flags.json ?? flags.quiet })
  let display = show()
  const interrupt = interruptible(io, text => display.note(text))
  try {
    const result = await library.transfer({
      ...given,
      signal: interrupt.signal,
      onEvent: event => display.event(event),
      onNotice: text => display.note(text),
      confirm: confirmTransfer(io, flags),
      onTarget: ({ target, directory, resumed }) => {
        display.close()
        display = show()
        if (flags.json === true || flags.quiet === true) return
        printLine(io, `${resumed ? 'resuming' : 'target'} ${target} in ${shownPath(directory, io.cwd)}`)
      },
    })
    display.close()
    if (result.outcome === 'declined') {
      warnLine(io, 'Nothing was started and nothing was spent.')
      return exitCodes.interrupted
    }
    sayResult(io, result, flags)
    for (const target of result.targets) sayFailure(io, target)
    return codes[result.outcome]
  } finally {
    display.close()
    interrupt.dispose()
  }
}

const codes: Readonly<Record<Exclude<TransferResult['outcome'], 'declined'>, number>> = {
  finished: exitCodes.ok,
  paused: exitCodes.paused,
  cap: exitCodes.capReached,
  interrupted: exitCodes.interrupted,
}

/** Splits comma-separated and repeated values: `--on a,b --on c`. */
const namesIn = (given: readonly string[]): string[] =>
  given.flatMap(names => names.split(',').map(name => name.trim())).filter(name => name !== '')

function oneSplit(name: string): Split {
  const split = splitNamed(name)
  if (split !== 'all') return split
  throw new InputError('--on compares targets on one split; "all" is not possible.', {
    hint: 'Use --split test, val or train.',
  })
}

function sayForecast(io: Io, forecast: TransferForecast, { json }: TargetFlags): number {
  const refused = forecast.refused.map(({ target, error }) => ({ target, ...inWords(error) }))
  if (json) printLine(io, JSON.stringify({ ...forecast, refused }, null, 2))
  else {
    const free = forecast.simulated ? ' Simulated models cost nothing.' : ''
    printLine(io, renderTransferForecast(forecast, io.colors))
    printLine(io, `\nNo model was called, nothing was written or spent.${free}`)
  }
  return refused.length === 0 ? exitCodes.ok : exitCodes.paused
}

const inWords = ({ message, hint }: NonNullable<TransferredTo['error']>) => ({ message, hint })

function sayResult(io: Io, result: TransferResult, { json }: TargetFlags): void {
  const { colors, cwd } = io
  if (json) {
    const targets = result.targets.map(({ error, directory, ...measured }) => ({
      ...measured,
      directory: directory === undefined ? undefined : shownPath(directory, cwd),
      error: error === undefined ? undefined : inWords(error),
    }))
    const verdict = transferSentences(result)
    printLine(io, JSON.stringify({ ...result, verdict, targets }, null, 2))
    return
  }
  const report = transferReport(result, colors)
  if (report === '') return
  const places = result.targets.flatMap(({ target, directory }) =>
    directory === undefined ? [] : [`  ${shownPath(directory, cwd)}  ${target}`],
  )
  printLine(io, `\n${report}\n\n${transferSpending(result.targets)}\nDetails:\n${places.join('\n')}`)
}

/** Reports a failed target on stderr, so that scripts can parse stdout. */
function sayFailure(io: Io, { target, outcome, error, directory }: TransferredTo): void {
  if (outcome === 'finished') return
  const word = { refused: 'left out:', paused: 'paused:', cap: 'cap reached:', interrupted: 'stopped:' }[
    outcome
  ]
  warnLine(io, `\n${io.colors.yellow(word)} ${target}: ${clean(error?.message ?? 'Not started.')}`)
  if (error?.hint !== undefined) warnLine(io, clean(error.hint))
  if (directory !== undefined) warnLine(io, `Everything so far is kept in ${shownPath(directory, io.cwd)}.`)
}
