import { resolve } from 'node:path'
import { exitCodes, InputError } from '../../../core/errors/errors.js'
import { createSchedule, type Scheduled } from '../../../sleep/schedule/index.js'
import { clean } from '../../output/text.js'
import { type Io, printLine } from '../../terminal/io.js'
import { openSleepProject, printSafeJson, type SleepFlags } from './book.js'

export interface UnscheduleFlags extends SleepFlags {
  readonly all?: true | undefined
}

/** Removes Sleep's jobs from the operating system's scheduler. Results of earlier nights stay. */
export async function unscheduleNights(io: Io, flags: UnscheduleFlags): Promise<number> {
  const which = flags.all === true ? ('all' as const) : { project: await rootOf(io, flags) }
  const removed = await createSchedule({ env: io.env }).remove(which)
  if (flags.json === true) {
    printSafeJson(io, {
      removed: removed.map(({ system, job }) => ({ system, project: job?.project ?? null })),
    })
    return exitCodes.ok
  }
  if (removed.length === 0)
    printLine(
      io,
      flags.all === true ? 'No nights are scheduled.' : 'No nights are scheduled for this project.',
    )
  for (const scheduled of removed) printLine(io, `Removed from ${scheduled.system}: ${nameOf(scheduled)}`)
  return exitCodes.ok
}

/** Root of the project. It may have been deleted, but its schedule may still exist. */
async function rootOf(io: Io, flags: UnscheduleFlags): Promise<string> {
  try {
    return (await openSleepProject(io, flags)).root
  } catch (error) {
    if (!(error instanceof InputError) || flags.project === undefined) throw error
    return resolve(io.cwd, flags.project)
  }
}

const nameOf = ({ job }: Scheduled): string =>
  job === undefined ? 'a project with unreadable settings' : clean(job.project)
