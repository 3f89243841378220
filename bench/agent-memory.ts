import { readdir, readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { attemptVariable } from '../src/agents/shared/harness/processes.js'
import { ownPrefix } from '../src/system/own-folder.js'

/** The most memory that the agents of one process of ours held together. */
export interface AgentMemory {
  readonly bytes: number
  /** Memory that several processes share is counted once (PSS), or for each of them where that is not told (RSS). */
  readonly counted: 'PSS' | 'RSS'
  readonly processes: number
}

const pauseMs = 50

/** Looks again and again until it is stopped. It takes time of its own, so nothing else is measured meanwhile. */
export async function watchAgents(owner: number, stop: AbortSignal): Promise<AgentMemory> {
  let most: AgentMemory = { bytes: 0, counted: 'PSS', processes: 0 }
  while (!stop.aborted) {
    const now = await memoryOfAgents(owner)
    const counted = most.counted === 'RSS' ? 'RSS' : now.counted
    most = now.bytes > most.bytes ? { ...now, counted } : { ...most, counted }
    await sleep(pauseMs)
  }
  return most
}

async function memoryOfAgents(owner: number): Promise<AgentMemory> {
  const mark = `${attemptVariable}=${ownPrefix}-${owner}-`
  const ids = (await readdir('/proc')).filter(name => /^\d+$/.test(name))
  const found = await Promise.all(
    ids.map(async id => ((await read(id, 'environ')).includes(mark) ? memoryOf(id) : undefined)),
  )
  const held = found.filter(memory => memory !== undefined)
  return {
    bytes: held.reduce((sum, { bytes }) => sum + bytes, 0),
    counted: held.some(({ counted }) => counted === 'RSS') ? 'RSS' : 'PSS',
    processes: held.length,
  }
}

/** Of one process, by its id. Undefined if it has ended. */
export async function memoryOf(id: string): Promise<Omit<AgentMemory, 'processes'> | undefined> {
  const shared = kilobytesIn(await read(id, 'smaps_rollup'), 'Pss')
  if (shared !== undefined) return { bytes: shared * 1024, counted: 'PSS' }
  const own = kilobytesIn(await read(id, 'status'), 'VmRSS')
  return own === undefined ? undefined : { bytes: own * 1024, counted: 'RSS' }
}

function kilobytesIn(text: string, name: string): number | undefined {
  const found = new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(text)?.[1]
  return found === undefined ? undefined : Number(found)
}

/** Empty for a process that has ended since, and for one of which we may not know. */
function read(id: string, file: string): Promise<string> {
  return readFile(`/proc/${id}/${file}`, 'latin1').catch(() => '')
}
