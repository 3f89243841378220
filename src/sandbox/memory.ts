import { readFile } from 'node:fs/promises'
import type { SandboxLimits } from '../core/ports.js'
import { isGoneError, type ProcessNamespace } from './namespace.js'

const millisecondsBetweenLooks = 40

export function tooMuchMemory({ memoryMegabytes }: SandboxLimits): string {
  return `The sandbox stopped it: its processes together took more than ${memoryMegabytes} MB of memory.`
}

/**
 * For machines without a memory cgroup: adds up again and again what the processes hold, and ends them when it is too much.
 * A program gets as far beyond the limit as it can touch between two looks. A process that was just split off without memory
 * of its own (`vfork`) is counted twice for a moment, so it takes two looks in a row, or twice the limit.
 */
export function watchMemory(
  space: ProcessNamespace,
  cut: (reason: string) => void,
  limits: SandboxLimits,
): () => void {
  const most = limits.memoryMegabytes * 1024 * 1024
  let timer: NodeJS.Timeout | undefined
  let over = false
  let wasTooMuch = false
  const look = async () => {
    const held = await memoryOf(space, most)
    if (over) return
    if (held > 2 * most || (held > most && wasTooMuch)) return cut(tooMuchMemory(limits))
    wasTooMuch = held > most
    next()
  }
  const next = () => {
    timer = setTimeout(() => void look().catch(() => cut(tooMuchMemory(limits))), millisecondsBetweenLooks)
  }
  next()
  return () => {
    over = true
    clearTimeout(timer)
  }
}

/** Pages that several processes share count once; that takes longer to find out, so it is asked only where it matters. */
async function memoryOf(space: ProcessNamespace, most: number): Promise<number> {
  const processes = await space.processes()
  const resident = sum(await Promise.all(processes.map(residentBytes)))
  return resident <= most ? resident : sum(await Promise.all(processes.map(proportionalBytes)))
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)

async function residentBytes(pid: number): Promise<number> {
  const text = await unlessGone(() => readFile(`/proc/${pid}/status`, 'utf8'))
  return kilobytes(text, ['VmRSS', 'VmSwap'])
}

async function proportionalBytes(pid: number): Promise<number> {
  try {
    const text = await unlessGone(() => readFile(`/proc/${pid}/smaps_rollup`, 'utf8'))
    return kilobytes(text, ['Pss', 'SwapPss'])
  } catch {
    // A process can forbid others to look at its pages, and is then counted with all of them.
    return residentBytes(pid)
  }
}

function kilobytes(text: string | undefined, names: readonly string[]): number {
  const values = names.map(name => new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(text ?? '')?.[1])
  return sum(values.map(value => Number(value ?? 0))) * 1024
}

async function unlessGone(read: () => Promise<string>): Promise<string | undefined> {
  try {
    return await read()
  } catch (error) {
    if (isGoneError(error)) return undefined
    throw error
  }
}
