import { appendFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { messageOf } from '../src/core/errors.js'
import { startSimulatedProcess } from '../src/simulated/process.js'
import { economyChart } from './economy-chart.js'
import { economyPage } from './economy-page.js'
import { compared, type MeasuredRun, measureRun, type Plan } from './economy-run.js'
import { forecastTable, protocolTable, ratioTable, spendingTable } from './economy-tables.js'
import { points } from './figures.js'
import { saveResult, table } from './table.js'
import { tinyWorlds, type World, worlds } from './worlds.js'

/**
 * Whole runs of the presets `paper` and `default`, one after the other: `economy [SEEDS] [--quick] [--saved] [--write]`.
 * `--quick` has tiny splits, to see that it works; `--saved` measures nothing and shows what was measured last;
 * `--write` puts tables and chart into docs/economy.md.
 */

interface Failure {
  readonly world: string
  readonly preset: string
  readonly seed: number
  readonly message: string
}

const { values: given, positionals } = parseArgs({
  allowPositionals: true,
  options: { quick: { type: 'boolean' }, saved: { type: 'boolean' }, write: { type: 'boolean' } },
})
const quick = given.quick === true
const seeds = Number(positionals[0] ?? (quick ? 1 : 5))
if (!Number.isInteger(seeds) || seeds < 1) throw new Error('SEEDS is a whole number from 1.')

const settings = {
  quick,
  worlds: quick ? tinyWorlds : worlds,
  freshTasks: quick ? 300 : 3000,
  latency: { kind: 'lognormal', medianMilliseconds: quick ? 5 : 25, sigma: 0.5, seed: 5 },
} as const
/** The endpoint is a part of what tells calls apart, and so of the seed of each: another port would give other figures. */
const port = 48_731
const results = new URL('../bench-results/', import.meta.url)
const docs = new URL('../docs/', import.meta.url)

interface Result {
  readonly quick: boolean
  readonly worlds: readonly World[]
  readonly freshTasks: number
  readonly latency: { readonly medianMilliseconds: number; readonly sigma: number }
  readonly seeds: number
  readonly runs: readonly MeasuredRun[]
  readonly failures: readonly Failure[]
}

/** A run that fails is told and left out: the others took their time too. Each is kept as soon as it is there. */
async function measureAll(): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), 'skillopt-economy-'))
  const soFar = new URL('economy-runs.jsonl', results)
  await writeFile(soFar, '')
  const runs: MeasuredRun[] = []
  const failures: Failure[] = []
  try {
    for (const world of settings.worlds) {
      const server = await startSimulatedProcess({
        port,
        latency: settings.latency,
        character: world.character,
      })
      try {
        for (let seed = 1; seed <= seeds; seed++) {
          for (const preset of compared) {
            const outcome = await attempt({
              ...{ folder, url: server.url, freshTasks: settings.freshTasks },
              ...{ world, preset, seed },
            })
            await appendFile(soFar, `${JSON.stringify(outcome)}\n`)
            if ('message' in outcome) failures.push(outcome)
            else runs.push(outcome)
          }
        }
      } finally {
        await server.close()
      }
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
  return { ...settings, seeds, runs, failures }
}

async function attempt(plan: Plan): Promise<MeasuredRun | Failure> {
  const { world, preset, seed } = plan
  const name = `${world.name}, seed ${seed}, ${preset}`
  try {
    const run = await measureRun(plan)
    const { targetCalls, trainingMs, because } = run.taken
    console.error(
      `${name}: ${points(run.trueScore.seed)} to ${points(run.trueScore.best)}, ${targetCalls} target calls, ${Math.round(trainingMs / 1000)} s, ended by ${because}`,
    )
    return run
  } catch (error) {
    console.error(`${name}: ${messageOf(error)}`)
    return { world: world.name, preset, seed, message: messageOf(error) }
  }
}

const result =
  given.saved === true
    ? (JSON.parse(await readFile(new URL('economy.json', results), 'utf8')) as Result)
    : await measureAll()
const { runs, failures } = result
if (runs.length === 0) throw new Error('Not one run came to its end.')
if (result.quick && given.write === true) throw new Error('--quick finds nothing that is worth a page.')

const tables = {
  spending: spendingTable(runs),
  ratios: ratioTable(runs),
  protocol: protocolTable(runs),
  forecasts: forecastTable(runs),
}
for (const { title, head, rows } of Object.values(tables)) console.log(`${title}\n${table(head, rows)}\n`)
for (const { world, preset, seed, message } of failures)
  console.log(`Left out: ${world}, seed ${seed}, ${preset}: ${message}`)
if (given.saved !== true) saveResult('economy', { ...result, tables })

const chart = economyChart(runs)
await writeFile(new URL('economy.svg', results), chart)
if (given.write === true) {
  await writeFile(new URL('images/economy.svg', docs), chart)
  await writeFile(new URL('economy.md', docs), economyPage({ ...result, ...tables }))
}
process.exitCode = failures.length === 0 ? 0 : 1
