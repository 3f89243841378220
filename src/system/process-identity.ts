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
