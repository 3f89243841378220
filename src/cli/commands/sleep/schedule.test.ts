import { readFile, realpath, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { runSleep } from '../../../../test/support/night.js'
import { nightMachine } from '../../../../test/support/night-systems.js'
import { exitCodes } from '../../../core/errors/errors.js'
import { nextNight } from '../../../sleep/schedule/index.js'
import { openProject } from '../../../sleep/settings/places.js'

/**
 * The scheduler is the one of the machine that runs the tests; only Linux allows choosing it by an
 * environment variable.
 */
const onLinux = describe.skipIf(process.platform !== 'linux')

let machine: Awaited<ReturnType<typeof nightMachine>>
let project = ''
let env: Record<string, string> = {}
beforeEach(async () => {
  machine = await nightMachine('linux', ['crontab'])
  project = await realpath(machine.place('project'))
  env = { ...machine.env, SKILLOPT_HOME: '../kept', OPENAI_API_KEY: 'sk-of-the-person-1234567890', LANG: 'C' }
})
afterEach(() => machine.end())

const run = (...argv: string[]) => runSleep({ project, env }, argv)
const settings = async () => {
  const { folder } = await openProject('.', { env, cwd: project })
  return JSON.parse(await readFile(join(folder, 'schedule.json'), 'utf8')) as {
    command: string[]
    environment: Record<string, string>
    needs: string[]
    variableFiles: string[]
  }
}

onLinux('schedule', () => {
  const usual = ['--target', 'openai/gpt-5-mini', '--optimizer', 'openai/gpt-5.4', '--max-cost', '2']

  it('keeps every setting, and no key', async () => {
    const { code, out, err } = await run(
      ...['schedule', '--at', '02:05', ...usual, '--source', 'codex', '--days', '7', '--all-projects'],
      ...[
        '--set',
        'train.epochs=3',
        '--set',
        'prompts=./prompts',
        '--no-gate',
        '--preferences',
        "it's terse",
      ],
    )
    expect(code).toBe(exitCodes.ok)
    expect(out).toMatch(/^Scheduled: every night at 02:05 by cron, next \S+ 02:05\n/)
    expect(out).toContain(`It runs: skillopt sleep run --yes --project ${project}`)
    expect(out).toContain("--preferences 'it'\\''s terse'")
    expect(err).toContain('warning: cron does not make up for a night that the machine sleeps through.')
    expect(err).toContain('A night will not find OPENAI_API_KEY unless the system sets it.')
    expect(await machine.crontab()).toMatch(/^# >>> skillopt sleep .*\n5 2 \* \* \* /)
    const { command, environment, needs, variableFiles } = await settings()
    expect(command.slice(command.indexOf('sleep'))).toEqual([
      'sleep',
      'run',
      '--yes',
      '--project',
      project,
      '--set',
      'train.epochs=3',
      '--set',
      `prompts=${join(project, 'prompts')}`,
      '--source',
      'codex',
      '--days',
      '7',
      '--all-projects',
      '--target',
      'openai/gpt-5-mini',
      '--optimizer',
      'openai/gpt-5.4',
      '--no-gate',
      '--preferences',
      "it's terse",
      '--max-cost',
      '2',
    ])
    expect(command.some(word => /main\.ts$/.test(word))).toBe(true)
    expect(environment).toEqual({
      PATH: env.PATH,
      HOME: env.HOME,
      LANG: 'C',
      SKILLOPT_HOME: join(project, '..', 'kept'),
    })
    expect(needs).toEqual(['OPENAI_API_KEY'])
    expect(variableFiles).toEqual([join(project, '.env')])
  })

  it('passes on our environment variables and the settings', async () => {
    env = { ...env, SKILLOPT_LIMITS_MAX_TOKENS: '90000', CODEX_HOME: '/home/me/codex', OTHER: 'x' }
    const config = machine.place('night.yaml')
    await writeFile(config, 'models: {target: openai/gpt-5-mini, optimizer: openai/gpt-5.4}\n')
    await writeFile(machine.place('.env'), 'OPENAI_API_KEY=sk-in-a-file-1234567890\n')
    const { code, err } = await run('schedule', '--config', '../night.yaml')
    expect({ code, err }).toEqual({ code: exitCodes.ok, err: expect.not.stringContaining('OPENAI_API_KEY') })
    const { command, environment, variableFiles } = await settings()
    expect(command.slice(-2)).toEqual(['--config', config])
    expect(environment).toMatchObject({ SKILLOPT_LIMITS_MAX_TOKENS: '90000', CODEX_HOME: '/home/me/codex' })
    expect(environment).not.toHaveProperty('OTHER')
    expect(variableFiles).toEqual([machine.place('.env'), join(project, '.env')])
  })

  it('rejects settings that would fail at night, and schedules nothing', async () => {
    const cases: readonly (readonly [readonly string[], RegExp])[] = [
      [
        ['--target', 'openai/gpt-5-mini'],
        /A night that nobody watches needs a limit, and there is none\.\nGive at least/,
      ],
      [['--max-cost', '1', '--target', 'opnai/x'], /Unknown model provider: opnai\./],
      [['--max-calls', '9', '--target', 'simulated/target'], /The target is simulated/],
      [['--max-calls', '9', '--source', 'nobody'], /nobody/],
      [['--max-calls', '9', '--config', 'missing.yaml'], /missing\.yaml cannot be read/],
      [['--max-calls', '9', '--set', 'sleep.days=often'], /sleep\.days/],
      [['--max-calls', '9', '--set', 'evaluation.gate=nope'], /nope/],
      [['--max-calls', '9', '--at', '25:00'], /Expected a time of day/],
      [['--max-calls', '9', '--use', 'launchd'], /This system has no launchd\./],
      [
        ['--max-calls', '9', '--preferences', 'use sk-of-the-person-1234567890', ...usual],
        /looks like a key/,
      ],
    ]
    for (const [argv, message] of cases) {
      const { code, err } = await run('schedule', ...argv)
      expect({ argv, code }).toEqual({ argv, code: exitCodes.badInput })
      expect(err).toMatch(message)
    }
    delete env.OPENAI_API_KEY
    expect((await run('schedule', ...usual)).err).toContain('OPENAI_API_KEY is not set')
    await expect(machine.crontab()).rejects.toThrow('ENOENT')
  })

  it('names the default target, and omits passwords', async () => {
    env = { ...env, HTTPS_PROXY: 'http://me:secret@proxy:3128' }
    const { code, err } = await run('schedule', '--max-time', '2h')
    expect(code).toBe(exitCodes.ok)
    expect(err).toContain('it is the agent of most of your sessions')
    expect(err).toContain('HTTPS_PROXY holds a password')
    expect(JSON.stringify(await settings())).not.toContain('secret')
  })

  it('shows in the status, and is taken away again', async () => {
    expect((await run('unschedule')).out).toBe('No nights are scheduled for this project.\n')
    await run('schedule', ...usual)
    const status = await run('status')
    expect(status.out).toMatch(/schedule +every night at 03:17 by cron, next \S+ 03:17\n/)
    expect(status.out).toContain('A night will not find OPENAI_API_KEY')
    expect(JSON.parse((await run('status', '--json')).out)).toMatchObject({
      schedule: { system: 'cron', time: '03:17', problem: expect.stringContaining('OPENAI_API_KEY') },
    })
    expect((await run('unschedule')).out).toBe(`Removed from cron: ${project}\n`)
    await run('schedule', ...usual)
    const { removed } = JSON.parse((await run('unschedule', '--all', '--json')).out) as { removed: unknown[] }
    expect(removed).toEqual([{ system: 'cron', project }])
    expect((await run('unschedule', '--all')).out).toBe('No nights are scheduled.\n')
  })

  it('prints the same as JSON', async () => {
    expect(JSON.parse((await run('schedule', ...usual, '--json')).out)).toMatchObject({
      project,
      system: 'cron',
      time: '03:17',
      needs: ['OPENAI_API_KEY'],
      remarks: expect.arrayContaining([
        expect.stringContaining('cron'),
        expect.stringContaining('OPENAI_API_KEY'),
      ]),
    })
  })
})

it('counts the next night from now, in local time', () => {
  const at = { hour: 3, minute: 17 }
  expect(nextNight(at, new Date(2026, 10, 16, 3, 16))).toEqual(new Date(2026, 10, 16, 3, 17))
  expect(nextNight(at, new Date(2026, 10, 16, 3, 17))).toEqual(new Date(2026, 10, 17, 3, 17))
  expect(nextNight(at, new Date(2026, 11, 31, 12, 0))).toEqual(new Date(2027, 0, 1, 3, 17))
})
