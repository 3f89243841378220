import { resolve } from 'node:path'
import { exitCodes } from '../../../core/errors/errors.js'
import { nightJob } from '../../../sleep/night/scheduled-job.js'
import {
  clockTime,
  createSchedule,
  type NightlyJob,
  nextNight,
  nightLog,
  type SystemName,
} from '../../../sleep/schedule/index.js'
import { loadSettings } from '../../../sleep/settings/settings.js'
import { ownProgram } from '../../../system/own-program.js'
import { nightArguments, nightSettings } from '../../inputs/night-settings.js'
import { timeText } from '../../output/proposal-text.js'
import { clean, shownPath } from '../../output/text.js'
import type { NightFlags } from '../../program/night-options.js'
import { trustFor } from '../../terminal/ask-trust.js'
import { type Io, printLine, sayWarnings } from '../../terminal/io.js'
import { openSleepProject, printSafeJson } from './book.js'

export interface ScheduleFlags extends NightFlags {
  readonly at?: { readonly hour: number; readonly minute: number } | undefined
  readonly use?: SystemName | undefined
  readonly json?: true | undefined
}

/** Default time: few people work at this hour, and few other jobs start at this minute. */
const usualTime = { hour: 3, minute: 17 }

/** Adds a nightly job to the operating system's scheduler, with all settings that the user gave. */
export async function scheduleNights(io: Io, flags: ScheduleFlags): Promise<number> {
  const project = await openSleepProject(io, flags)
  const words = nightArguments(flags, io.cwd)
  // Loads the settings as the job will load them: in the project's folder, with absolute paths.
  const settings = await loadSettings({
    config: flags.config === undefined ? undefined : resolve(io.cwd, flags.config),
    cfgOptions: flags.cfgOptions,
    flags: nightSettings(flags),
    env: io.env,
    cwd: project.root,
    trust: trustFor(io, flags),
  })
  const { file, execArgv } = ownProgram('../../main', import.meta.url)
  const command: NightlyJob['command'] = [
    process.execPath,
    ...execArgv,
    file,
    'sleep',
    'run',
    '--yes',
    '--project',
    project.root,
    ...words,
  ] as [string, ...string[]]
  const at = flags.at ?? usualTime
  const { job, remarks } = await nightJob({ project, settings, command, at, surroundings: io })
  const installed = await createSchedule({ env: io.env }).install(job, { use: flags.use })
  const told = [...remarks, ...installed.remarks]
  const next = nextNight(at, new Date())
  if (flags.json === true) {
    const { environment, needs, variableFiles } = job
    printSafeJson(io, {
      project: project.root,
      system: installed.system,
      time: clockTime(at),
      next: next.toISOString(),
      command,
      environment,
      needs,
      variableFiles,
      log: nightLog(project.folder),
      remarks: told,
    })
    return exitCodes.ok
  }
  printLine(
    io,
    `${io.colors.green('Scheduled:')} every night at ${clockTime(at)} by ${installed.system}, next ${timeText(next.toISOString())}`,
  )
  printLine(io, `It runs: skillopt ${command.slice(command.indexOf('sleep')).map(quoted).join(' ')}`)
  printLine(io, `Its output goes to ${clean(shownPath(nightLog(project.folder), io.cwd))}.`)
  printLine(io, '`skillopt sleep status` shows past nights; `skillopt sleep unschedule` stops them.')
  sayWarnings(io, told.map(clean))
  return exitCodes.ok
}

const quoted = (word: string): string =>
  /^[\w./:=@+,-]+$/.test(word) ? word : `'${clean(word).replaceAll("'", "'\\''")}'`
