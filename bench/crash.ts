import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { ConfigInput } from '../src/core/config/config.js'
import type { EventType } from '../src/core/log/event.js'
import { planMoments } from './crash-runs.js'
import { crashSuite, type SuiteResult, type SuiteRun } from './crash-suite.js'
import { count, met, saveResult, table } from './table.js'

/**
 * Kills each loop with `kill -9` at 50 moments and resumes it with the same command: `crash [KILLS]
 * [trials|steps]`.
 */

type Loop = 'trials' | 'steps'

const isLoop = (name: string | undefined): name is Loop => name === 'trials' || name === 'steps'
const [, , given, only] = process.argv
const kills = Number(given ?? 50)
if (!Number.isInteger(kills) || kills < 1) throw new Error('Give the number of kills.')
if (only !== undefined && !isLoop(only)) throw new Error('The loop is trials or steps.')
const loops: readonly Loop[] = isLoop(only) ? [only] : ['trials', 'steps']
const cli = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url))
if (!existsSync(cli)) throw new Error('There is no built command line: npm run build')

const configs: Record<Loop, Pick<ConfigInput, 'train' | 'reflect' | 'trials'>> = {
  trials: {
    train: { loop: 'trials', epochs: 10 },
    reflect: { minibatchSize: 4 },
    // Low evidence thresholds, so that a short run produces every kind of verdict.
    trials: { round: 12, accept: 0.5, drop: 0.02, checkpoint: 1 },
  },
  steps: { train: { loop: 'steps', epochs: 2, batchSize: 12 }, reflect: { minibatchSize: 4 } },
}

const head = [
  'killed after',
  'occurs',
  'kills',
  'same skill',
  'same verdicts',
  'same rest',
  'in flight',
  'of them paid again',
  'paid twice',
]
const results: Partial<Record<Loop, object>> = {}
for (const loop of loops) {
  console.log(
    `Killing a training by ${loop} ${kills} times; command line, server and this are three processes.\n`,
  )
  const began = performance.now()
  const suite = await crashSuite({
    cli,
    sizes: { train: 24, val: 16, test: 16 },
    config: configs[loop],
    moments: straight => planMoments(straight, kills),
    parallel: 2,
  })
  results[loop] = report(suite, performance.now() - began)
}
saveResult('crash', { kills, ...results })

function report({ events, paid, runs }: SuiteResult, ms: number): object {
  const types = [...new Set([...events.map(event => event.type), 'run.stopped' as const])]
  const occurrences = (type: EventType) => events.filter(event => event.type === type).length
  const killedAt = (type: SuiteRun['moment']['type']) => runs.filter(run => run.moment.type === type)
  const rows = [
    ...types.map(type => rowOf(type, occurrences(type), killedAt(type))),
    rowOf('any event', events.length, killedAt('any')),
    rowOf('all', events.length, runs),
  ]
  const isSame = runs.every(run => run.sameSkill && run.sameVerdicts && run.sameRest && run.sameCalls)
  const paidTwice = runs.reduce((sum, run) => sum + run.paidTwice, 0)
  const uncovered = types.filter(type => killedAt(type).length === 0)
  console.log(table(head, rows))
  console.log(`
An uninterrupted run has ${count(events.length)} events and pays for ${count(paid)} calls.
Same skill, verdicts, versions, test scores and calls as uninterrupted: ${met(isSame)}
No call paid twice but those in flight when the process died: ${met(paidTwice === 0)}
Every event type killed at: ${uncovered.length === 0 ? met(true) : `${met(false)}, without ${uncovered.join(', ')}`}
It took ${Math.round(ms / 1000)} s.
`)
  if (!isSame || paidTwice > 0) process.exitCode = 1
  return { kills: runs.length, paid, isSame, paidTwice, uncovered, runs }
}

function rowOf(label: string, occurs: number, killed: readonly SuiteRun[]): (string | number)[] {
  const sum = (pick: (run: SuiteRun) => number) => killed.reduce((total, run) => total + pick(run), 0)
  const all = (pick: (run: SuiteRun) => boolean) => `${killed.filter(pick).length}/${killed.length}`
  return [
    label,
    occurs,
    killed.length,
    all(run => run.sameSkill),
    all(run => run.sameVerdicts),
    all(run => run.sameRest && run.sameCalls),
    sum(run => run.inFlight),
    sum(run => run.paidAgain),
    sum(run => run.paidTwice),
  ]
}
