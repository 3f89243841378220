import { dirname } from 'node:path'
import { InputError, messageOf } from '../../core/errors/errors.js'
import { userHome } from '../../system/home.js'
import { ownProgram } from '../../system/own-program.js'
import type { Machine } from './calls.js'
import { createCron, cronLine } from './cron.js'
import {
  type Command,
  type Entry,
  type FoundEntry,
  keyOf,
  type NightSystem,
  type SystemName,
} from './entry.js'
import { checkJob, type NightlyJob } from './job.js'
import { createLaunchd } from './launchd.js'
import { missingVariables, whereToPut } from './night.js'
import {
  isThere,
  readSettings,
  removeFile,
  settingsFile,
  settingsText,
  withNewFiles,
  writeText,
} from './settings.js'
import { createSystemd } from './systemd.js'
import { createTaskScheduler } from './task-scheduler.js'
import { decodePath, encodePath } from './words.js'

export { clockTime, keyOf as scheduleKey, nextNight, type SystemName } from './entry.js'
export { isKeyName, type NightlyJob } from './job.js'
export { nightLog } from './settings.js'

export interface Installed {
  readonly system: SystemName
  /** Notes to the user about the system, and about keys that a night would not find. */
  readonly remarks: readonly string[]
}

/** One of our entries in a scheduling system. */
export interface Scheduled {
  readonly system: SystemName
  /** Key of the project's entry; see `keyOf`. */
  readonly key: string
  /** The scheduled job; undefined if the entry or its settings cannot be read. */
  readonly job: NightlyJob | undefined
  /** A problem that would prevent the night from running properly, as a sentence. */
  readonly problem: string | undefined
}

export interface Schedule {
  /** Schedules a project's nights and replaces an earlier schedule. */
  install(job: NightlyJob, options?: { readonly use?: SystemName | undefined }): Promise<Installed>
  /** Removes the entries of one project or of all, and returns them. */
  remove(which: { readonly project: string } | 'all'): Promise<readonly Scheduled[]>
  list(): Promise<readonly Scheduled[]>
}

interface ScheduleOptions extends Partial<Machine> {
  readonly env: Readonly<Record<string, string | undefined>>
  /** Command that the system starts. The path of the settings file is added as its argument. */
  readonly launcher?: Command
}

/** Schedules nights with the machine's own scheduling systems. */
export function createSchedule({ launcher = ownLauncher(), ...given }: ScheduleOptions): Schedule {
  const machine: Machine = {
    home: userHome(given.env),
    platform: process.platform,
    userId: process.getuid?.() ?? 0,
    now: () => new Date(),
    ...given,
  }
  const systems = systemsOf(machine)

  const list = async () => (await Promise.all(systems.map(entriesOf))).flat()

  const remove = async (scheduled: readonly Scheduled[]) => {
    for (const system of systems) {
      const keys = scheduled.filter(({ system: name }) => name === system.name).map(({ key }) => key)
      if (keys.length > 0) await system.remove(keys)
    }
  }

  return {
    async install(job, { use } = {}) {
      checkJob(job, machine.env, machine.platform)
      const file = settingsFile(job.folder)
      const entry: Entry = {
        key: keyOf(job.project),
        hour: job.hour,
        minute: job.minute,
        command: [...launcher, encodePath(file)],
      }
      const earlier = (await list()).filter(({ key }) => key === entry.key)
      const system = await choose(systems, use)
      if (typeof system === 'string') {
        const told = byHand(system, entry, file)
        await writeText(file, settingsText(job))
        throw told
      }
      await withNewFiles({ [file]: settingsText(job) }, () => system.put(entry))
      // If another system kept an older entry, every night would start twice.
      await remove(earlier.filter(({ system: name }) => name !== system.name))
      await forgetSettings(earlier, job.folder)
      return { system: system.name, remarks: [system.remark, ...(await remarksOnKeys(job))] }
    },
    async remove(which) {
      const found = (await list()).filter(({ key }) => which === 'all' || key === keyOf(which.project))
      await remove(found)
      await forgetSettings(found)
      return found
    },
    list,
  }
}

async function forgetSettings(scheduled: readonly Scheduled[], except?: string): Promise<void> {
  const folders = scheduled.flatMap(({ job }) => job?.folder ?? []).filter(folder => folder !== except)
  for (const folder of folders) await removeFile(settingsFile(folder))
}

function ownLauncher(): Command {
  const { file, execArgv } = ownProgram('run-night', import.meta.url)
  return [process.execPath, ...execArgv, file]
}

/** Lists the scheduling systems of this platform, best first. */
function systemsOf(machine: Machine): readonly NightSystem[] {
  switch (machine.platform) {
    case 'darwin':
      return [createLaunchd(machine)]
    case 'win32':
      return [createTaskScheduler(machine)]
    case 'linux':
      return [createSystemd(machine), createCron(machine)]
    default:
      return [createCron(machine)]
  }
}

/** Returns the first system that works here. Throws with the reasons if none does. */
async function choose(
  systems: readonly NightSystem[],
  use: SystemName | undefined,
): Promise<NightSystem | string> {
  const wanted = systems.filter(({ name }) => use === undefined || name === use)
  if (wanted.length === 0) {
    throw new InputError(`This system has no ${use}.`, {
      hint: `There is ${systems.map(({ name }) => name).join(' and ')} here.`,
    })
  }
  const problems: string[] = []
  for (const system of wanted) {
    const problem = await system.problem()
    if (problem === undefined) return system
    problems.push(problem)
  }
  return problems.join(', and ')
}

function byHand(problem: string, entry: Entry, file: string): InputError {
  return new InputError(`Nothing here can start a night by itself: ${problem}.`, {
    hint: `Have this line of a crontab, or what it says, run every night:\n${cronLine(entry)}\nIts settings are in ${file}.`,
  })
}

async function entriesOf(system: NightSystem): Promise<Scheduled[]> {
  return Promise.all((await system.list()).map(async found => scheduledOf(system.name, found)))
}

async function scheduledOf(system: SystemName, { key, entry }: FoundEntry): Promise<Scheduled> {
  const file = decodePath(entry?.command.at(-1) ?? '')
  if (entry === undefined) {
    const problem = `The entry in ${system} was changed by hand and cannot be read.`
    return { system, key, job: undefined, problem }
  }
  try {
    const { format: _format, ...settings } = await readSettings(file)
    const job = { ...settings, folder: dirname(file), hour: entry.hour, minute: entry.minute }
    return { system, key, job, problem: await problemOf(job) }
  } catch (error) {
    if (!(error instanceof InputError)) throw error
    return { system, key, job: undefined, problem: messageOf(error) }
  }
}

async function problemOf(job: NightlyJob): Promise<string | undefined> {
  if (!(await isThere(job.project))) return `The project is gone: ${job.project}.`
  if (!(await isThere(job.command[0]))) return `The program is gone: ${job.command[0]}.`
  return (await remarksOnKeys(job))[0]
}

async function remarksOnKeys(job: NightlyJob): Promise<string[]> {
  const missing = await missingVariables(job)
  return missing.length === 0
    ? []
    : [`A night will not find ${missing.join(', ')} unless the system sets it. ${whereToPut(job)}`]
}
