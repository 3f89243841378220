import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { memoryOf } from './agent-memory.js'

const pauseMs = 50

/** The most memory that a process and those that it started held together, in bytes, until it is stopped. */
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

/** None for a process that has ended since. */
async function startedBy(id: number): Promise<readonly string[]> {
  const ids = await readFile(`/proc/${id}/task/${id}/children`, 'latin1').catch(() => '')
  return ids.split(' ').filter(each => each !== '')
}
