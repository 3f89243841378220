import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { agent as codex } from '../src/agents/codex/harness.js'
import { startLoopbackServer } from '../src/simulated/server.js'
import type { AgentKit } from '../test/agents/kit.js'
import { completed, plays } from '../test/agents/model.js'
import { type AgentMemory, watchAgents } from './agent-memory.js'
import { quantile } from './figures.js'
import { type HarnessJob, type MeasuredAttempt, type MeasuredJob, made, toolName } from './harness-job.js'
import { count, met, saveResult, table } from './table.js'

/**
 * Measures the harness's overhead on real agents, and their resource use: `harness [--quick] [codex
 * claude-code …]`, these two by default. Their model is the loopback server, which answers at once. Linux
 * only: it reads `/proc`.
 */

const given = process.argv.slice(2)
const isQuick = given.includes('--quick')
const named = given.filter(word => !word.startsWith('--'))
const target = { overheadMs: 30 }
const plan = isQuick
  ? [
      { concurrency: 1, attempts: 3 },
      { concurrency: 4, attempts: 4 },
    ]
  : [
      { concurrency: 1, attempts: 40 },
      { concurrency: 4, attempts: 24 },
      { concurrency: 8, attempts: 32 },
    ]

type Program = Pick<HarnessJob, 'agent' | 'program' | 'model' | 'endpoint' | 'env'> & {
  readonly title: string
}

interface Measured {
  readonly title: string
  readonly concurrency: number
  readonly attempts: number
  readonly perMinute: number
  readonly wallMs: number
  readonly byHandMs: number
  /** Time per attempt outside the agent's process. */
  readonly overheadMs: { readonly median: number; readonly high: number }
  /** Median CPU time of our process per attempt; unknown if several run concurrently. */
  readonly cpuMs: number | undefined
  readonly ownPeak: number
  readonly agents: AgentMemory
}

const from = (path: string) => fileURLToPath(new URL(path, import.meta.url))

function startWorker(job: HarnessJob) {
  const child = spawn(process.execPath, [from('./harness-worker.js'), JSON.stringify(job)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const measured = (async () => {
    const [printed, [code]] = await Promise.all([text(child.stdout), once(child, 'close')])
    if (code !== 0) throw new Error(`Attempts with ${job.agent} could not be measured.`)
    return JSON.parse(printed) as MeasuredJob
  })()
  return { pid: child.pid ?? 0, measured }
}

async function memoryOf(job: HarnessJob): Promise<AgentMemory> {
  const ended = new AbortController()
  const { pid, measured } = startWorker(job)
  const watched = watchAgents(pid, ended.signal)
  await measured.finally(() => ended.abort())
  return watched
}

async function measure(
  { title, ...program }: Program,
  attempts: number,
  concurrency: number,
): Promise<Measured> {
  const job = { way: 'harness', ...program, attempts, concurrency } as const
  const harness = await startWorker(job).measured
  const byHand = await startWorker({ ...job, way: 'by hand' }).measured
  const agents = await memoryOf({ ...job, attempts: 2 * concurrency })
  const overheads = harness.attempts.map(({ wallMs, agentMs }) => wallMs - agentMs)
  const wall = (those: readonly MeasuredAttempt[]) =>
    quantile(
      those.map(({ wallMs }) => wallMs),
      0.5,
    )
  return {
    title,
    concurrency,
    attempts,
    perMinute: (60_000 * attempts) / harness.workMs,
    wallMs: wall(harness.attempts),
    byHandMs: wall(byHand.attempts),
    overheadMs: { median: quantile(overheads, 0.5), high: quantile(overheads, 0.95) },
    cpuMs:
      concurrency === 1
        ? quantile(
            harness.attempts.map(({ cpuMs }) => cpuMs),
            0.5,
          )
        : undefined,
    ownPeak: harness.peak,
    agents,
  }
}

async function measureAll(program: Program): Promise<Measured[]> {
  const measured: Measured[] = []
  for (const { attempts, concurrency } of plan) {
    console.error(`${program.title}, ${concurrency} at once …`)
    const one = await measure(program, attempts, concurrency)
    // The whole benchmark takes minutes, so intermediate results are printed in case it is stopped.
    console.error(`  ${count(one.perMinute)} a minute, ${milliseconds(one.overheadMs.median)} of ours each`)
    measured.push(one)
  }
  return measured
}

/** Uses a program that prints recorded Codex output and exits at once, so that only our overhead remains. */
async function measureFloor(): Promise<Measured[]> {
  const folder = await mkdtemp(join(tmpdir(), 'skillopt-bench-floor-'))
  const program = join(folder, 'ends-at-once')
  const recording = from('../test/fixtures/agents/codex/tool.jsonl')
  try {
    await writeFile(
      program,
      `#!/bin/sh\nprintf '%s' '${made.text}' > ${made.path}\nexec cat '${recording}'\n`,
    )
    await chmod(program, 0o755)
    return await measureAll({
      title: 'a program that ends at once',
      agent: codex.id,
      program,
      model: 'none',
      endpoint: 'http://127.0.0.1:9/v1',
      env: { PATH: process.env.PATH ?? '', HOME: folder },
    })
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}

async function measureAgent(id: string): Promise<Measured[]> {
  const { kit } = (await import(`./agents/kits/${id}.js`)) as { kit: AgentKit }
  const installer = from('../scripts/install-agents.mjs')
  const { stdout } = await promisify(execFile)(process.execPath, [installer, id])
  const { agent, model, env } = kit
  const look = agent.supports.includes('tools') ? kit.uses('task', toolName, { place: 'cellar' }) : undefined
  const calls = [kit.writes(made.path, made.text), ...(look === undefined ? [] : [look])]
  const server = await startLoopbackServer({ respond: completed(kit, plays(calls, 'It is noted.')) })
  const home = await mkdtemp(join(tmpdir(), 'skillopt-bench-home-'))
  try {
    return await measureAll({
      title: agent.title,
      agent: id,
      program: stdout.trim(),
      model,
      endpoint: kit.endpoint(server.url),
      env: { PATH: process.env.PATH ?? '', HOME: home, ...env },
    })
  } finally {
    await server.close()
    await rm(home, { recursive: true, force: true, maxRetries: 5 })
  }
}

const seconds = (ms: number): string => `${(ms / 1000).toFixed(2)} s`
const milliseconds = (ms: number): string => `${ms.toFixed(1)} ms`
const megabytes = (bytes: number): string => `${count(bytes / 1e6)} MB`

function memoryText({ bytes, counted, processes }: AgentMemory): string {
  return processes === 0 ? 'too short to be seen' : `${megabytes(bytes)} ${counted}, processes: ${processes}`
}

function show(all: readonly Measured[]): void {
  const head = [
    'agent',
    'at once',
    'attempts',
    'per minute',
    'an attempt',
    'by hand',
    'ratio',
    'our process',
    'the agents together',
  ]
  const rows = all.map(one => [
    one.title,
    one.concurrency,
    one.attempts,
    count(one.perMinute),
    seconds(one.wallMs),
    seconds(one.byHandMs),
    (one.wallMs / one.byHandMs).toFixed(2),
    megabytes(one.ownPeak),
    memoryText(one.agents),
  ])
  console.log(`Attempts with the real programs, whose model answers at once\n${table(head, rows)}`)
  const overheads = all.map(({ title, concurrency, overheadMs: { median, high }, cpuMs }) => [
    title,
    concurrency,
    milliseconds(median),
    milliseconds(high),
    concurrency === 1 ? met(median < target.overheadMs) : '',
    cpuMs === undefined ? '' : milliseconds(cpuMs),
  ])
  const overheadHead = ['agent', 'at once', 'median', '95%', `< ${target.overheadMs} ms`, 'CPU']
  console.log(`\nOur own time per attempt, outside of the agent's process\n${table(overheadHead, overheads)}`)
  console.log(`
Times are medians. By hand: the same program, arguments and folders, from its start to its end. With several at once, our
time is what it took beside agents that want all cores, so the machine has a part in it.`)
}

const { agents: installable } = JSON.parse(
  await readFile(new URL('../test/agents/programs/package.json', import.meta.url), 'utf8'),
) as { readonly agents: Readonly<Record<string, string>> }
const wanted = named.length === 0 ? ['codex', 'claude-code'] : named
const unknown = wanted.find(id => installable[id] === undefined)
if (unknown !== undefined) {
  console.error(`There is no agent "${unknown}" here: ${Object.keys(installable).join(', ')}.`)
  process.exit(2)
}
if (process.platform !== 'linux') {
  console.error('This benchmark reads the memory of processes from /proc, so it needs Linux.')
  process.exit(2)
}

const all = await measureFloor()
for (const id of wanted) all.push(...(await measureAgent(id)))
show(all)
if (!isQuick) saveResult('harness', { target, measured: all })
