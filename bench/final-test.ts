import { parseArgs } from 'node:util'
import { createGate as better } from '../src/trainer/gates/better.js'
import { CurrentSkill, play, type Random, randomFrom, settings } from './gate-world.js'
import { markdownTable, writeMeasured } from './measured-page.js'
import { saveResult, table } from './table.js'

/**
 * False accepts and power of the final test: `final-test [--runs 2000] [--write]`. Every decision draws new
 * tasks, so that the rates generalise to new tasks. `--write` writes its section of docs/measured.md.
 */

const { values: given } = parseArgs({
  options: { runs: { type: 'string' }, write: { type: 'boolean', default: false } },
})
const runs = Number(given.runs ?? 2000)
if (!Number.isInteger(runs) || runs < 1) throw new Error('--runs takes a whole number ≥ 1.')

/** Probabilities of a correct answer under the seed and the trained skill. */
type Chances = readonly [seed: number, trained: number]
type Draw = (random: Random) => Chances

const coin = (random: Random) => (random() < 0.5 ? 1 : 0)
const half =
  (one: Draw, other: Draw): Draw =>
  random =>
    random() < 0.5 ? one(random) : other(random)

const noisyNull: Draw = () => [0.5, 0.5]
const steadyNull: Draw = random => {
  const before = coin(random)
  return [before, random() < 0.3 ? coin(random) : before]
}
const noisyGain =
  (gain: number): Draw =>
  () => [0.3, 0.3 + gain]
/** One task in twenty is permanently lost. */
const steadyGain =
  (gain: number): Draw =>
  random => {
    const place = random()
    if (place < 0.05) return [1, 0]
    if (place < 0.1 + gain) return [0, 1]
    const before = coin(random)
    return [before, before]
  }

interface Target {
  readonly name: string
  readonly none: Draw
  readonly gain: (gain: number) => Draw
}

const targets: readonly Target[] = [
  { name: 'noisy', none: noisyNull, gain: noisyGain },
  { name: 'steady', none: steadyNull, gain: steadyGain },
  {
    name: 'mixed',
    none: half(noisyNull, steadyNull),
    gain: gain => half(noisyGain(gain), steadyGain(gain)),
  },
]
/**
 * No mean gain, but asymmetric effects: one task in ten is permanently lost, four in ten improve a little.
 */
const tradeOff: Draw = random => {
  const place = random()
  if (place < 0.1) return [1, 0]
  return place < 0.5 ? [0.5, 0.75] : [0.5, 0.5]
}

/** The default of `trials.finalAlpha`. */
const alpha = 0.1

const sizes = [20, 30, 60]
const gains = [0.1, 0.2, 0.3, 0.5]

interface Rate {
  readonly accepted: number
  /** Attempts under both skills together. */
  readonly attempts: number
}

function rateOf(tasks: number, draw: Draw): Rate {
  const random = randomFrom(tasks)
  let accepted = 0
  let attempts = 0
  for (let run = 0; run < runs; run++) {
    const chances = Array.from({ length: tasks }, () => draw(random))
    const seed = new CurrentSkill(
      chances.map(([chance]) => chance),
      random,
    )
    const trained = chances.map(([, chance]) => chance)
    const { verdict, seen } = play(better, seed, trained, random, { ...settings, falseAccepts: alpha })
    if (verdict.decision === 'accept') accepted += 1
    attempts += seen.length
  }
  return { accepted: accepted / runs, attempts: attempts / runs }
}

const percent = (share: number) => `${(100 * share).toFixed(1)}%`
const rows = sizes.flatMap(tasks => [
  ...targets.map(({ name, none, gain }) => {
    const nothing = rateOf(tasks, none)
    const found = gains.map(one => rateOf(tasks, gain(one)))
    return [
      String(tasks),
      name,
      percent(nothing.accepted),
      ...found.map(({ accepted }) => percent(accepted)),
      nothing.attempts.toFixed(0),
      ...found.map(({ attempts }) => attempts.toFixed(0)),
    ]
  }),
  tradeOffRow(tasks),
])

function tradeOffRow(tasks: number): string[] {
  const { accepted, attempts } = rateOf(tasks, tradeOff)
  const empty = gains.map(() => '–')
  return [String(tasks), 'trade-off', percent(accepted), ...empty, attempts.toFixed(0), ...empty]
}

const head = [
  'tasks',
  'target',
  'accepted without a gain',
  ...gains.map(gain => `+${100 * gain} points`),
  'attempts without a gain',
  ...gains.map(gain => `at +${100 * gain}`),
]
console.log(`Skills that the final test accepts, ${runs} decisions in each cell.\n`)
console.log(table(head, rows))
saveResult('final-test', { runs, head, rows })

if (given.write) {
  const shown = [0, 1, 2, 3, 4, 6]
  const columns = (row: readonly string[]) => shown.map(index => row[index] ?? '')
  const text = `
${markdownTable(columns(head), rows.map(columns))}

\`npm run bench:final-test -- --runs ${runs} --write\`; every decision draws new tasks, and chance moves a share of 10% by up
to ${(196 * Math.sqrt((alpha * (1 - alpha)) / runs)).toFixed(1)} points. Noisy: every attempt is an independent draw. Steady: all attempts at a task come out alike. Mixed:
half of the tasks each. Trade-off: one task in ten is lost for good and four in ten improve, so that the mean gain is zero.
`
  await writeMeasured('final-test', text)
}
