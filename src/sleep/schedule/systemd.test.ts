import { execFileSync, spawnSync } from 'node:child_process'
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isInstalled } from '../../../test/support/installed.js'
import { createSystemd, readUnits, serviceText, timerText } from './systemd.js'

const key = '0123456789abcdef'
const time = { hour: 3, minute: 7 }

test('the texts of the units', () => {
  expect(serviceText({ command: ['/usr/bin/node', '/a b/100%/$x'] })).toBe(`[Unit]
Description=A night of SkillOpt Sleep

[Service]
Type=oneshot
ExecStart="/usr/bin/node" "/a b/100%%/$$x"
`)
  expect(timerText(time)).toContain('\nOnCalendar=*-*-* 03:07:00\nPersistent=true\n')
})

test('does not recognise units that a person has changed', () => {
  const service = serviceText({ command: ['/usr/bin/node', 'x'] })
  expect(readUnits(key, service, timerText(time))).toEqual({ key, ...time, command: ['/usr/bin/node', 'x'] })
  expect(readUnits(key, service, timerText(time).replace('03:07', '27:07'))).toBeUndefined()
  expect(readUnits(key, service, timerText(time).replace('*-*-*', 'Mon'))).toBeUndefined()
  expect(readUnits(key, service.replace('ExecStart="', 'ExecStart=-"'), timerText(time))).toBeUndefined()
  expect(readUnits(key, '', timerText(time))).toBeUndefined()
})

test.each(['"', "'", '\\'])(
  'a program with %s in its path is refused before anything is touched',
  async mark => {
    const machine = {
      env: {},
      home: '/nowhere',
      platform: 'linux',
      userId: 1,
      now: () => new Date(0),
    } as const
    const entry = { key, ...time, command: [`/a${mark}b/node`] } as const
    await expect(createSystemd(machine).put(entry)).rejects.toThrow(
      'systemd starts no program whose path has',
    )
  },
)

const analyzer = 'systemd-analyze'
const works = isInstalled('Tests of units', analyzer, ['--version'])

describe.skipIf(!works)('the real systemd', () => {
  let root = ''
  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'skillopt-units-'))
  })
  afterAll(() => rm(root, { recursive: true, force: true, maxRetries: 5 }))

  test('reads the command that was meant, and starts a program with a hostile path', async () => {
    const folder = join(root, 'a $HOME%h & ü;=(x)')
    const program = join(folder, 'node')
    await mkdir(folder)
    await writeFile(program, '#!/bin/sh\n')
    await chmod(program, 0o755)
    const rest = ['$HOME', '%h', `q"q'q`, 'back\\slash\\', '', ';', '; x', `-x=$${'{HOME}'}`, 'ü 日 😀', '#']
    const file = join(root, `skillopt-sleep-${key}.service`)
    await writeFile(file, serviceText({ command: [program, ...rest] }))
    await writeFile(file.replace('.service', '.timer'), timerText(time))
    const said = verify(file)
    expect(said.status, said.text).toBe(0)
    // Dollar signs stay doubled until the command starts, in all words except the program.
    const words = [program, ...rest.map(word => word.replaceAll('$', () => '$$'))]
    expect(said.commandLine).toEqual(words)
    const timer = verify(file.replace('.service', '.timer'))
    expect(timer.status, timer.text).toBe(0)
  })

  test('rejects a program with a quotation mark, as we do', async () => {
    const file = join(root, 'quoted.service')
    await writeFile(file, serviceText({ command: [`/a"b/node`] }))
    expect(verify(file).text).toContain('special characters')
  })

  test('understands the time', () => {
    const [, expression = ''] = /OnCalendar=(.*)/.exec(timerText(time)) ?? []
    const said = execFileSync(analyzer, ['calendar', expression], { encoding: 'utf8' })
    expect(said).toContain('Normalized form: *-*-* 03:07:00')
  })

  function verify(file: string) {
    const env = { ...process.env, HOME: root, XDG_RUNTIME_DIR: root, SYSTEMD_LOG_LEVEL: 'debug' }
    const { status, stdout, stderr } = spawnSync(analyzer, ['--user', 'verify', file], {
      env,
      encoding: 'utf8',
      maxBuffer: 2 ** 28,
    })
    const [, line = ''] = /Command Line: (.*)/.exec(stdout + stderr) ?? []
    const words = [...line.matchAll(/"((?:[^"\\]|\\.)*)"|(\S+)/g)]
    const commandLine = words.map(([, quoted, bare]) => quoted?.replace(/\\(.)/g, '$1') ?? bare)
    return { status, text: stderr, commandLine }
  }
})
