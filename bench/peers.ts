import { appendFile, mkdir, readFile, writeFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { mean, points } from './figures.js'
import { writeMeasured } from './measured-page.js'
import { scoreChart } from './peers/chart.js'
import { makeEnvironment, type PeerEnvironment, type PeerPackage, packages } from './peers/environment.js'
import { peersSection } from './peers/page.js'
import { ownTrainers, type Peer, peers } from './peers/peers.js'
import { type FailedRun, measurePeer, type PeerRun } from './peers/run.js'
import { peerTable, summarize, worldRow } from './peers/tables.js'
import { saveResult, table } from './table.js'
import { reportedWorlds, type WorldSpec, worldSpec } from './worlds/spec.js'

/**
 * Compares our trainer with others in the same worlds, over HTTP, one run after the other: `peers [--worlds
 * a,b] [--seeds 5] [--trainers default,gated] [--quick] [--resume] [--saved] [--write]`. `--quick` is a
 * smoke test; `--resume` keeps the finished runs of an interrupted measurement; `--saved` shows them without
 * measuring; `--write` writes its section of docs/measured.md and its chart.
 */

const { values: given } = parseArgs({
  options: {
    worlds: { type: 'string' },
    seeds: { type: 'string' },
    trainers: { type: 'string' },
    quick: { type: 'boolean', default: false },
    resume: { type: 'boolean', default: false },
    saved: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
  },
})
const { quick } = given
if (quick && given.write) throw new Error('--quick measures too little to be written to the docs.')
const seeds = Number(given.seeds ?? (quick ? 1 : 5))
if (!Number.isInteger(seeds) || seeds < 1) throw new Error('--seeds takes a whole number ≥ 1.')
const worlds: readonly WorldSpec[] =
  given.worlds?.split(',').map(worldSpec) ?? (quick ? [worldSpec('tiny')] : reportedWorlds)
const latency = quick ? { target: 2, optimizer: 5 } : { target: 20, optimizer: 100 }
const settings = { latency, concurrency: 16, budget: quick ? 300 : 2_600 }

const all: readonly Peer[] = [...ownTrainers, ...peers]
const wanted = given.trainers?.split(',')
const trainers = all.filter(
  ({ name }) => wanted === undefined || wanted.some(part => name.toLowerCase().includes(part.toLowerCase())),
)
if (trainers.length === 0)
  throw new Error(`--trainers takes parts of: ${all.map(({ name }) => name).join('; ')}.`)

const results = new URL('../bench-results/', import.meta.url)
const soFar = new URL('peers-runs.jsonl', results)
type Line = PeerRun | FailedRun
const isFailed = (line: Line): line is FailedRun => 'failed' in line
const keyOf = ({ world, trainer, seed }: Line): string => JSON.stringify([world, trainer, seed])

async function earlierRuns(): Promise<Map<string, Line>> {
  if (!given.resume && !given.saved) return new Map()
  const text = await readFile(soFar, 'utf8').catch(() => '')
  const lines = text.split('\n').flatMap(line => (line === '' ? [] : [JSON.parse(line) as Line]))
  return new Map(lines.filter(line => given.saved || !isFailed(line)).map(line => [keyOf(line), line]))
}

async function measureAll(installed: readonly Peer[], environments: Environments): Promise<Line[]> {
  const known = await earlierRuns()
  if (given.saved) return [...known.values()]
  await mkdir(results, { recursive: true })
  await writeFile(soFar, [...known.values()].map(line => `${JSON.stringify(line)}\n`).join(''))
  const lines: Line[] = []
  for (const world of worlds) {
    for (let seed = 1; seed <= seeds; seed++) {
      for (const trainer of installed) {
        const earlier = known.get(keyOf({ world: world.name, trainer: trainer.name, seed, failed: '' }))
        if (earlier !== undefined) {
          lines.push(earlier)
          continue
        }
        const environment = trainer.package === 'own' ? undefined : environments[trainer.package]
        const line = await measurePeer(trainer, world, { ...settings, seed, environment })
        await appendFile(soFar, `${JSON.stringify(line)}\n`)
        console.error(`${world.name}, seed ${seed}, ${trainer.name}: ${told(line)}`)
        lines.push(line)
      }
    }
  }
  return lines
}

function told(line: Line): string {
  if (isFailed(line)) return line.failed
  const { start, end, targetCalls, wallMs } = line
  return `${points(start)} to ${points(end)}, ${targetCalls} target calls, ${(wallMs / 1000).toFixed(1)} s`
}

type Environments = Partial<Record<PeerPackage, PeerEnvironment>>

const needed = (Object.keys(packages) as PeerPackage[]).filter(name =>
  trainers.some(trainer => trainer.package === name),
)
const environments: Environments = given.saved ? {} : await makeEnvironment({ names: needed })
const problems = Object.values(environments).flatMap(({ problem }) =>
  problem === undefined ? [] : [problem],
)
for (const problem of problems) console.log(`Left out: ${problem}.`)
const installed = trainers.filter(
  ({ package: name }) => given.saved || name === 'own' || environments[name]?.python !== undefined,
)

const lines = await measureAll(installed, environments)
const runs = lines.filter((line): line is PeerRun => !isFailed(line))
const failures = lines.filter(isFailed)
if (runs.length === 0) throw new Error('No run finished.')

const names = installed.map(({ name }) => name).filter(name => lines.some(({ trainer }) => trainer === name))
const isPeer = (name: string) => peers.some(peer => peer.name === name)
const measured = [...new Set(lines.map(({ world }) => world))].map(worldSpec)
const summariesOf = (isIn: (line: Line) => boolean) =>
  names.map(name => summarize(name, runs.filter(isIn), failures.filter(isIn)))
const perWorld = measured.map(({ name, about }) => {
  const own = runs.filter(({ world }) => world === name)
  const from = points(mean(own.map(({ start }) => start)))
  const possible = mean(own.map(run => run.possible))
  const title = `${name}: ${about}. Start ${from}, possible ${points(possible)}`
  const summaries = summariesOf(({ world }) => world === name)
  return {
    table: peerTable(title, summaries, isPeer),
    row: worldRow({ world: name, possible }, summaries, isPeer),
  }
})
const byWorld = perWorld.map(world => world.table)
const overall = peerTable(
  'All worlds',
  summariesOf(() => true),
  isPeer,
)
for (const { title, head, rows } of [...byWorld, overall]) console.log(`\n${title}\n${table(head, rows)}`)
for (const { world, trainer, seed, failed } of failures)
  console.log(`${world}, seed ${seed}, ${trainer}: ${failed}`)
saveResult('peers', { ...settings, seeds, problems, overall, byWorld, failures, runs })

const charted = ['ours, default', 'Python SkillOpt, gated slow update', 'GEPA'].filter(name =>
  runs.some(({ trainer }) => trainer === name),
)
const about = `Mean over ${measured.length} simulated worlds`
const chart = scoreChart(runs, charted.length > 0 ? charted : names.slice(0, 3), about)
await writeFile(new URL('score-over-calls.svg', results), chart)
if (given.write) {
  const docs = new URL('../docs/', import.meta.url)
  await writeFile(new URL('images/score-over-calls.svg', docs), chart)
  const worlds = perWorld.map(({ row }) => row)
  await writeMeasured('peers', peersSection({ ...settings, seeds, overall, worlds, problems, failures }))
}
process.exitCode = failures.length === 0 ? 0 : 1
