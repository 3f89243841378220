import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { mainProject, makeFiles } from './harvest-files.js'
import { watchProcesses } from './harvest-memory.js'
import type { MeasuredHarvest } from './harvest-worker.js'
import { timeOfMany } from './mining-time.js'
import { count, met, saveResult, table } from './table.js'

/**
 * Measures the speed and memory of reading transcripts: `harvest [--quick] [--keep]`. `--quick` generates 50
 * MB instead of 1 GB and skips clustering; `--keep` keeps the transcripts.
 */

const given = process.argv.slice(2)
const isQuick = given.includes('--quick')
const wantedBytes = isQuick ? 50e6 : 1e9
const targets = { seconds: 10, memory: 400e6, clusterSeconds: 60 }

interface Row extends MeasuredHarvest {
  readonly scope: string
  readonly workers: number
  /** Peak memory of the process and its workers together, in bytes. */
  readonly peak: number
}

async function measure(home: string, scope: string, workers: number, folder?: string): Promise<Row> {
  const worker = fileURLToPath(new URL('./harvest-worker.js', import.meta.url))
  const given = [worker, home, String(workers), ...(folder === undefined ? [] : [folder])]
  const child = spawn(process.execPath, given, { stdio: ['ignore', 'pipe', 'inherit'] })
  const stop = new AbortController()
  const watching = watchProcesses(child.pid ?? 0, stop.signal)
  const told = await text(child.stdout)
  stop.abort()
  return { scope, workers, ...(JSON.parse(told) as MeasuredHarvest), peak: await watching }
}

async function measureAll(home: string): Promise<readonly Row[]> {
  const rows: Row[] = []
  for (const workers of [1, 2]) rows.push(await measure(home, 'all', workers))
  for (const workers of [1, 2]) rows.push(await measure(home, 'one project', workers, mainProject))
  const differing = rows.find(row => row.hash !== rows.find(({ scope }) => scope === row.scope)?.hash)
  if (differing !== undefined) throw new Error(`${differing.workers} workers read something else than one.`)
  return rows
}

function show(rows: readonly Row[]): void {
  const head = [
    'scope',
    'workers',
    'time',
    'of 10 s',
    'MB/s',
    'CPU',
    'peak memory',
    'of 400 MB',
    'requests',
    'hidden',
  ]
  console.log(
    table(
      head,
      rows.map(row => [
        row.scope,
        row.workers,
        `${row.seconds.toFixed(1)} s`,
        (row.seconds / targets.seconds).toFixed(2),
        count(row.bytes / 1e6 / row.seconds),
        `${row.cpuSeconds.toFixed(1)} s`,
        `${count(row.peak / 1e6)} MB`,
        (row.peak / targets.memory).toFixed(2),
        count(row.requests),
        count(row.redacted),
      ]),
    ),
  )
}

const home = await mkdtemp(join(tmpdir(), 'skillopt-harvest-'))
try {
  const began = performance.now()
  const made = await makeFiles(home, wantedBytes)
  const makingSeconds = (performance.now() - began) / 1000
  console.log(
    `${count(made.files)} files, ${count(made.bytes / 1e6)} MB, made in ${makingSeconds.toFixed(1)} s; what is read was just written, and comes from memory rather than from the disk.\n`,
  )
  const rows = await measureAll(home)
  show(rows)
  const worst = rows.filter(({ workers }) => workers === 2)
  const inTime = worst.every(({ seconds }) => seconds < targets.seconds)
  const inMemory = rows.every(({ peak }) => peak < targets.memory)
  console.log(`\nWith 2 workers in under 10 s: ${met(inTime)}. In under 400 MB: ${met(inMemory)}.`)
  const clustering = isQuick ? undefined : await timeOfMany()
  if (clustering !== undefined) {
    const { requests, clusters, seconds } = clustering
    console.log(
      `${count(requests)} requests by words: ${count(clusters)} clusters in ${seconds.toFixed(1)} s, ${(seconds / targets.clusterSeconds).toFixed(2)} of 60 s: ${met(seconds < targets.clusterSeconds)}`,
    )
  }
  if (!isQuick) saveResult('harvest', { targets, made, rows, clustering })
} finally {
  if (given.includes('--keep')) console.log(`The transcripts are in ${home}.`)
  else await rm(home, { recursive: true, force: true, maxRetries: 5 })
}
