import { readdir, readFile, readlink } from 'node:fs/promises'
import type { SandboxLimits } from '../core/ports/sandbox.js'
import { isGoneError, type ProcessNamespace } from './namespace.js'

const millisecondsBetweenLooks = 40
/** Maximum number of descriptors to look at. If there are more, all count as pipes, which is faster. */
const mostLookedAt = 4096

export function tooMuchMemory({ memoryMegabytes }: SandboxLimits): string {
  return `The sandbox stopped it: its processes together took more than ${memoryMegabytes} MB of memory.`
}

/**
 * Enforces the memory limit on machines without memory cgroups. It measures the processes' memory from time
 * to time and kills them if it is too much. Between two measurements a program can exceed the limit. A
 * process just created by `vfork` shares its parent's memory and is briefly counted twice, so killing takes
 * two measurements in a row above the limit, or one above twice the limit. The seccomp filter refuses memory
 * that cannot be measured like this.
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

/** Counts shared pages once only if a faster upper bound exceeds the limit, because that is slow. */
async function memoryOf(space: ProcessNamespace, most: number): Promise<number> {
  const processes = await space.processes()
  const [sockets, ...statuses] = await Promise.all([
    socketBytes(space.init),
    ...processes.map(pid => readUnlessGone(`/proc/${pid}/status`)),
  ])
  const resident = sum(statuses.map(status => kilobytes(status, ['VmRSS', 'VmSwap'])))
  const besides = sockets + sum(statuses.map(status => kilobytes(status, ['VmPTE', 'HugetlbPages'])))
  const open = sum(await Promise.all(processes.map(openDescriptors)))
  // A pipe keeps its data even if only one of its ends is still open.
  const atMost = resident + besides + pipeBytes(open)
  if (atMost <= most) return atMost
  const pipes = open > mostLookedAt ? open : new Set((await Promise.all(processes.map(pipesOf))).flat()).size
  return besides + pipeBytes(pipes) + sum(await Promise.all(processes.map(proportionalBytes)))
}

/** Number of open descriptors; if the process forbids inspection, the size of its table for them. */
async function openDescriptors(pid: number): Promise<number> {
  try {
    return (await readdir(`/proc/${pid}/fd`)).length
  } catch (error) {
    if (isGoneError(error)) return 0
    return Number(/^FDSize:\s+(\d+)$/m.exec(await readUnlessGone(`/proc/${pid}/status`))?.[1] ?? 0)
  }
}

/** Names of the pipes that a process has open. */
async function pipesOf(pid: number): Promise<string[]> {
  try {
    const names = await readdir(`/proc/${pid}/fd`)
    const targets = await Promise.all(names.map(name => readlink(`/proc/${pid}/fd/${name}`).catch(() => '')))
    return targets.filter(target => target.startsWith('pipe:'))
  } catch (error) {
    if (isGoneError(error)) return []
    return Array.from({ length: await openDescriptors(pid) }, (_, index) => `${pid} ${index}`)
  }
}

/**
 * Upper bound of the data in pipes. How full a pipe is cannot be read, so each counts as full. A user's pipes
 * beyond `pipe-user-pages-soft` have two pages instead of sixteen, and the seccomp filter refuses larger
 * ones.
 */
function pipeBytes(pipes: number): number {
  const large = Math.min(pipes, 1024)
  return large * 16 * 4096 + (pipes - large) * 2 * 4096
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)

async function proportionalBytes(pid: number): Promise<number> {
  try {
    return kilobytes(await readUnlessGone(`/proc/${pid}/smaps_rollup`), ['Pss', 'SwapPss'])
  } catch {
    // A process can forbid others to inspect its pages. Then all of them are counted.
    return kilobytes(await readUnlessGone(`/proc/${pid}/status`), ['VmRSS', 'VmSwap'])
  }
}

function kilobytes(text: string, names: readonly string[]): number {
  const values = names.map(name => new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(text)?.[1])
  return sum(values.map(value => Number(value ?? 0))) * 1024
}

/**
 * Upper bound of the memory in socket buffers, which belong to no process. How full a local socket is cannot
 * be read, so each counts as full. The queues of connections are listed in bytes and take up to twice that.
 */
async function socketBytes(init: number): Promise<number> {
  const at = (name: string) => readUnlessGone(`/proc/${init}/net/${name}`)
  const [all, newer] = await Promise.all([at('sockstat'), at('sockstat6')])
  const sockets = Number(/^sockets: used (\d+)/m.exec(all)?.[1] ?? 0)
  if (sockets === 0) return 0
  const buffers = sockets * Number(await readFile('/proc/sys/net/core/wmem_default', 'utf8'))
  const hasConnections = /^(?:TCP|UDP): inuse [1-9]/m.test(all) || /^(?:TCP|UDP)6: inuse [1-9]/m.test(newer)
  const tables = hasConnections ? await Promise.all(['tcp', 'tcp6', 'udp', 'udp6'].map(at)) : []
  return buffers + 2 * sum(tables.map(queuedBytes))
}

/**
 * Adds up the queues in a table of connections. Each line has the lengths of both queues as
 * `0000A3F0:00000000`, after the two addresses and the state.
 */
function queuedBytes(table: string): number {
  const queues = table.matchAll(/^\s*\d+: \S+ \S+ \S+ ([0-9A-F]{8}):([0-9A-F]{8}) /gm)
  return sum([...queues].map(([, sent, received]) => Number(`0x${sent}`) + Number(`0x${received}`)))
}

async function readUnlessGone(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if (isGoneError(error)) return ''
    throw error
  }
}
