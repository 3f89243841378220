import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import { InputError } from '../../core/errors/errors.js'
import { call, failure, type Machine, mustCall } from './calls.js'
import { type Command, clockTime, type Entry, entryOf, keyPattern, type NightSystem } from './entry.js'
import { readWindowsWords, windowsWord } from './words.js'
import { elementText, xmlText } from './xml.js'

const taskName = (key: string) => `\\SkillOpt\\sleep-${key}`
const ownTask = new RegExp(`^\\\\SkillOpt\\\\sleep-(${keyPattern})$`)
const query: Command = ['schtasks', '/Query', '/FO', 'CSV', '/NH']

export function createTaskScheduler(machine: Machine): NightSystem {
  const names = async () => {
    const end = await call(machine, query)
    // A machine without Task Scheduler has no tasks.
    if (end === undefined) return []
    if (end.code !== 0) throw failure('The scheduled tasks cannot be read', query, end)
    return taskNames(end.stdout.toString('latin1'))
  }
  return {
    name: 'task-scheduler',
    remark:
      'The task runs while you are logged on, without raised rights. A night that is missed is made up for.',
    async problem() {
      return (await call(machine, query)) === undefined ? 'schtasks is not installed' : undefined
    },
    async put(entry) {
      refuseReplaced(entry.command)
      const xml = taskText(entry, machine.now())
      await withFile(xml, file =>
        mustCall(machine, 'The task cannot be scheduled', [
          'schtasks',
          '/Create',
          '/TN',
          taskName(entry.key),
          '/XML',
          file,
          '/F',
        ]),
      )
    },
    async list() {
      const keys = (await names()).flatMap(name => ownTask.exec(name)?.[1] ?? [])
      return Promise.all(
        keys.map(async key => {
          const command: Command = ['schtasks', '/Query', '/TN', taskName(key), '/XML']
          const { stdout } = await mustCall(machine, 'A scheduled task cannot be read', command)
          return { key, entry: readTask(key, stdout.toString('latin1')) }
        }),
      )
    },
    async remove(keys) {
      for (const key of keys) {
        await mustCall(machine, 'The task cannot be taken away', [
          'schtasks',
          '/Delete',
          '/TN',
          taskName(key),
          '/F',
        ])
      }
    },
  }
}

/** Reads task names from the first column. The headings and other columns are in the system's language. */
export function taskNames(csv: string): readonly string[] {
  const rows: string[][] = parse(csv, { relaxColumnCount: true, relaxQuotes: true, skipEmptyLines: true })
  return [...new Set(rows.flatMap(([name]) => name ?? []))]
}

export function taskText({ command: [program, ...rest], ...time }: Entry, now: Date): string {
  return `<?xml version="1.0" encoding="UTF-16"?>
<Task version="1.2" xmlns="http://schemas.microsoft.com/windows/2004/02/mit/task">
  <RegistrationInfo>
    <Description>A night of SkillOpt Sleep</Description>
  </RegistrationInfo>
  <Triggers>
    <CalendarTrigger>
      <StartBoundary>${firstDay(time, now)}T${clockTime(time)}:00</StartBoundary>
      <ScheduleByDay>
        <DaysInterval>1</DaysInterval>
      </ScheduleByDay>
    </CalendarTrigger>
  </Triggers>
  <Principals>
    <Principal id="Author">
      <LogonType>InteractiveToken</LogonType>
      <RunLevel>LeastPrivilege</RunLevel>
    </Principal>
  </Principals>
  <Settings>
    <MultipleInstancesPolicy>IgnoreNew</MultipleInstancesPolicy>
    <DisallowStartIfOnBatteries>false</DisallowStartIfOnBatteries>
    <StopIfGoingOnBatteries>false</StopIfGoingOnBatteries>
    <StartWhenAvailable>true</StartWhenAvailable>
    <ExecutionTimeLimit>PT0S</ExecutionTimeLimit>
  </Settings>
  <Actions Context="Author">
    <Exec>
      <Command>${xmlText(program)}</Command>
      <Arguments>${xmlText(rest.map(windowsWord).join(' '))}</Arguments>
    </Exec>
  </Actions>
</Task>
`
}

export function readTask(key: string, xml: string): Entry | undefined {
  const program = elementText(xml, 'Command')
  const words = readWindowsWords(elementText(xml, 'Arguments') ?? '')
  const [, hour, minute] = /T(\d\d):(\d\d):/.exec(elementText(xml, 'StartBoundary') ?? '') ?? []
  if (program === undefined || words === undefined) return undefined
  return entryOf(key, [hour, minute], [program, ...words])
}

/** Returns the day of the next occurrence. Task Scheduler would treat a past time as a missed night. */
function firstDay({ hour, minute }: Pick<Entry, 'hour' | 'minute'>, now: Date): string {
  const isPast = hour * 60 + minute <= now.getHours() * 60 + now.getMinutes()
  const day = new Date(now.getFullYear(), now.getMonth(), now.getDate() + (isPast ? 1 : 0))
  const digits = (number: number) => String(number).padStart(2, '0')
  return `${day.getFullYear()}-${digits(day.getMonth() + 1)}-${digits(day.getDate())}`
}

/**
 * Throws if the command contains text that Task Scheduler would expand, between percent signs or in `$(…)`,
 * because it cannot be escaped.
 */
function refuseReplaced(command: Command): void {
  const text = command.find(word => /%[^%]*%|\$\(/.test(word))
  if (text === undefined) return
  throw new InputError(`Task Scheduler would replace a part of this path: ${text}`, {
    hint: 'Install Node and skillopt in folders without percent signs and without "$(".',
  })
}

/**
 * Writes the task's XML to a temporary file, in the encoding that it declares, and always removes the file
 * afterwards.
 */
async function withFile<T>(xml: string, use: (file: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'skillopt-task-'))
  try {
    const file = join(folder, 'task.xml')
    await writeFile(file, `\ufeff${xml}`, 'utf16le')
    return await use(file)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
