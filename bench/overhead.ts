import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { type TrainingTime, timeTraining } from './bound.js'
import { count, met, saveResult, table } from './table.js'
import { trainInVirtualTime, type VirtualTraining } from './virtual-time.js'

/**
 * Measures our overhead on top of the models' own time: `overhead [in-process] [http] [bound] [schedule]`, all
 * by default.
 */

const sizes = [1000, 10_000, 100_000]
const targets = { inProcess: 5000, http: 600, memory: 300e6, ratio: 1.15, schedule: 1.1 }

interface Measured {
  readonly attempts: number
  readonly workMs: number
  readonly sessionMs: number
  readonly cpuMs: number
  /** Time of the process's first thousand attempts. */
  readonly coldMs: number
  readonly peak: number
}

const beside = (file: string) => fileURLToPath(new URL(`./${file}.js`, import.meta.url))

async function measure(attempts: number, endpoint?: string): Promise<Measured> {
  const given = endpoint === undefined ? [] : [endpoint]
  const { stdout } = await promisify(execFile)(process.execPath, [
    beside('evaluate-worker'),
    String(attempts),
    ...given,
  ])
  return JSON.parse(stdout) as Measured
}

async function measureAll(endpoint?: string): Promise<Measured[]> {
  const measured: Measured[] = []
  for (const attempts of sizes) measured.push(await measure(attempts, endpoint))
  return measured
}

async function overHttp(): Promise<Measured[]> {
  const server = spawn(process.execPath, [beside('instant-server')], { stdio: ['pipe', 'pipe', 'inherit'] })
  try {
    for await (const url of createInterface({ input: server.stdout })) return await measureAll(`${url}/v1`)
    throw new Error('The server did not start.')
  } finally {
    server.stdin.end()
    if (server.exitCode === null) await once(server, 'exit')
  }
}

const perSecond = ({ attempts, workMs }: Measured) => (1000 * attempts) / workMs

function showEvaluations(title: string, target: number, measured: readonly Measured[]): void {
  const rows = measured.map(one => [
    count(one.attempts),
    count(perSecond(one)),
    met(perSecond(one) >= target),
    `${count(one.peak / 1e6)} MB`,
    met(one.peak < targets.memory),
    `${(one.cpuMs / one.attempts).toFixed(3)} ms`,
    `${(one.sessionMs / 1000).toFixed(1)} s`,
  ])
  const head = [
    'attempts',
    'per second',
    `>= ${count(target)}`,
    'peak memory',
    '< 300 MB',
    'CPU each',
    'whole session',
  ]
  const cold = measured.map(one => count(1e6 / one.coldMs)).join(', ')
  console.log(`${title}\n${table(head, rows)}`)
  console.log(
    `Measured after 5,000 others; the first thousand of each process, while its code is compiled: ${cold} per second.\n`,
  )
}

const trainings = [
  {
    name: 'half of SearchQA, mild tail (sigma 0.5)',
    sizes: { train: 200, val: 100, test: 700 },
    config: { train: { epochs: 4 } },
    sigma: 0.5,
  },
  {
    name: 'half of SearchQA, long tail (sigma 1)',
    sizes: { train: 200, val: 100, test: 700 },
    config: { train: { epochs: 4 } },
    sigma: 1,
  },
  {
    name: 'quickstart, mild tail (little work beside the steps)',
    sizes: { train: 60, val: 50, test: 120 },
    config: { train: { epochs: 4, batchSize: 20 }, reflect: { minibatchSize: 5 } },
    sigma: 0.5,
  },
] as const

function showTrainings(times: readonly (TrainingTime & { readonly name: string })[]): void {
  const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`
  const rows = times.map(time => [
    time.name,
    count(time.calls),
    seconds(time.wallMs),
    seconds(time.bound.ms),
    time.ratio.toFixed(3),
    met(time.ratio <= targets.ratio),
    `${(100 * time.idle).toFixed(1)}%`,
    seconds(time.processMs),
  ])
  const head = [
    'training',
    'calls',
    'wall',
    'bound',
    'ratio',
    '<= 1.15',
    'target lanes idle',
    'whole process',
  ]
  console.log(
    `Wall time over the ideal schedule of the same calls, latency of 40 ms in the median\n${table(head, rows)}`,
  )
  console.log(`
The ideal schedule knows every verdict beforehand: it begins the next step while the gate is still at work. A run cannot,
and meanwhile does what is certain to be needed: baseline and tests. A small test split is used up early.`)
}

type NamedSchedule = Omit<VirtualTraining, 'events'> & { readonly name: string }

function showSchedules(times: readonly NamedSchedule[]): void {
  const rows = times.map(time => [
    time.name,
    count(time.calls),
    `${(time.wallMs / 1000).toFixed(1)} s`,
    `${(time.bound.ms / 1000).toFixed(1)} s`,
    time.ratio.toFixed(3),
    met(time.ratio <= targets.schedule),
    `${(time.cpuMs / 1000).toFixed(1)} s`,
  ])
  const head = ['training', 'calls', 'wall', 'bound', 'ratio', '<= 1.10', 'own processor time']
  console.log(
    `\nThe same on a simulated clock, where only calls take time, latency of 1 s in the median\n${table(head, rows)}`,
  )
}

const named = process.argv.slice(2)
const isWanted = (part: string) => named.length === 0 || named.includes(part)
const result: Record<string, unknown> = {}

if (isWanted('in-process')) {
  const measured = await measureAll()
  result.inProcess = measured
  showEvaluations('In process, a model without latency', targets.inProcess, measured)
}
if (isWanted('http')) {
  const measured = await overHttp()
  result.http = measured
  showEvaluations('Over HTTP, a server without latency in another process', targets.http, measured)
}
if (isWanted('bound')) {
  const times: (TrainingTime & { readonly name: string })[] = []
  for (const { name, sizes: tasks, config, sigma } of trainings) {
    times.push({ name, ...(await timeTraining(tasks, config, sigma)) })
  }
  result.bound = times
  showTrainings(times)
}
if (isWanted('schedule')) {
  const times: NamedSchedule[] = []
  for (const { name, sizes: tasks, config, sigma } of trainings) {
    const { events: _events, ...time } = await trainInVirtualTime(tasks, config, { medianMs: 1000, sigma })
    times.push({ name, ...time })
  }
  result.schedule = times
  showSchedules(times)
}
saveResult('overhead', { targets, ...result })
