import { readdir, readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { attemptVariable } from '../src/agents/shared/harness/processes.js'
import { ownPrefix } from '../src/system/own-folder.js'

/** Peak memory of all agents of one of our processes together. */
export interface AgentMemory {
  readonly bytes: number
  /** PSS counts shared memory once; RSS counts it for every process, and is used if PSS is unavailable. */
  readonly counted: 'PSS' | 'RSS'
  readonly processes: number
}

const pauseMs = 50

/** Polls until stopped. Polling takes CPU time, so no other measurement runs meanwhile. */
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

/** Memory of one process by its id; undefined if it has ended. */
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

/** Empty if the process has ended or may not be inspected. */
function read(id: string, file: string): Promise<string> {
  return readFile(`/proc/${id}/${file}`, 'latin1').catch(() => '')
}
