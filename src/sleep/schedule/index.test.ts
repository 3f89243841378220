import { execFileSync } from 'node:child_process'
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { nightMachine } from '../../../test/support/night-systems.js'
import { keyOf } from './entry.js'

type NightMachine = Awaited<ReturnType<typeof nightMachine>>

const machines = {
  systemd: () => nightMachine('linux', ['systemctl', 'crontab']),
  cron: () => nightMachine('freebsd', ['crontab']),
  launchd: () => nightMachine('darwin', ['launchctl']),
  'task-scheduler': () => nightMachine('win32', ['schtasks']),
} as const

describe.each(Object.entries(machines))('%s', (name, make) => {
  let machine: NightMachine
  beforeEach(async () => {
    machine = await make()
  })
  afterEach(() => machine.end())

  test('lists exactly the job that was installed', async () => {
    const { schedule, job } = machine
    expect(await schedule.list()).toEqual([])
    expect(await schedule.install(job)).toEqual({ system: name, remarks: [expect.any(String)] })
    const key = keyOf(job.project)
    expect(await schedule.list()).toEqual([{ system: name, key, job, problem: undefined }])
  })

  test('a second installation replaces the first', async () => {
    const { schedule, job } = machine
    await schedule.install(job)
    const later = { ...job, hour: 23, minute: 0, command: [process.execPath, 'other'] as const }
    await schedule.install(later)
    expect((await schedule.list()).map(found => found.job)).toEqual([later])
  })

  test('removes settings from an earlier folder', async () => {
    const { schedule, job, place } = machine
    await schedule.install(job)
    await schedule.install({ ...job, folder: place('home', 'other') })
    expect(await readdir(job.folder)).toEqual([])
    expect((await schedule.list()).map(found => found.job?.folder)).toEqual([place('home', 'other')])
  })

  test('removes one project or all, and nothing else', async () => {
    const { schedule, job, place } = machine
    const others = await Promise.all(
      ['two', 'three'].map(async folder => {
        await mkdir(place(folder))
        return { ...job, project: place(folder), folder: place('home', folder) }
      }),
    )
    for (const each of [job, ...others]) await schedule.install(each)
    const removed = await schedule.remove({ project: job.project })
    expect(removed.map(found => found.job)).toEqual([job])
    const left = (await schedule.list()).map(found => found.job)
    expect(left).toHaveLength(2)
    expect(left).toEqual(expect.arrayContaining(others))
    expect(await readdir(job.folder)).toEqual([])
    expect(await schedule.remove({ project: job.project })).toEqual([])
    expect(await schedule.remove('all')).toHaveLength(2)
    expect(await schedule.list()).toEqual([])
  })

  test('reports the problem of a schedule', async () => {
    const { schedule, job, place } = machine
    await schedule.install({ ...job, needs: ['A_KEY'] })
    const problem = async () => (await schedule.list())[0]?.problem
    expect(await problem()).toContain('A night will not find A_KEY unless')
    await writeFile(place('project', '.env'), 'A_KEY=x\n')
    expect(await problem()).toBeUndefined()
    await schedule.install({ ...job, command: [place('gone')] })
    expect(await problem()).toBe(`The program is gone: ${place('gone')}.`)
    await schedule.install({ ...job, project: place('no-project') })
    await schedule.remove({ project: job.project })
    const [gone] = await schedule.list()
    // Both schedules had their settings in one folder, so removing one removed those of the other.
    expect(gone).toMatchObject({
      job: undefined,
      problem: expect.stringContaining('settings of the schedule are gone'),
    })
    expect(await schedule.remove('all')).toHaveLength(1)
  })

  test('settings are readable by the user only and hold no key', async () => {
    const { schedule, job } = machine
    const { remarks } = await schedule.install({ ...job, needs: ['A_KEY'] })
    expect(remarks[1]).toContain('A night will not find A_KEY')
    const file = `${job.folder}/schedule.json`
    if (process.platform !== 'win32') expect((await stat(file)).mode & 0o777).toBe(0o600)
    expect(JSON.parse(await readFile(file, 'utf8'))).toMatchObject({ needs: ['A_KEY'], format: 1 })
  })

  test('a job that cannot be scheduled changes nothing', async () => {
    const { schedule, job, place } = machine
    await expect(schedule.install({ ...job, hour: 24 })).rejects.toThrow('A night cannot begin at 24:17.')
    expect(await readdir(place('state'))).toEqual([])
    expect(await readdir(place('home'))).toEqual([])
  })
})

describe('how programs are called', () => {
  let machine: NightMachine
  afterEach(() => machine.end())

  test('systemd', async () => {
    machine = await machines.systemd()
    await machine.schedule.install(machine.job)
    await machine.schedule.remove('all')
    const unit = `skillopt-sleep-${keyOf(machine.job.project)}.timer`
    expect((await machine.calls()).filter(call => call.startsWith('systemctl'))).toEqual([
      'systemctl --user show-environment',
      'systemctl --user daemon-reload',
      `systemctl --user stop ${unit}`,
      `systemctl --user clean --what=state ${unit}`,
      `systemctl --user enable --now ${unit}`,
      `systemctl --user disable --now ${unit}`,
      `systemctl --user clean --what=state ${unit}`,
      'systemctl --user daemon-reload',
    ])
    expect(await readdir(machine.place('home', '.config', 'systemd', 'user'))).toEqual([])
  })

  test('launchd', async () => {
    machine = await machines.launchd()
    await machine.schedule.install(machine.job)
    await machine.schedule.remove('all')
    const label = `skillopt.sleep.${keyOf(machine.job.project)}`
    expect(await machine.calls()).toEqual([
      'launchctl version',
      `launchctl bootout gui/501/${label}`,
      `launchctl enable gui/501/${label}`,
      `launchctl bootstrap gui/501 ~/home/Library/LaunchAgents/${label}.plist`,
      `launchctl bootout gui/501/${label}`,
    ])
  })

  test('Task Scheduler', async () => {
    machine = await machines['task-scheduler']()
    await machine.schedule.install(machine.job)
    await machine.schedule.remove('all')
    const task = `\\SkillOpt\\sleep-${keyOf(machine.job.project)}`
    const calls = await machine.calls()
    expect(calls.map(call => call.replace(/\S+task\.xml/, 'task.xml'))).toEqual([
      'schtasks /Query /FO CSV /NH',
      'schtasks /Query /FO CSV /NH',
      `schtasks /Create /TN ${task} /XML task.xml /F`,
      'schtasks /Query /FO CSV /NH',
      `schtasks /Query /TN ${task} /XML`,
      `schtasks /Delete /TN ${task} /F`,
    ])
    expect(JSON.parse(await readFile(machine.place('state', 'tasks.json'), 'utf8'))).toEqual({
      '\\Other\\task': '<Task/>',
    })
  })
})

describe('what goes wrong', () => {
  let machine: NightMachine
  beforeEach(async () => {
    machine = await machines.systemd()
  })
  afterEach(() => machine.end())
  const noBus = 'echo "Failed to connect to bus: No medium found" >&2; exit 1'

  test('without a bus, cron is used; with one later, the entry moves', async () => {
    await machine.put('systemctl', noBus)
    expect(await machine.schedule.install(machine.job)).toMatchObject({ system: 'cron' })
    await machine.put('systemctl', '')
    expect(await machine.schedule.install(machine.job)).toMatchObject({ system: 'systemd' })
    expect(await machine.crontab()).toBe('')
    expect((await machine.schedule.list()).map(({ system }) => system)).toEqual(['systemd'])
  })

  test('cron is used where it is asked for, and nothing that is not there', async () => {
    expect(await machine.schedule.install(machine.job, { use: 'cron' })).toMatchObject({ system: 'cron' })
    await expect(machine.schedule.install(machine.job, { use: 'launchd' })).rejects.toMatchObject({
      message: 'This system has no launchd.',
      hint: 'There is systemd and cron here.',
    })
  })

  test('without any system, prints a working line to add', async () => {
    await machine.end()
    machine = await nightMachine('linux', [])
    const error = await machine.schedule.install(machine.job).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({
      message:
        'Nothing here can start a night by itself: systemctl is not installed, and crontab is not installed.',
      exitCode: 2,
      hint: expect.stringContaining("\n17 3 * * * '/opt/node 20/bin/node' '/opt/skillopt/run-night.js' '"),
    })
    expect(await readdir(machine.job.folder)).toEqual(['schedule.json'])
  })

  test('reports a crontab without permission', async () => {
    await machine.put('systemctl', noBus)
    await machine.put('crontab', 'echo "You (me) are not allowed to use this program (crontab)" >&2; exit 1')
    expect(await machine.schedule.list()).toEqual([])
    await expect(machine.schedule.install(machine.job)).rejects.toThrow(
      'systemctl --user says "Failed to connect to bus: No medium found", and crontab says "You (me) are not allowed to use this program (crontab)".',
    )
  })

  test('an unwritable crontab keeps the previous settings', async () => {
    await machine.schedule.install(machine.job, { use: 'cron' })
    const failing =
      '[ "$1" = -l ] && exec /bin/cat "$STATE/crontab"; echo "crontab: Permission denied" >&2; exit 1'
    await machine.put('crontab', failing)
    const change = { ...machine.job, command: [process.execPath, 'other'] as const }
    await expect(machine.schedule.install(change, { use: 'cron' })).rejects.toMatchObject({
      message: 'The crontab cannot be changed: crontab says "crontab: Permission denied".',
      hint: expect.stringContaining('Run it as the user'),
      exitCode: 2,
    })
    expect((await machine.schedule.list())[0]?.job).toEqual(machine.job)
  })

  test('a timer that cannot be started leaves nothing behind', async () => {
    await machine.put('systemctl', '[ "$2" = enable ] && { echo "Access denied" >&2; exit 4; }; exit 0')
    await expect(machine.schedule.install(machine.job)).rejects.toThrow(
      'The timer cannot be started: systemctl says "Access denied".',
    )
    expect(await machine.schedule.list()).toEqual([])
    expect(await readdir(machine.job.folder)).toEqual([])
  })

  test('a timer that cannot be stopped stays, with a hint', async () => {
    await machine.schedule.install(machine.job)
    await machine.put('systemctl', noBus)
    await expect(machine.schedule.remove('all')).rejects.toMatchObject({
      message: 'The timer cannot be stopped: systemctl says "Failed to connect to bus: No medium found".',
      hint: expect.stringContaining('not with su or sudo'),
    })
    expect(await machine.schedule.list()).toMatchObject([{ job: machine.job, problem: undefined }])
  })

  test('reports an entry that a person has changed, and can replace or remove it', async () => {
    await machine.schedule.install(machine.job, { use: 'cron' })
    await writeFile(machine.place('state', 'crontab'), (await machine.crontab()).replace('17 3', '#17 3'))
    expect(await machine.schedule.list()).toMatchObject([
      { job: undefined, problem: 'The entry in cron was changed by hand and cannot be read.' },
    ])
    await machine.schedule.install(machine.job, { use: 'cron' })
    expect(await machine.schedule.list()).toMatchObject([{ job: machine.job, problem: undefined }])
  })

  test('retries launchd while the previous agent shuts down', async () => {
    await machine.end()
    machine = await machines.launchd()
    const busy = `[ "$1" = bootstrap ] || exit 0
[ -f "$STATE/once" ] && exit 0
: > "$STATE/once"; echo "Bootstrap failed: 37: Operation already in progress" >&2; exit 37`
    await machine.put('launchctl', busy)
    await machine.schedule.install(machine.job)
    expect((await machine.calls()).filter(call => call.includes('bootstrap'))).toHaveLength(2)
  })

  test('reports errors of launchd and Task Scheduler', async () => {
    await machine.end()
    machine = await machines.launchd()
    await machine.put('launchctl', '[ "$1" = version ] || { echo "Operation not permitted" >&2; exit 1; }')
    await expect(machine.schedule.install(machine.job)).rejects.toThrow(
      'The agent cannot be stopped: launchctl says "Operation not permitted".',
    )
    expect(await machine.schedule.list()).toEqual([])
    await machine.end()
    machine = await machines['task-scheduler']()
    await machine.put('schtasks', '[ "$1" = /Query ] || { echo "ERROR: Access is denied." >&2; exit 1; }')
    await expect(machine.schedule.install(machine.job)).rejects.toThrow(
      'The task cannot be scheduled: schtasks says "ERROR: Access is denied".',
    )
  })
})

const { SKILLOPT_TEST_CRONTAB: crontab } = process.env
if (crontab === undefined) {
  process.stderr.write(
    '\n!!! SKIPPED: The test with a real crontab changes it; SKILLOPT_TEST_CRONTAB names a program "crontab" that may.\n\n',
  )
}

test.skipIf(crontab === undefined)('the real crontab', async () => {
  const machine = await nightMachine('freebsd', [])
  const run = (args: readonly string[], input?: string) =>
    execFileSync(crontab ?? '', args, { input, encoding: 'latin1' })
  try {
    await machine.put('crontab', `exec "${crontab}" "$@"`)
    const mine = '# \xff mine\nMAILTO=me\n0 1 * * * x % y\n'
    run(['-'], mine)
    await machine.schedule.install(machine.job)
    expect((await machine.schedule.list())[0]?.job).toEqual(machine.job)
    expect(run(['-l']).endsWith(mine)).toBe(true)
    await machine.schedule.remove('all')
    expect(run(['-l'])).toBe(mine)
    run(['-r'])
    expect(await machine.schedule.list()).toEqual([])
    await machine.schedule.install(machine.job)
    expect(await machine.schedule.list()).toHaveLength(1)
    run(['-r'])
  } finally {
    await machine.end()
  }
})
