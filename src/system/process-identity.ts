import { hash } from 'node:crypto'
import { readFileSync, readlinkSync } from 'node:fs'
import { readFile } from 'node:fs/promises'

/**
 * Start time of a process, which distinguishes it from a later one with the same pid. Only Linux reports it
 * cheaply; undefined elsewhere.
 */
export async function startOf(pid: number): Promise<string | undefined> {
  return (await statOf(pid))?.start
}

/** Whether the process recorded as `pid` and `start` still exists. */
export async function isAlive(pid: number, start: string | undefined): Promise<boolean> {
  if (!answersToSignals(pid)) return false
  const stat = await statOf(pid)
  if (stat === undefined) return true
  // A zombie keeps its pid until its parent reaps it, but will never write again.
  if (stat.state === 'Z' || stat.state === 'X') return false
  return start === undefined || start === stat.start
}

function answersToSignals(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // EPERM means that the process exists and belongs to another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

async function statOf(pid: number): Promise<{ state: string; start: string } | undefined> {
  if (process.platform !== 'linux') return undefined
  let text: string
  try {
    text = await readFile(`/proc/${pid}/stat`, 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    // The process has ended meanwhile or is hidden from us, so only the signal's answer is known.
    if (code === 'ENOENT' || code === 'ESRCH' || code === 'EACCES') return undefined
    throw error
  }
  // The second field is the program's name in parentheses, and may itself contain spaces and parentheses.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  const [state, start] = [fields[0], fields[19]]
  return state === undefined || start === undefined ? undefined : { state, start }
}

/**
 * The scope in which a process id is valid. Containers may share a host name and a disk without seeing each
 * other's processes, and two of them may use the same id. Only Linux reports it; elsewhere all fields are
 * undefined.
 */
export interface ProcessSpace {
  /** Id of the boot; it changes with every start of the machine. */
  readonly boot?: string | undefined
  readonly pidNamespace?: string | undefined
  /** Hash of the machine's id, which itself must not leave the machine. It survives a reboot. */
  readonly machine?: string | undefined
}

let space: ProcessSpace | undefined

/** The scope of this process's id. It does not change while the process runs. */
export function processSpace(): ProcessSpace {
  if (process.platform !== 'linux') return {}
  if (space !== undefined) return space
  const machine = readOrUndefined(() => readFileSync('/etc/machine-id', 'utf8').trim())
  space = {
    boot: readOrUndefined(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()),
    pidNamespace: readOrUndefined(() => readlinkSync('/proc/self/ns/pid')),
    machine: machine === undefined ? undefined : hash('sha256', `skillopt ${machine}`).slice(0, 16),
  }
  return space
}

/** Reads a system id; also undefined for an empty file, which container images have instead of an id. */
function readOrUndefined(read: () => string): string | undefined {
  try {
    const text = read()
    return text === '' ? undefined : text
  } catch {
    // The system lacks the id or hides it. The identity is then less exact, and locks of other processes are
    // respected more often.
    return undefined
  }
}
