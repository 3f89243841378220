import { join } from 'node:path'
import { InputError } from '../../core/errors/errors.js'
import { call, type Machine, mustCall, saidBy } from './calls.js'
import { type Command, clockTime, type Entry, entryOf, keyPattern, type NightSystem } from './entry.js'
import { filesIn, readText, removeFile, withNewFiles } from './settings.js'
import { readSystemdWords, systemdWords } from './words.js'

const unit = (key: string, kind: 'service' | 'timer') => `skillopt-sleep-${key}.${kind}`
const timerName = new RegExp(`^skillopt-sleep-(${keyPattern})\\.timer$`)

export function createSystemd(machine: Machine): NightSystem {
  const folder = unitFolder(machine)
  const file = (key: string, kind: 'service' | 'timer') => join(folder, unit(key, kind))
  const systemctl = (...words: string[]): Command => ['systemctl', '--user', ...words]
  const must = (what: string, ...words: string[]) => mustCall(machine, what, systemctl(...words))
  const forget = async (key: string) => {
    // Clears the time of the last run. Otherwise a new timer would catch up on nights of the old one. Older
    // versions of systemd cannot clear it; then one extra night may start.
    await call(machine, systemctl('clean', '--what=state', unit(key, 'timer')))
  }
  return {
    name: 'systemd',
    remark:
      'The timers of a user run while that user is logged in; "loginctl enable-linger" has them run without. A night that the machine sleeps through is made up for.',
    async problem() {
      const end = await call(machine, systemctl('show-environment'))
      if (end?.code === 0) return undefined
      return end === undefined ? 'systemctl is not installed' : `systemctl --user ${saidBy(end)}`
    },
    async put(entry) {
      refuseProgram(entry.command[0])
      const files = {
        [file(entry.key, 'service')]: serviceText(entry),
        [file(entry.key, 'timer')]: timerText(entry),
      }
      await withNewFiles(files, async () => {
        await must('The new timer cannot be loaded', 'daemon-reload')
        await must('The timer of before cannot be stopped', 'stop', unit(entry.key, 'timer'))
        await forget(entry.key)
        await must('The timer cannot be started', 'enable', '--now', unit(entry.key, 'timer'))
      })
    },
    async list() {
      const keys = (await filesIn(folder)).flatMap(name => timerName.exec(name)?.[1] ?? [])
      return Promise.all(
        keys.map(async key => {
          const [service, timer] = [await readText(file(key, 'service')), await readText(file(key, 'timer'))]
          return { key, entry: readUnits(key, service ?? '', timer ?? '') }
        }),
      )
    },
    async remove(keys) {
      for (const key of keys) {
        await must('The timer cannot be stopped', 'disable', '--now', unit(key, 'timer'))
        await forget(key)
        await removeFile(file(key, 'timer'))
        await removeFile(file(key, 'service'))
      }
      await must('The timers cannot be loaded anew', 'daemon-reload')
    },
  }
}

function unitFolder({ env, home }: Machine): string {
  const given = env.XDG_CONFIG_HOME
  return join(given === undefined || given === '' ? join(home, '.config') : given, 'systemd', 'user')
}

export function serviceText({ command }: Pick<Entry, 'command'>): string {
  return `[Unit]
Description=A night of SkillOpt Sleep

[Service]
Type=oneshot
ExecStart=${systemdWords(command)}
`
}

export function timerText(time: Pick<Entry, 'hour' | 'minute'>): string {
  return `[Unit]
Description=Starts the nights of SkillOpt Sleep

[Timer]
OnCalendar=*-*-* ${clockTime(time)}:00
Persistent=true

[Install]
WantedBy=timers.target
`
}

export function readUnits(key: string, service: string, timer: string): Entry | undefined {
  const [, words = ''] = /^ExecStart=(.*)$/m.exec(service) ?? []
  const [, hour, minute] = /^OnCalendar=\*-\*-\* (\d\d):(\d\d):00$/m.exec(timer) ?? []
  return entryOf(key, [hour, minute], readSystemdWords(words))
}

/**
 * Throws if the program's path contains a quotation mark or backslash, because systemd cannot start such a
 * program, however the path is quoted.
 */
function refuseProgram(program: string): void {
  if (!/["'\\]/.test(program)) return
  throw new InputError(
    `systemd starts no program whose path has a quotation mark or a backslash: ${program}`,
    {
      hint: 'Install Node in another folder.',
    },
  )
}
