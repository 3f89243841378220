import { mkdtemp, realpath, rm } from 'node:fs/promises'
import { homedir, tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { InputError, messageOf, WorldFailure } from '../core/errors/errors.js'
import type { Sandbox, SandboxJob, SandboxResult } from '../core/ports/sandbox.js'
import { findProgram, isExecutable } from '../system/programs.js'
import { runChild } from './child.js'
import { contentsOf, sanitizeFolder, watchFolder } from './folder.js'
import { orUnprotected } from './none.js'
import { refuseHome } from './programs.js'

/** Folders and devices that every program can read: the system, and the folders of package managers. */
const systemFolders = ['/usr', '/bin', '/sbin', '/System', '/Library', '/opt', '/private/var/db/dyld']
const devices = ['/dev/null', '/dev/zero', '/dev/random', '/dev/urandom']
const programFolders = ['/opt/homebrew/bin', '/usr/local/bin', '/usr/bin', '/bin', '/usr/sbin', '/sbin']

const hint = `Run it on Linux with bubblewrap, in a virtual machine for instance. ${orUnprotected}`

/**
 * A shell script that waits until the folder is watched and then starts the program. `ulimit` counts files in
 * blocks of 512 bytes.
 */
const limitThenBecome =
  'ulimit -c 0 && ulimit -f "$1" && shift && echo ready >&4 && read -r go <&5 && exec "$@" 3>&- 4>&- 5<&-'

/**
 * The macOS sandbox: no network, and no files except those of the system and the workspace. Time, output,
 * files and their size are limited. Memory and processes are not: macOS cannot limit a program's memory, and
 * it counts processes per user.
 */
export function createSandboxExec(program = '/usr/bin/sandbox-exec'): Sandbox {
  let tried: Promise<void> | undefined
  const check = () => {
    tried ??= probe(program)
    return tried
  }
  return {
    id: 'sandbox-exec',
    check,
    async has(name, readOnly = []) {
      return (await find(name, readOnly)) !== undefined
    },
    async run(command, job) {
      await check().catch((error: unknown) => {
        throw error instanceof InputError ? asFailure(error.message) : error
      })
      return runIn(program, command, job)
    },
  }
}

/** Tests the sandbox before it is used: it must run a program and deny access to the home folder. */
async function probe(program: string): Promise<void> {
  if (!(await isExecutable(program))) {
    throw new InputError('Commands run in a sandbox, and sandbox-exec of macOS is missing.', { hint })
  }
  const workspace = await mkdtemp(join(tmpdir(), 'skillopt-probe-'))
  const limits = { seconds: 20, memoryMegabytes: 256, processes: 8, fileMegabytes: 1, outputCharacters: 2000 }
  const job = { workspace, limits, signal: new AbortController().signal }
  try {
    const starts = await runIn(program, ['sh', '-c', 'true'], job).catch(messageOf)
    const problem = typeof starts === 'string' ? starts : starts.stderr
    if (typeof starts === 'string' || starts.exitCode !== 0) {
      throw new InputError(
        `Commands run in a sandbox, and sandbox-exec does not work here: ${problem.trim()}`,
        {
          hint,
        },
      )
    }
    const looks = await runIn(program, ['ls', homedir()], job)
    if (looks.exitCode !== 0) return
    throw new InputError(
      'Commands run in a sandbox, and sandbox-exec does not keep them from your home folder here.',
      { hint },
    )
  } finally {
    await rm(workspace, { recursive: true, force: true })
  }
}

async function runIn(
  sandboxExec: string,
  [program = '', ...rest]: readonly string[],
  job: SandboxJob,
): Promise<SandboxResult> {
  const readOnly = job.readOnly ?? []
  const found = await find(program, readOnly)
  if (found === undefined || !(await isExecutable(resolve(job.workspace, found))))
    throw asFailure(`There is no program "${program}" in the sandbox.`)
  // The profile's rules apply to real paths, and the temporary folder is behind a link.
  const workspace = await realpath(job.workspace)
  const blocks = Math.round(job.limits.fileMegabytes * 2048)
  const path = [...readOnly.map(folder => join(folder, 'bin')), ...programFolders].join(':')
  const given = await contentsOf(workspace)
  const watchGrowth = watchFolder(workspace, job.limits, given)
  let isReady = false
  const {
    report: _,
    cut: __,
    ...result
  } = await runChild(
    [
      ...([sandboxExec, '-p', profileOf(workspace, await Promise.all(readOnly.map(real)))] as const),
      '/bin/sh',
      '-c',
      limitThenBecome,
      'sh',
      String(blocks),
      found,
      ...rest,
    ],
    job,
    {
      cwd: workspace,
      env: { PATH: path, HOME: workspace, TMPDIR: workspace, LANG: 'C.UTF-8' },
      waits: true,
      watch(_report, cut) {
        isReady = true
        return watchGrowth(cut)
      },
    },
  )
  if (!isReady) throw asFailure(`The sandbox did not start: ${result.stderr.trim()}`)
  return sanitizeFolder(workspace, result, { given, limits: job.limits })
}

/** The profile denies everything that it does not list, including the network and other processes. */
export function profileOf(workspace: string, readOnly: readonly string[]): string {
  const within = (paths: readonly string[]) => paths.map(path => `(subpath ${quoted(path)})`).join(' ')
  const exactly = (paths: readonly string[]) => paths.map(path => `(literal ${quoted(path)})`).join(' ')
  const above = [workspace, ...readOnly].flatMap(ancestorsOf)
  return [
    '(version 1)',
    '(deny default)',
    '(import "system.sb")',
    '(deny network*)',
    '(allow process-fork)',
    '(allow process-exec)',
    '(allow signal (target same-sandbox))',
    '(allow sysctl-read)',
    `(allow file-read* ${within([...systemFolders, ...readOnly, workspace])} ${exactly(devices)})`,
    `(allow file-read-metadata ${exactly([...new Set(above)])})`,
    `(allow file-write* ${within([workspace])})`,
    // If the program replaced the folder by a link, a later reader would be misled.
    `(deny file-write-unlink file-write-create ${exactly([workspace])})`,
    '(allow file-write-data (literal "/dev/null"))',
  ].join('\n')
}

function quoted(path: string): string {
  return `"${path.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`
}

function ancestorsOf(path: string): string[] {
  const parent = dirname(path)
  return parent === path ? [path] : [...ancestorsOf(parent), parent]
}

async function find(program: string, readOnly: readonly string[]): Promise<string | undefined> {
  for (const folder of readOnly) refuseHome(folder)
  return findProgram(program, [...readOnly.map(folder => join(folder, 'bin')), ...programFolders])
}

const real = (folder: string) => realpath(folder)

function asFailure(message: string): WorldFailure {
  return new WorldFailure('harness', message, { retryable: false, hint })
}
