import { hash } from 'node:crypto'
import { readFileSync, readlinkSync } from 'node:fs'
import { readFile } from 'node:fs/promises'

/** Tells a process apart from a later one that was given the same pid. Only Linux says it cheaply; elsewhere undefined. */
export async function startOf(pid: number): Promise<string | undefined> {
  return (await statOf(pid))?.start
}

/** Whether the very process that once said `pid` and `start` is still there. */
export async function isAlive(pid: number, start: string | undefined): Promise<boolean> {
  if (!answersToSignals(pid)) return false
  const stat = await statOf(pid)
  if (stat === undefined) return true
  // A killed process whose parent has not collected it keeps its pid; it will never write again.
  if (stat.state === 'Z' || stat.state === 'X') return false
  return start === undefined || start === stat.start
}

function answersToSignals(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // Not permitted means that it is there and belongs to somebody else.
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
    // Gone since it was asked, or hidden from us: the signal's answer has to do.
    if (code === 'ENOENT' || code === 'ESRCH' || code === 'EACCES') return undefined
    throw error
  }
  // The second field is the program's name in parentheses, and may itself hold spaces and parentheses.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  const [state, start] = [fields[0], fields[19]]
  return state === undefined || start === undefined ? undefined : { state, start }
}

/**
 * Where a process id means something. Containers may share a host name and a disk and yet see none of each other's
 * processes, and the same id may belong to two of them. Only Linux tells; elsewhere all is undefined.
 */
export interface ProcessSpace {
  /** Changes each time the machine starts. */
  readonly boot?: string | undefined
  readonly pidNamespace?: string | undefined
  /** Hashed, since the id itself is meant to stay on the machine. Stays the same from one start to the next. */
  readonly machine?: string | undefined
}

let space: ProcessSpace | undefined

/** Those of this process, which do not change while it runs. */
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

/** Undefined also for an empty file, which images of containers have in place of an id. */
function readOrUndefined(read: () => string): string | undefined {
  try {
    const text = read()
    return text === '' ? undefined : text
  } catch {
    // A system without it, or one that hides it: the identity is less exact, and locks of others are respected more.
    return undefined
  }
}
