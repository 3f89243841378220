import { type FileHandle, open, readdir, readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { WorldFailure } from '../core/errors/errors.js'

/**
 * All processes of a sandbox, identified by the first one. When it ends, the kernel kills all others before
 * it reports the first as ended. bubblewrap does not wait for that, so a child may still run after bubblewrap
 * has reported the exit code.
 */
export interface ProcessNamespace {
  readonly init: number
  kill(): Promise<void>
  /** Kills all remaining processes and waits for their end. */
  end(): Promise<void>
  /** Pids of all processes in the namespace, as seen from outside. */
  processes(): Promise<number[]>
}

/** The kernel takes milliseconds to end all processes, but a machine that swaps may take longer. */
const longestWaitMs = 20_000

/** Finds the namespace in `report`, which bubblewrap wrote to its status descriptor at the start. */
export async function openNamespace(report: string, bubblewrap: number): Promise<ProcessNamespace> {
  const init = Number(/"child-pid":\s*(\d+)/.exec(report)?.[1])
  // The open folder refers to this process even if its pid is used again.
  const folder = await open(`/proc/${init}`, 'r')
  const parent = /^PPid:\s*(\d+)$/m.exec(await readIn(folder, 'status'))?.[1]
  if (Number(parent) !== bubblewrap) {
    await folder.close()
    throw new WorldFailure('harness', `The sandbox reports process ${init}, which is not its own.`, {
      retryable: false,
    })
  }
  let isOpen = true
  const isGone = async () => {
    if (!isOpen) return true
    const stat = await readIn(folder, 'stat').catch(goneAsEmpty)
    // The second field is the program's name in parentheses, and may itself contain spaces and parentheses.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const [state = '', threads = 0] = [fields[0], Number(fields[17])]
    return stat === '' || ((state === 'Z' || state === 'X') && threads <= 1)
  }
  const kill = async () => {
    if (!(await isGone())) killProcess(init)
  }
  return {
    init,
    kill,
    processes: async () => ((await isGone()) ? [] : [init, ...(await descendants(init))]),
    async end() {
      const before = Date.now()
      for (let pause = 1; !(await isGone()); pause = Math.min(pause * 2, 50)) {
        killProcess(init)
        if (Date.now() - before > longestWaitMs) {
          throw new WorldFailure('harness', 'Processes of the sandbox did not end when they were killed.', {
            retryable: false,
          })
        }
        await sleep(pause)
      }
      if (isOpen) {
        isOpen = false
        await folder.close()
      }
    },
  }
}

const readIn = (folder: FileHandle, name: string): Promise<string> =>
  readFile(`/proc/self/fd/${folder.fd}/${name}`, 'utf8')

function killProcess(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

/** All processes below the first one, which are all of the namespace: orphans become its children. */
async function descendants(pid: number): Promise<number[]> {
  const tasks = await readdir(`/proc/${pid}/task`).catch(goneAsNone)
  const lists = await Promise.all(
    tasks.map(task => readFile(`/proc/${pid}/task/${task}/children`, 'utf8').catch(goneAsEmpty)),
  )
  const children = lists.flatMap(list => list.split(' ').filter(text => text !== '')).map(Number)
  const below = await Promise.all(children.map(descendants))
  return [...children, ...below.flat()]
}

function goneAsEmpty(error: unknown): string {
  if (isGoneError(error)) return ''
  throw error
}

function goneAsNone(error: unknown): string[] {
  if (isGoneError(error)) return []
  throw error
}

export function isGoneError(error: unknown): boolean {
  return ['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '')
}
