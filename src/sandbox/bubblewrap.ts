import { existsSync } from 'node:fs'
import { lchown, lstat, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { InputError, messageOf, WorldFailure } from '../core/errors/errors.js'
import type { Sandbox, SandboxJob, SandboxLimits, SandboxResult } from '../core/ports/sandbox.js'
import { findProgram, isExecutable } from '../system/programs.js'
import { eachEntry, openFolder as openTree } from '../system/tree.js'
import { type Folder, folderInMemory, inside, sharedFolder } from './bubblewrap-folder.js'
import { runChild } from './child.js'
import { withOwnKeyring } from './keyring.js'
import { createLimitedProcesses } from './limited-processes.js'
import { orUnprotected } from './none.js'
import { leadsInto, refuseHome } from './programs.js'
import { seccompFilter } from './seccomp.js'

/** What every program can read: the system, and the settings that programs need to start. */
const systemFolders = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/opt']
const systemSettings = ['/etc/alternatives', '/etc/ld.so.cache', '/etc/ld.so.conf', '/etc/ld.so.conf.d']
const programFolders = ['/usr/local/bin', '/usr/bin', '/bin', '/usr/sbin', '/sbin']

/** User that runs the sandbox if we are root, because the kernel does not enforce process limits for root. */
const nobody = { uid: 65534, gid: 65534 }

const installHint = `Install it (\`apt-get install bubblewrap\`, \`dnf install bubblewrap\`), together with \`prlimit\` of util-linux. ${orUnprotected}`
const allowHint = `It needs user namespaces: in a container, allow them; on Ubuntu 24.04 and newer, allow them to bwrap (\`sysctl kernel.apparmor_restrict_unprivileged_userns=0\` does). ${orUnprotected}`

/** A working installation of bubblewrap and prlimit, with the options that this version supports. */
interface Installation {
  readonly bwrap: string
  readonly prlimit: string
  /** The seccomp filter for this machine's processor. */
  readonly filter: Buffer
  readonly extra: readonly string[]
  readonly openFolder: (job: SandboxJob) => Promise<Folder>
}

/** Strongest first: older versions cannot forbid further namespaces or limit a file system. */
const variants: readonly Pick<Installation, 'extra' | 'openFolder'>[] = [
  { extra: ['--disable-userns'], openFolder: folderInMemory },
  { extra: [], openFolder: folderInMemory },
  { extra: ['--disable-userns'], openFolder: sharedFolder },
  { extra: [], openFolder: sharedFolder },
]

/**
 * A sandbox of Linux namespaces through bubblewrap, with limits through prlimit. Both programs are looked for
 * in `folders`.
 */
export function createBubblewrap(
  folders: readonly string[] = programFolders,
  architecture: string = process.arch,
): Sandbox {
  let found: Promise<Installation> | undefined
  const installation = () => {
    found ??= probe(folders, architecture)
    return found
  }
  return {
    id: 'bubblewrap',
    check: async () => void (await installation()),
    async has(program, readOnly = []) {
      for (const folder of readOnly) refuseHome(folder)
      return (await visible(program, readOnly)) !== undefined
    },
    async run(command, job) {
      const installed = await installation().catch((error: unknown) => {
        throw asFailure(error)
      })
      return runIn(command, job, installed)
    },
  }
}

/** Finds out once whether bubblewrap works here, and in which variant. */
async function probe(folders: readonly string[], architecture: string): Promise<Installation> {
  const filter = seccompFilter(architecture)
  if (filter === undefined) {
    throw new InputError(
      `Commands run in a sandbox, and its filter of system calls does not know this processor (${architecture}).`,
      { hint: `Run it on x64 or arm64. ${orUnprotected}` },
    )
  }
  const [bwrap, prlimit] = await Promise.all(['bwrap', 'prlimit'].map(name => findProgram(name, folders)))
  if (bwrap === undefined || prlimit === undefined) {
    const missing = bwrap === undefined ? 'bubblewrap' : 'prlimit'
    throw new InputError(`Commands run in a sandbox, and ${missing} is missing.`, { hint: installHint })
  }
  const workspace = await mkdtemp(join(tmpdir(), 'skillopt-probe-'))
  const limits = { seconds: 20, memoryMegabytes: 256, processes: 8, fileMegabytes: 1, outputCharacters: 2000 }
  const job = { workspace, limits, signal: new AbortController().signal }
  try {
    let problem = ''
    for (const variant of variants) {
      const installed = { bwrap, prlimit, filter, ...variant }
      const result = await runIn(['sh', '-c', 'true & wait'], job, installed).catch(messageOf)
      if (typeof result !== 'string' && result.exitCode === 0) return installed
      problem = typeof result === 'string' ? result : result.stderr
    }
    throw new InputError(`Commands run in a sandbox, and bubblewrap does not work here: ${problem.trim()}`, {
      hint: allowHint,
    })
  } finally {
    await rm(workspace, { recursive: true, force: true })
  }
}

async function runIn(
  command: readonly string[],
  job: SandboxJob,
  { bwrap, prlimit, filter, extra, openFolder }: Installation,
): Promise<SandboxResult> {
  const [program = '', ...rest] = command
  const readOnly = (job.readOnly ?? []).map(folder => resolve(folder))
  for (const folder of readOnly) refuseHome(folder)
  const found = await visible(program, readOnly, job.workspace)
  if (found === undefined) throw notFound(program)
  const owner = process.getuid?.() === 0 ? nobody : undefined
  if (owner !== undefined) await giveTo(owner, job.workspace)
  const folder = await openFolder({ ...job, workspace: resolve(job.workspace) })
  const processes = createLimitedProcesses(job.limits, folder.memoryBytes)
  try {
    const running = runChild(
      await withOwnKeyring(
        [
          bwrap,
          '--unshare-all',
          '--unshare-user',
          ...extra,
          '--die-with-parent',
          '--new-session',
          '--cap-drop',
          'ALL',
          ...(await mountsOf(folder.mounts, readOnly)),
          '--seccomp',
          '6',
          '--chdir',
          inside,
          '--json-status-fd',
          '3',
          '--',
          '/bin/sh',
          '-c',
          fillThenBecome(folder.fill),
          'sh',
          prlimit,
          ...resourceLimits(job.limits),
          '--',
          found,
          ...rest,
        ],
        programFolders,
      ),
      job,
      {
        cwd: '/',
        env: environment(readOnly),
        owner,
        waits: true,
        input: filter,
        onKill: () => void processes.kill(),
        async watch(report, cut, pid) {
          const [init, unwatch] = await processes.begin(report, pid, cut)
          const stop = await folder.watch(init, cut)
          return () => {
            unwatch()
            stop()
          }
        },
      },
    )
    // All processes have ended before the files are inspected, because a running child could swap them.
    const { report, cut, ...result } = await running.finally(() => processes.end())
    // An exit code counts only if the command was started; errors of bubblewrap say nothing about it.
    const hasEnded = result.timedOut || cut || report.includes('"exit-code"')
    if (!hasEnded || !processes.hasBegun()) throw didNotStart(result.stderr)
    return await folder.bringOut(await processes.judged(result))
  } finally {
    await processes.close()
    await folder.close()
  }
}

/**
 * A shell script that fills the workspace, reports that it is ready, and starts the program once it is
 * watched. If memory runs out, the kernel should kill this process first.
 */
function fillThenBecome(fill: string): string {
  return `echo 1000 >/proc/self/oom_score_adj; ${fill} echo ready >&4 && read -r go <&5 && exec "$@" 3>&- 4>&- 5<&-`
}

function didNotStart(said: string): WorldFailure {
  return new WorldFailure('harness', `The sandbox did not start: ${said.trim()}`, { retryable: false })
}

/** Limits data, not address space, because runtimes reserve far more addresses than they use. */
function resourceLimits({ memoryMegabytes, processes, fileMegabytes }: SandboxLimits): string[] {
  const bytes = (megabytes: number) => Math.round(megabytes * 1024 * 1024)
  return [
    `--data=${bytes(memoryMegabytes)}`,
    `--nproc=${processes}`,
    `--fsize=${bytes(fileMegabytes)}`,
    '--core=0',
    '--msgqueue=0',
    '--nofile=1024:1024',
  ]
}

/** Mounts of a separate root. Only the workspace is writable; the temporary folders lead to it too. */
async function mountsOf(workspace: readonly string[], readOnly: readonly string[]): Promise<string[]> {
  const system = await Promise.all(systemFolders.map(folder => mountOf(folder)))
  // If a read-only folder is in /tmp, nothing else is in /tmp; TMPDIR always leads to the workspace.
  const taken = readOnly.some(path => path === '/tmp' || path.startsWith('/tmp/'))
  return [
    ...system.flat(),
    ...systemSettings.flatMap(path => ['--ro-bind-try', path, path]),
    ...readOnly.flatMap(path => ['--ro-bind', path, path]),
    '--proc',
    '/proc',
    ...maskedFiles(),
    '--dev',
    '/dev',
    // /dev/full replaces /dev/zero. It also reads as zeros but cannot be mapped, and a mapping of /dev/zero
    // is memory that no process is charged for.
    '--dev-bind',
    '/dev/full',
    '/dev/zero',
    '--remount-ro',
    '/dev',
    ...workspace,
    ...(taken ? [] : ['--symlink', inside, '/tmp']),
    '--remount-ro',
    '/',
  ]
}

/** Mounts that hide files in /proc about the whole machine, some of which show its users' keys. */
function maskedFiles(): string[] {
  const names = [
    'keys',
    'key-users',
    'kcore',
    'kmsg',
    'kallsyms',
    'timer_list',
    'sched_debug',
    'latency_stats',
  ]
  const paths = names.map(name => `/proc/${name}`).filter(path => existsSync(path))
  return paths.flatMap(path => ['--ro-bind', '/dev/null', path])
}

/** On most systems, `/bin` and others are links into `/usr`, so they are links inside too. */
async function mountOf(folder: string): Promise<string[]> {
  try {
    if ((await lstat(folder)).isSymbolicLink()) return ['--symlink', `/usr${folder}`, folder]
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
  return ['--ro-bind', folder, folder]
}

function environment(readOnly: readonly string[]): NodeJS.ProcessEnv {
  const path = [...readOnly.map(folder => join(folder, 'bin')), ...programFolders].join(':')
  return { PATH: path, HOME: inside, TMPDIR: inside, LANG: 'C.UTF-8' }
}

/** The program's path, if it is visible in the sandbox. */
async function visible(
  program: string,
  readOnly: readonly string[],
  workspace?: string,
): Promise<string | undefined> {
  const folders = [...readOnly.map(folder => join(folder, 'bin')), ...programFolders]
  const found = await findProgram(program, folders)
  if (found === undefined) return undefined
  if (!found.startsWith('/')) {
    return workspace === undefined || (await isExecutable(join(workspace, found))) ? found : undefined
  }
  return (await leadsInto(found, [...systemFolders, ...readOnly])) ? found : undefined
}

function notFound(program: string): WorldFailure {
  return new WorldFailure('harness', `There is no program "${program}" in the sandbox.`, { retryable: false })
}

function asFailure(error: unknown): unknown {
  if (!(error instanceof InputError)) return error
  const hint = error.hint === undefined ? {} : { hint: error.hint }
  return new WorldFailure('harness', error.message, { retryable: false, ...hint, cause: error })
}

async function giveTo({ uid, gid }: typeof nobody, path: string): Promise<void> {
  const folder = await openTree(path)
  try {
    await lchown(path, uid, gid)
    await eachEntry(folder, entry => lchown(entry, uid, gid))
  } finally {
    await folder.close()
  }
}
