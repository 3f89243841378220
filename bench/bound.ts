import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startSimulatedProcess } from '../src/simulated/process.js'
import { type Call, readCallGraph } from './call-graph.js'
import { skillopt } from './command-line.js'
import { type Bound, listSchedule } from './list-schedule.js'
import { type BenchProject, writeBenchProject } from './project.js'

export interface TrainingTime {
  readonly calls: number
  readonly wallMs: number
  /** Includes process start-up and writing the run's files. */
  readonly processMs: number
  readonly bound: Bound
  readonly ratio: number
  /** Share of the wall time during which a target lane was idle. */
  readonly idle: number
}

const lanes = { target: 8, optimizer: 8 }

/**
 * Times a full training by the command line, against a server with latency in another process, and compares
 * it with the ideal schedule.
 */
export async function timeTraining(
  sizes: BenchProject['sizes'],
  config: BenchProject['config'],
  sigma: number,
): Promise<TrainingTime> {
  const folder = await mkdtemp(join(tmpdir(), 'skillopt-bound-'))
  const latency = { kind: 'lognormal', medianMilliseconds: 40, sigma, seed: 5 } as const
  const server = await startSimulatedProcess({ latency })
  try {
    await writeBenchProject(join(folder, 'project'), { url: server.url, sizes, config, concurrency: 8 })
    const began = performance.now()
    await skillopt(['train', 'project', '--yes', '--quiet', '--out', 'run'], folder)
    const processMs = performance.now() - began
    const { calls, wallMs } = await readCallGraph(join(folder, 'run'))
    const bound = listSchedule(calls, lanes)
    return {
      calls: calls.length,
      wallMs,
      processMs,
      bound,
      ratio: wallMs / bound.ms,
      idle: idleShare(calls, wallMs),
    }
  } finally {
    await server.close()
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}

function idleShare(calls: readonly Call[], wallMs: number): number {
  const busy = calls.reduce((sum, call) => sum + (call.role === 'target' ? call.ms : 0), 0)
  return 1 - busy / lanes.target / wallMs
}
