import { testedPairs } from '../../../app/evaluation-details.js'
import type { ProbeOptions, ProbeResult, TrainResult } from '../../../app/index.js'
import { exitCodes, InputError, type SkillOptError } from '../../../core/errors/errors.js'
import { readWhole, skillTokens } from '../../inputs/open-run.js'
import { renderTrainingForecast } from '../../output/forecast-text.js'
import { costOf } from '../../output/plain.js'
import { endReport } from '../../output/run-report.js'
import { clean, plural, shownPath } from '../../output/text.js'
import { trustFor } from '../../terminal/ask-trust.js'
import { confirmProbe, confirmTraining } from '../../terminal/confirm.js'
import { interruptible } from '../../terminal/interrupt.js'
import { type Io, printLine, sayWarnings, warnLine } from '../../terminal/io.js'
import { createDisplay } from '../../terminal/live.js'

export interface TrainFlags {
  readonly config?: string | undefined
  readonly cfgOptions?: readonly string[] | undefined
  readonly out?: string | undefined
  readonly new?: true | undefined
  readonly fork?: string | undefined
  readonly yes?: true | undefined
  readonly json?: true | undefined
  readonly quiet?: true | undefined
  readonly maxCalls?: number | undefined
  readonly maxTokens?: number | undefined
  readonly maxCost?: number | undefined
  readonly maxTime?: number | undefined
  readonly set?: readonly string[] | undefined
  readonly preset?: string | undefined
  readonly dryRun?: true | undefined
  readonly probe?: true | undefined
  readonly unsafeNoSandbox?: true | undefined
  readonly trust?: true | undefined
}

export async function train(io: Io, project: string | undefined, flags: TrainFlags): Promise<number> {
  if (flags.dryRun === true) return dryRun(io, project, flags)
  if (flags.probe === true) {
    throw new InputError('--probe requires --dry-run: it makes a few calls for the forecast.', {
      hint: 'skillopt train my-skill --dry-run --probe',
    })
  }
  const display = createDisplay(io, flags)
  const interrupt = interruptible(io, display.note)
  const library = await io.library()
  try {
    const result = await library.train({
      project,
      config: flags.config,
      cfgOptions: flags.cfgOptions,
      flags: configFlags(flags),
      out: flags.out,
      fresh: flags.new,
      fork: flags.fork,
      env: io.env,
      cwd: io.cwd,
      trust: trustFor(io, flags),
      signal: interrupt.signal,
      onReady: display.ready,
      onEvent: display.event,
      onNotice: display.note,
      confirm: confirmTraining(io, flags),
    })
    display.close()
    if (flags.json === true && result.verdict !== undefined)
      printLine(io, JSON.stringify({ type: 'verdict', body: result.verdict }))
    if (result.outcome !== 'declined' && flags.json !== true) await report(io, result)
    return sayEnd(io, result)
  } finally {
    display.close()
    interrupt.dispose()
  }
}

/**
 * Prints the forecast for a new training. Except for an optional probe, makes no calls and writes nothing.
 */
async function dryRun(io: Io, project: string | undefined, flags: TrainFlags): Promise<number> {
  const library = await io.library()
  const given = {
    project,
    config: flags.config,
    cfgOptions: flags.cfgOptions,
    flags: configFlags(flags),
    env: io.env,
    cwd: io.cwd,
    trust: trustFor(io, flags),
  }
  const probed = flags.probe === true ? await probe(io, flags, given) : undefined
  if (probed !== undefined && probed.outcome !== 'finished') return sayEnd(io, probed)
  const { warnings, ...forecast } = await library.forecastTraining({ ...given, fork: flags.fork })
  sayWarnings(io, warnings)
  const shown = () => renderTrainingForecast(forecast, probeReport(probed, io), io.colors)
  printLine(io, flags.json ? JSON.stringify(forecast, null, 2) : shown())
  return exitCodes.ok
}

async function probe(io: Io, flags: TrainFlags, given: ProbeOptions): Promise<ProbeResult> {
  const interrupt = interruptible(io, text => warnLine(io, text))
  try {
    const library = await io.library()
    const { signal } = interrupt
    const onNotice = (text: string) => warnLine(io, text)
    return await library.probeTraining({ ...given, signal, onNotice, confirm: confirmProbe(io, flags) })
  } finally {
    interrupt.dispose()
  }
}

/** Sentence on what the probe cost; undefined if there was no probe. */
function probeReport(probed: ProbeResult | undefined, io: Io): string | undefined {
  if (probed?.view === undefined) return undefined
  const { view, directory, isShared } = probed
  const use = isShared
    ? 'Training reuses its attempts from the cache.'
    : 'They come on top of what training costs.'
  const { calls } = view.spending.total
  return `The probe took ${plural(calls, 'call')}, ${costOf(view)}; see ${shownPath(directory, io.cwd)}. ${use}`
}

/** Converts preset, caps, sandbox and `--set section.key=value` to the config's dotted paths. */
export function configFlags(
  flags: Pick<
    TrainFlags,
    'maxCalls' | 'maxTokens' | 'maxCost' | 'maxTime' | 'set' | 'preset' | 'unsafeNoSandbox'
  >,
) {
  const { preset, maxCalls, maxTokens, maxCost, maxTime } = flags
  const limits = Object.entries({ maxCalls, maxTokens, maxCost, maxTime }).map(([name, value]) => [
    `limits.${name}`,
    value,
  ])
  const set = (flags.set ?? []).map(option => {
    const at = option.indexOf('=')
    if (at < 1) {
      throw new InputError(`--set expects section.key=value, got "${option}".`, {
        hint: 'For example: --set train.epochs=2',
      })
    }
    return [option.slice(0, at), option.slice(at + 1)]
  })
  const sandbox = flags.unsafeNoSandbox === true ? 'none' : undefined
  const given = [['preset', preset], ['sandbox', sandbox], ...limits, ...set].filter(
    ([, value]) => value !== undefined,
  )
  return Object.fromEntries(given) as Record<string, unknown>
}

async function report(io: Io, { directory, view }: TrainResult): Promise<void> {
  if (view === undefined) return
  const run = await readWhole(directory, io.cwd)
  const { reader, directory: shown } = run
  const seed = await reader.get(view.seedSkill)
  const best = view.best ? await reader.get(view.best.text) : undefined
  const tokens = await skillTokens(run)
  const tested = await testedPairs(view, ref => reader.get(ref))
  printLine(io)
  printLine(io, endReport(view, { colors: io.colors, directory: shown, seed, best, tokens, tested }))
}

export interface Ending {
  readonly outcome: TrainResult['outcome']
  readonly directory: string
  readonly error?: SkillOptError | undefined
}

/**
 * Prints how the run ended and returns the exit code. The message goes to stderr so that scripts can parse
 * stdout.
 */
export function sayEnd(io: Io, { outcome, error, directory }: Ending): number {
  if (outcome === 'finished') return exitCodes.ok
  if (outcome === 'declined') {
    warnLine(io, 'Nothing was started and nothing was spent.')
    return exitCodes.interrupted
  }
  const { colors } = io
  const word = { paused: 'paused:', cap: 'cap reached:', interrupted: 'stopped:' }[outcome]
  warnLine(io, `\n${colors.yellow(word)} ${clean(error?.message ?? 'The run was stopped.')}`)
  if (error?.hint !== undefined) warnLine(io, clean(error.hint))
  warnLine(io, `Everything so far is kept in ${shownPath(directory, io.cwd)}.`)
  return { paused: exitCodes.paused, cap: exitCodes.capReached, interrupted: exitCodes.interrupted }[outcome]
}
