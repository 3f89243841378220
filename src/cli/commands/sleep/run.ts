import type { IntendedMining, IntendedNight, SleepRunResult } from '../../../app/index.js'
import { exitCodes } from '../../../core/errors/errors.js'
import { nightSettings } from '../../inputs/night-settings.js'
import { intendedText } from '../../output/night-text.js'
import { clean, count, knownCost, plural, shownPath, table } from '../../output/text.js'
import type { NightFlags } from '../../program/night-options.js'
import { trustFor } from '../../terminal/ask-trust.js'
import { confirmMining, confirmNight } from '../../terminal/confirm.js'
import { interruptible } from '../../terminal/interrupt.js'
import { type Io, printLine, warnLine } from '../../terminal/io.js'
import { createDisplay } from '../../terminal/live.js'
import { sayEnd } from '../train/train.js'
import { printSafeJson } from './book.js'
import { readingProgress, recurringText } from './harvest.js'

export interface RunFlags extends NightFlags {
  readonly tasksFile?: string | undefined
  readonly dryRun?: true | undefined
  readonly new?: true | undefined
  readonly yes?: true | undefined
  readonly quiet?: true | undefined
  readonly json?: true | undefined
}

export async function runNight(io: Io, flags: RunFlags): Promise<number> {
  const isQuiet = flags.json ?? flags.quiet
  const show = () => createDisplay(io, { quiet: isQuiet })
  let display = show()
  const interrupt = interruptible(io, text => display.note(text))
  const progress = readingProgress(io, flags)
  const library = await io.library()
  try {
    const result = await library.sleepRun({
      project: flags.project,
      config: flags.config,
      cfgOptions: flags.cfgOptions,
      flags: nightSettings(flags),
      env: io.env,
      cwd: io.cwd,
      signal: interrupt.signal,
      tasksFile: flags.tasksFile,
      dryRun: flags.dryRun,
      fresh: flags.new,
      trust: trustFor(io, flags),
      onProgress: progress.add,
      onEvent: event => display.event(event),
      onNotice: text => display.note(text),
      onPart: part => {
        display.close()
        display = show()
        if (isQuiet !== true) printLine(io, partText(part, io.cwd))
      },
      confirm: intended => {
        progress.clear()
        return agreement(io, flags, intended)
      },
    })
    progress.clear()
    display.close()
    if (flags.json === true) printSafeJson(io, recordOf(result))
    else sayResult(io, result)
    return sayCode(io, result)
  } finally {
    progress.clear()
    display.close()
    interrupt.dispose()
  }
}

function partText(
  {
    name,
    directory,
    resumed,
  }: { readonly name: string; readonly directory: string; readonly resumed: boolean },
  cwd: string,
): string {
  const what = name === 'dreams' ? 'generating task variants' : `training ${clean(name)}`
  return `${resumed ? 'resuming ' : ''}${what}, in ${shownPath(directory, cwd)}`
}

function agreement(io: Io, flags: RunFlags, intended: IntendedMining | IntendedNight): Promise<boolean> {
  if ('parts' in intended) return confirmNight(io, flags)(intended)
  return confirmMining(io, flags)(intended, recurringText(io, intended.recurring))
}

function recordOf(result: SleepRunResult) {
  const { night, error, harvest, intended, ...rest } = result
  return {
    ...rest,
    error:
      error === undefined ? null : { code: error.code, message: error.message, hint: error.hint ?? null },
    night:
      night === undefined
        ? null
        : { number: night.number, folder: night.folder, proposal: night.proposal ?? null },
    spent: night?.outcome?.spent ?? null,
    sessions: harvest?.sessions.length ?? null,
    forecast: intended?.parts ?? null,
    targets: rest.targets,
    adopted: rest.adopted ?? null,
  }
}

function sayResult(io: Io, result: SleepRunResult): void {
  const { colors } = io
  const { harvest, intended, outcome, reason, night, targets, adopted } = result
  if (harvest !== undefined) {
    const asked = `${plural(harvest.requests, 'request')} in ${plural(harvest.sessions.length, 'session')}`
    printLine(
      io,
      `${asked}, ${count(harvest.recurring.length)} recur; ${plural(harvest.tasks.length, 'task')} kept.`,
    )
  }
  if (outcome === 'dry-run') {
    printLine(io, clean(reason))
    if (intended !== undefined) printLine(io, `\n${intendedText(intended, io)}`)
    printLine(io, '\nNothing was written and no model was called.')
    return
  }
  if (night?.outcome === undefined) return
  const title =
    outcome === 'proposed'
      ? colors.green(colors.bold('proposed:'))
      : colors.bold(`${outcome.replaceAll('-', ' ')}:`)
  printLine(io, `\n${title} ${clean(reason)}`)
  if (night.outcome.simulated)
    printLine(io, colors.yellow('SIMULATED: the models are simulated; this says nothing about real ones.'))
  if (targets.length > 0) printLine(io, `\n${targetsText(io, targets)}`)
  printLine(io, `\n${spentText(night.outcome.spent)}`)
  if (adopted !== undefined) {
    printLine(io, '\nAdopted automatically (sleep.autoAdopt). To undo: `skillopt sleep undo`.')
  } else if (outcome === 'proposed') {
    printLine(io, '\nNext: `skillopt sleep review` shows it; `skillopt sleep adopt` applies it.')
  }
}

function targetsText(io: Io, targets: SleepRunResult['targets']): string {
  const rows = targets.map(({ name, reason, test }) => [
    clean(name),
    test === undefined ? '' : `${share(test.before)} → ${share(test.after)}`,
    test === undefined ? '' : count(test.tasks),
    clean(reason),
  ])
  return table(['document', 'on fresh tasks', 'tasks', 'result'], rows, {
    colors: io.colors,
    right: [2],
  })
}

const share = ({ mean, low, high }: { mean: number; low: number; high: number }): string =>
  `${mean.toFixed(2)} (${low.toFixed(2)}–${high.toFixed(2)})`

function spentText({
  calls,
  tokens,
  cost,
  unknownUsage,
  unknownCost,
}: NonNullable<NonNullable<SleepRunResult['night']>['outcome']>['spent']): string {
  if (calls === 0) return 'No model was called.'
  const used = unknownUsage >= calls ? 'unknown' : count(tokens)
  return `${plural(calls, 'call')}, ${used} tokens, cost ${knownCost({ calls, cost, unknownCost })}.`
}

function sayCode(io: Io, result: SleepRunResult): number {
  const { outcome, error, night, folder } = result
  const directory = night?.folder ?? folder
  if (outcome === 'paused' || outcome === 'cap' || outcome === 'interrupted' || outcome === 'declined')
    return sayEnd(io, { outcome, error, directory })
  if (error === undefined) return exitCodes.ok
  warnLine(
    io,
    `\n${io.colors.yellow(error.code === 'cap-reached' ? 'cap reached:' : 'refused:')} ${clean(error.message)}`,
  )
  if (error.hint !== undefined) warnLine(io, clean(error.hint))
  return error.exitCode
}
