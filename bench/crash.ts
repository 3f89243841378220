import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { EventType } from '../src/core/event.js'
import { planMoments } from './crash-runs.js'
import { crashSuite, type SuiteRun } from './crash-suite.js'
import { count, met, saveResult, table } from './table.js'

/** `kill -9` at 50 moments, or as many as the first argument says, each resumed by the same command. */

const kills = Number(process.argv[2] ?? 50)
const cli = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url))
if (!existsSync(cli)) throw new Error('There is no built command line: npm run build')

console.log(`Killing a training ${kills} times; command line, server and this are three processes.\n`)
const began = performance.now()
const { events, paid, runs } = await crashSuite({
  cli,
  sizes: { train: 24, val: 16, test: 16 },
  config: { train: { epochs: 2, batchSize: 12 }, reflect: { minibatchSize: 4 } },
  moments: straight => planMoments(straight, kills),
  parallel: 2,
})

const types = [...new Set([...events.map(event => event.type), 'run.stopped' as const])]
const rowOf = (label: string, occurs: number | string, killed: readonly SuiteRun[]) => {
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
const occurrences = (type: EventType) => events.filter(event => event.type === type).length
console.log(
  table(
    [
      'killed after',
      'occurs',
      'kills',
      'same skill',
      'same verdicts',
      'same rest',
      'in flight',
      'of them paid again',
      'paid twice',
    ],
    [
      ...types.map(type =>
        rowOf(
          type,
          occurrences(type),
          runs.filter(run => run.moment.type === type),
        ),
      ),
      rowOf(
        'any event',
        events.length,
        runs.filter(run => run.moment.type === 'any'),
      ),
      rowOf('all', events.length, runs),
    ],
  ),
)

const isSame = runs.every(run => run.sameSkill && run.sameVerdicts && run.sameRest && run.sameCalls)
const twice = runs.reduce((sum, run) => sum + run.paidTwice, 0)
const uncovered = types.filter(type => !runs.some(run => run.moment.type === type))
console.log(`
An uninterrupted run has ${count(events.length)} events and pays for ${count(paid)} calls.
Same skill, verdicts, versions, test scores and calls as uninterrupted: ${met(isSame)}
No call paid twice but those in flight when the process died: ${met(twice === 0)}
Every event type killed at: ${uncovered.length === 0 ? met(true) : `${met(false)}, without ${uncovered.join(', ')}`}
It took ${Math.round((performance.now() - began) / 1000)} s.`)
saveResult('crash', { kills: runs.length, paid, isSame, paidTwice: twice, uncovered, runs })
if (!isSame || twice > 0) process.exitCode = 1
