import { spawnSync } from 'node:child_process'
import { closeSync, openSync, readdirSync, readFileSync, readSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Environment variable that marks every process of an attempt. Agents run tools in separate process groups
 * and sessions, so the group alone does not find them all, but every process inherits this variable.
 */
export const attemptVariable = 'SKILLOPT_ATTEMPT'

/** One running process of the machine. */
export interface ProcessEntry {
  readonly pid: number
  readonly parent: number
  readonly group: number
  readonly session?: number | undefined
  /** Start time, which tells the process from a later one with the same pid; not known on every system. */
  readonly start?: string | undefined
  /** Whether the process's environment carries the attempt's mark. */
  readonly marked: boolean
}

interface Known {
  /** Pid of the attempt's first process, which leads its group. */
  leader?: number
  /** Start time of the leader. Older processes cannot belong to the attempt. */
  since?: number
  /** Processes seen so far: once a parent has ended, its children can no longer be traced to the attempt. */
  readonly seen: Map<number, string | undefined>
}

const attempts = new Map<string, Known>()

export function beginAttempt(mark: string, leader: number): void {
  const known = knownOf(mark)
  known.leader = leader
  if (process.platform === 'linux') known.since = Number(statOf(leader)?.start ?? 0)
}

function knownOf(mark: string): Known {
  const known = attempts.get(mark) ?? { seen: new Map() }
  attempts.set(mark, known)
  return known
}

/** Sends a signal to all processes of the attempt and returns their number. */
export function signalAttempt(mark: string, signal: 'SIGTERM' | 'SIGKILL'): number {
  const known = knownOf(mark)
  if (process.platform === 'win32') return known.leader === undefined ? 0 : killTree(known.leader)
  const found = freeze(mark, known)
  for (const pid of found) {
    send(pid, signal)
    send(pid, 'SIGCONT')
  }
  return found.length
}

/** Stops all processes with SIGSTOP: a stopped process cannot fork, so none can escape the signal. */
function freeze(mark: string, known: Known): readonly number[] {
  for (;;) {
    const found = belonging(listProcesses(mark, known.since ?? 0), known)
    const added = found.filter(({ pid, start }) => !known.seen.has(pid) || known.seen.get(pid) !== start)
    for (const { pid, start } of found) known.seen.set(pid, start)
    for (const { pid } of found) send(pid, 'SIGSTOP')
    if (added.length === 0) return found.map(({ pid }) => pid)
  }
}

const patienceMs = 3000

/**
 * Kills all processes of the attempt and returns when none is left. The wait is limited, because a process
 * that is stuck in the kernel cannot be killed.
 */
export async function endAttempt(mark: string): Promise<void> {
  const deadline = performance.now() + patienceMs
  let pause = 1
  while (signalAttempt(mark, 'SIGKILL') > 0 && performance.now() < deadline) {
    await sleep(pause)
    pause = Math.min(2 * pause, 100)
  }
  attempts.delete(mark)
}

/**
 * The processes of an attempt: those in the leader's group or session, those with the mark, those seen
 * before, and the children of all of these.
 */
export function belonging(processes: readonly ProcessEntry[], { leader, seen }: Known): ProcessEntry[] {
  const isOwn = ({ pid, group, session, start, marked }: ProcessEntry) =>
    marked ||
    (leader !== undefined && (group === leader || session === leader)) ||
    (seen.has(pid) && seen.get(pid) === start)
  const own = new Set(processes.filter(isOwn).map(({ pid }) => pid))
  for (let size = -1; size !== own.size; ) {
    size = own.size
    for (const { pid, parent } of processes) if (own.has(parent)) own.add(pid)
  }
  own.delete(process.pid)
  return processes.filter(({ pid }) => own.has(pid))
}

function listProcesses(mark: string, since: number): ProcessEntry[] {
  return process.platform === 'linux' ? processesOfLinux(mark, since) : processesByPs(mark)
}

function processesOfLinux(mark: string, since: number): ProcessEntry[] {
  const wanted = Buffer.from(`${attemptVariable}=${mark}\0`)
  const carries = (pid: number) =>
    unlessHidden(() => readFileSync(`/proc/${pid}/environ`))?.includes(wanted) ?? false
  return readdirSync('/proc').flatMap(name => {
    const pid = Number(name)
    const stat = Number.isInteger(pid) ? statOf(pid) : undefined
    return stat === undefined ? [] : [{ ...stat, marked: Number(stat.start) >= since && carries(pid) }]
  })
}

function statOf(pid: number): Omit<ProcessEntry, 'marked'> | undefined {
  const text = unlessHidden(() => firstLine(`/proc/${pid}/stat`))
  if (text === undefined) return undefined
  // The second field is the program's name in parentheses, and may itself contain spaces and parentheses.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  const [state, parent, group, session] = fields
  // Zombies have ended, but their parent has not reaped them yet.
  if (state === 'Z' || state === 'X') return undefined
  return { pid, parent: Number(parent), group: Number(group), session: Number(session), start: fields[19] }
}

const line = Buffer.allocUnsafe(4096)

/**
 * Reads the start of a file with three system calls instead of five, because this runs for every process of
 * the machine at every attempt.
 */
function firstLine(path: string): string {
  const file = openSync(path, 'r')
  try {
    return line.toString('latin1', 0, readSync(file, line, 0, line.length, 0))
  } finally {
    closeSync(file)
  }
}

/** Undefined for a process that has ended during the scan or that belongs to another user. */
function unlessHidden<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch (error) {
    if (['ENOENT', 'ESRCH', 'EACCES', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? ''))
      return undefined
    throw error
  }
}

function processesByPs(mark: string): ProcessEntry[] {
  const options = { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 } as const
  return readPs(spawnSync('ps', ['-axEww', '-o', 'pid=,ppid=,pgid=,command='], options).stdout, mark)
}

/** Parses the output of `ps`: three numbers, then the command with its environment. */
export function readPs(printed: string, mark: string): ProcessEntry[] {
  return printed.split('\n').flatMap(line => {
    const [, pid, parent, group, rest = ''] = /^\s*(\d+)\s+(\d+)\s+(\d+)\s(.*)$/.exec(line) ?? []
    if (pid === undefined) return []
    const marked = rest.split(/\s+/).includes(`${attemptVariable}=${mark}`)
    return [{ pid: Number(pid), parent: Number(parent), group: Number(group), marked }]
  })
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    // The process has ended, or now belongs to another user whom we may not signal.
    if (!['ESRCH', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error
  }
}

/** Kills the process tree from its root, because Windows has neither process groups nor SIGTERM. */
function killTree(root: number): number {
  const { status } = spawnSync('taskkill', ['/PID', String(root), '/T', '/F'], { windowsHide: true })
  return status === 0 ? 1 : 0
}
