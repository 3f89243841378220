import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { WorldFailure } from '../core/errors/errors.js'
import type { SandboxLimits } from '../core/ports/sandbox.js'
import { createSandboxExec, profileOf } from './sandbox-exec.js'

/** The real program is part of macOS: here scripts replace it, and its rules are checked as text. */

const limits: SandboxLimits = {
  seconds: 10,
  memoryMegabytes: 256,
  processes: 16,
  fileMegabytes: 1,
  outputCharacters: 2000,
}

let folder: string
let workspace: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'skillopt-mac-'))
  workspace = await mkdtemp(join(folder, 'work-'))
})
afterEach(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }))

const job = () => ({ workspace, limits, signal: new AbortController().signal })

/**
 * Accepts `-p PROFILE` like the real one, saves the profile, and runs the rest; access to the home folder
 * fails.
 */
async function standIn(lines: string[]): Promise<string> {
  const path = join(folder, 'sandbox-exec')
  await writeFile(path, ['#!/bin/sh', ...lines].join('\n'))
  await chmod(path, 0o755)
  return path
}
const working = () =>
  standIn([
    `printf %s "$2" > ${JSON.stringify(join(folder, 'profile'))}`,
    'shift 2',
    `case "$*" in *${homedir()}) set -- "$1" "$2" "$3" "$4" "$5" false;; esac`,
    'exec "$@"',
  ])

describe('the rules', () => {
  const rules = profileOf('/private/var/folders/a "b"/work', ['/opt/tools'])

  it('refuse everything, then allow the system to be read and the workspace to be written', () => {
    const lines = rules.split('\n')
    expect(lines.slice(0, 2)).toEqual(['(version 1)', '(deny default)'])
    expect(lines.filter(line => line.includes('file-write*'))).toEqual([
      '(allow file-write* (subpath "/private/var/folders/a \\"b\\"/work"))',
    ])
    expect(lines.find(line => line.startsWith('(allow file-read* '))).toContain('(subpath "/opt/tools")')
    expect(lines).toContain('(deny network*)')
  })

  it('name no folder above the workspace but for looking up its path', () => {
    const above = rules.split('\n').filter(line => line.includes('"/private/var/folders")'))
    expect(above).toHaveLength(1)
    expect(above[0]).toMatch(/^\(allow file-read-metadata .*\(literal "\/private\/var\/folders"\)/)
    expect(rules).not.toContain('(subpath "/")')
    expect(rules).not.toContain('/Users')
  })

  it('have as many closing brackets as opening ones', () => {
    const bare = rules.replace(/"(?:\\.|[^"\\])*"/g, '')
    expect(bare.split('(')).toHaveLength(bare.split(')').length)
  })
})

describe('sandbox-exec', () => {
  it('runs a program in the workspace under the rules, with an environment of its own', async () => {
    const sandbox = createSandboxExec(await working())
    const result = await sandbox.run(['sh', '-c', 'env | cut -d= -f1 | sort; echo x > made'], job())
    expect(result).toMatchObject({ exitCode: 0, timedOut: false, stderr: '' })
    expect(result.stdout.trim().split('\n')).toEqual(
      expect.arrayContaining(['HOME', 'LANG', 'PATH', 'TMPDIR']),
    )
    expect(await readFile(join(workspace, 'made'), 'utf8')).toBe('x\n')
    expect(await readFile(join(folder, 'profile'), 'utf8')).toBe(profileOf(workspace, []))
  })

  it('leaves plain files only, and replaces no folder by a link', async () => {
    const sandbox = createSandboxExec(await working())
    const code = 'ln -s /etc/passwd link; mkfifo pipe; echo x > made; chmod 6777 made'
    expect(await sandbox.run(['sh', '-c', code], job())).toMatchObject({ exitCode: 0 })
    expect(await readdir(workspace)).toEqual(['made'])
    expect((await stat(join(workspace, 'made'))).mode & 0o7777).toBe(0o700)
    expect(profileOf('/work', [])).toContain('(deny file-write-unlink file-write-create (literal "/work"))')
  })

  it('limits the size of files', async () => {
    const sandbox = createSandboxExec(await working())
    const result = await sandbox.run(['sh', '-c', 'head -c 5000000 /dev/zero > large'], job())
    expect(result.exitCode).not.toBe(0)
  })

  it('is not trusted if it lets a program into the home folder', async () => {
    const sandbox = createSandboxExec(await standIn(['shift 2', 'exec "$@"']))
    await expect(sandbox.check()).rejects.toMatchObject({
      message: expect.stringContaining('does not keep them from your home folder'),
    })
    await expect(sandbox.run(['true'], job())).rejects.toBeInstanceOf(WorldFailure)
  })

  it('reports the problem if it is missing, does not start, or lacks the program', async () => {
    await expect(createSandboxExec(join(folder, 'none')).check()).rejects.toMatchObject({
      message: expect.stringContaining('sandbox-exec of macOS is missing'),
      hint: expect.stringContaining('--unsafe-no-sandbox'),
    })
    const broken = await standIn(['echo "sandbox_apply: Operation not permitted" >&2', 'exit 71'])
    await expect(createSandboxExec(broken).check()).rejects.toMatchObject({
      message: expect.stringContaining('Operation not permitted'),
    })
    const sandbox = createSandboxExec(await working())
    expect(await sandbox.has('no-such-program')).toBe(false)
    for (const program of ['no-such-program', './not-there']) {
      await expect(sandbox.run([program], job())).rejects.toMatchObject({ kind: 'harness' })
    }
    await expect(sandbox.has('sh', [homedir()])).rejects.toThrow('home folder')
  })
})
