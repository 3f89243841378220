import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { memoryOf } from './agent-memory.js'

const pauseMs = 50

/** Peak memory, in bytes, of a process and its descendants together, measured until stopped. */
export async function watchProcesses(id: number, stop: AbortSignal): Promise<number> {
  let most = 0
  while (!stop.aborted) {
    const ids = [String(id), ...(await startedBy(id))]
    const held = await Promise.all(ids.map(memoryOf))
    most = Math.max(
      most,
      held.reduce((sum, memory) => sum + (memory?.bytes ?? 0), 0),
    )
    await sleep(pauseMs)
  }
  return most
}

/** Empty if the process has ended. */
async function startedBy(id: number): Promise<readonly string[]> {
  const ids = await readFile(`/proc/${id}/task/${id}/children`, 'latin1').catch(() => '')
  return ids.split(' ').filter(each => each !== '')
}
