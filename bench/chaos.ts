import { existsSync } from 'node:fs'
import { killAdoptions } from './chaos-adoption.js'
import { faults, startFaultyServer } from './chaos-faults.js'
import { fillDisks, jumpClocks } from './chaos-machine.js'
import { killNights } from './chaos-night.js'
import { killChildren, killDashboards } from './chaos-processes.js'
import { ChaosProject, type ChaosRow, cli, compared, configs, type Loop, sizes } from './chaos-training.js'
import { planMoments } from './crash-runs.js'
import { crashSuite } from './crash-suite.js'
import { met, saveResult, table } from './table.js'

/**
 * Injects random faults around SkillOpt: `chaos [--quick] [--seed N] [--only WORD]`. Kills trainings,
 * nights, adoption, the dashboard and child processes; corrupts a quarter of a provider's replies; fills the
 * disk; makes the clock jump. `--quick` runs a few of each.
 */

const flag = (name: string) => {
  const at = process.argv.indexOf(name)
  return at === -1 ? undefined : process.argv[at + 1]
}
const isQuick = process.argv.includes('--quick')
const seed = Number(flag('--seed') ?? Date.now() % 1_000_000)
const only = flag('--only')
if (!existsSync(cli)) throw new Error('There is no built command line: npm run build')

/** 200 kills in total. */
const kills = isQuick
  ? { trials: 2, steps: 2, night: 2, adoption: 6, dashboard: 2, children: 2 }
  : { trials: 50, steps: 50, night: 20, adoption: 50, dashboard: 15, children: 15 }
const times = isQuick
  ? { faulty: 1, capped: 1, disk: 2, clock: 1 }
  : { faulty: 5, capped: 10, disk: 15, clock: 5 }

/** The same sequence for the same seed. */
let state = seed
const random = () => {
  state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) >>> 0
  return ((state ^ (state >>> 13)) >>> 0) / 2 ** 32
}

const scenarios: Record<string, () => Promise<ChaosRow | undefined>> = {
  trials: () => killTrainings('trials'),
  steps: () => killTrainings('steps'),
  night: () => killNights(kills.night, random),
  adoption: () => killAdoptions(kills.adoption, random),
  dashboard: () => killDashboards(kills.dashboard, random),
  children: () => killChildren(kills.children, random),
  faults: spoilReplies,
  caps: spoilUnderCaps,
  disk: () => fillDisks(times.disk, random),
  clock: () => jumpClocks(times.clock),
}

console.log(`Chaos with seed ${seed}. Each run is compared with an undisturbed one.\n`)
const rows: ChaosRow[] = []
const skipped: string[] = []
for (const [name, scenario] of Object.entries(scenarios)) {
  if (only !== undefined && !name.startsWith(only)) continue
  const began = performance.now()
  const row = await scenario()
  const seconds = Math.round((performance.now() - began) / 1000)
  if (row === undefined) skipped.push(name)
  else rows.push(row)
  // The whole takes half an hour or more, and what is known by then should survive an interruption.
  console.error(`${name}: ${row === undefined ? 'SKIPPED' : JSON.stringify(row)} after ${seconds} s`)
}

const head = ['what happened', 'times', 'results lost', 'wrong scores', 'caps', '']
console.log(
  table(
    head,
    rows.map(row => [row.what, row.happened, row.lost, row.wrongScores, row.caps, row.note]),
  ),
)
const isNothingLost = rows.every(({ lost }) => lost === 0)
const isNothingScored = rows.every(({ wrongScores }) => wrongScores === '-' || wrongScores === 0)
const areCapsHeld = rows.every(({ caps }) => caps !== 'PASSED')
console.log(`
Nothing lost: ${met(isNothingLost)}
Nothing scored that failed: ${met(isNothingScored)}
Caps held: ${met(areCapsHeld)}`)
if (skipped.length > 0)
  console.log(`NOT RUN: ${skipped.join(', ')} (a small disk is mounted, which takes root)`)
if (!isNothingLost || !isNothingScored || !areCapsHeld) process.exitCode = 1
saveResult('chaos', { seed, isQuick, rows, skipped, isNothingLost, isNothingScored, areCapsHeld })

async function killTrainings(loop: Loop): Promise<ChaosRow> {
  const { runs, paid } = await crashSuite({
    cli,
    sizes,
    config: configs[loop],
    moments: events =>
      isQuick
        ? Array.from({ length: kills[loop] }, () => anyMoment(events.length))
        : planMoments(events, kills[loop]).map(moment =>
            moment.type === 'any' ? anyMoment(events.length) : moment,
          ),
    parallel: 2,
  })
  const paidTwice = runs.reduce((sum, run) => sum + run.paidTwice, 0)
  return {
    what: `kill -9 of training by ${loop}`,
    happened: runs.length,
    lost: runs.filter(run => !run.sameSkill || !run.sameRest || !run.sameCalls).length,
    wrongScores: runs.filter(run => !run.sameVerdicts).length,
    caps: '-',
    note: `${paid} calls each, ${paidTwice} paid twice`,
  }
}

function anyMoment(events: number) {
  return { type: 'any' as const, nth: 1 + Math.floor(random() * (events - 1)) }
}

/** A quarter of all replies get a fault; a run that a fault pauses is started again. */
async function spoilReplies(): Promise<ChaosRow> {
  const server = await startFaultyServer(seed)
  const seen = new Set<string>()
  let [happened, lost, wrongScores, sessions] = [0, 0, 0, 0]
  try {
    // Both loops, since they make different requests.
    for (const loop of ['steps', 'trials'] as const) {
      const project = await ChaosProject.create(server.url, { loop })
      let isKept = false
      try {
        server.setShare(0)
        await project.toEnd('undisturbed')
        for (let run = 0; run < times.faulty; run++) {
          server.reset()
          server.setShare(0.25)
          sessions += await project.toEnd(`spoiled-${run}`)
          for (const [name, count] of server.counted.faults) {
            seen.add(name)
            happened += count
          }
          const result = await compared(project.out(`spoiled-${run}`), project.out('undisturbed'))
          if (!result.isSame || result.wrongScores > 0) {
            const { unscored, unscoredBefore } = result
            console.error(
              `${loop}: ${project.out(`spoiled-${run}`)} differs and is kept; attempts without a score: ${unscored}, undisturbed ${unscoredBefore}`,
            )
            isKept = true
          }
          if (!result.isSame) lost += 1
          wrongScores += result.wrongScores
        }
      } finally {
        if (!isKept) await project.remove()
      }
    }
  } finally {
    await server.close()
  }
  const note = `${seen.size} of ${faults.length} kinds, ${sessions} sessions`
  return { what: 'HTTP faults at 25%', happened, lost, wrongScores, caps: '-', note }
}

/** The same under caps of random size, checked against the server's own count. */
async function spoilUnderCaps(): Promise<ChaosRow> {
  const server = await startFaultyServer(seed + 1)
  const project = await ChaosProject.create(server.url)
  let [happened, passed, reached] = [0, 0, 0]
  try {
    for (let run = 0; run < 2 * times.capped; run++) {
      server.reset()
      server.setShare(0.25)
      const isCalls = run % 2 === 0
      const cap = isCalls ? 5 + Math.floor(random() * 150) : 10_000 + Math.floor(random() * 300_000)
      const more = [isCalls ? '--max-calls' : '--max-tokens', String(cap)]
      // Resuming must not reset the count.
      for (let session = 0; session < 4; session++) {
        const { code } = await project.session(`capped-${run}`, { more })
        if (code === 0) break
      }
      const { requests, tokens, faults: met } = server.counted
      if ((isCalls ? requests : tokens) > cap) passed += 1
      if ((isCalls ? requests : tokens) > cap / 2) reached += 1
      for (const count of met.values()) happened += count
    }
  } finally {
    await server.close()
    await project.remove()
  }
  const note = `${2 * times.capped} caps on calls and tokens, ${reached} used by more than half`
  const caps = passed === 0 ? 'held' : 'PASSED'
  return { what: 'HTTP faults at 25% under caps', happened, lost: 0, wrongScores: '-', caps, note }
}
