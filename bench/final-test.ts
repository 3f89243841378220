import { writeFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { createGate as better } from '../src/trainer/gates/better.js'
import { CurrentSkill, play, type Random, randomFrom } from './gate-world.js'
import { saveResult, table } from './table.js'

/**
 * False accepts and power of the final test: `final-test [--runs 2000] [--write]`. Every decision draws new tasks, so that
 * the figures are about new tasks. `--write` writes docs/final-test.md.
 */

const { values: given } = parseArgs({
  options: { runs: { type: 'string' }, write: { type: 'boolean', default: false } },
})
const runs = Number(given.runs ?? 2000)
if (!Number.isInteger(runs) || runs < 1) throw new Error('--runs takes a whole number ≥ 1.')

/** Chances of a right answer under the seed and the trained skill. */
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
/** One task in twenty is lost for good on the way. */
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
/** No gain on average, but not in the same way in both directions: one task in ten lost for good, four a bit better. */
const tradeOff: Draw = random => {
  const place = random()
  if (place < 0.1) return [1, 0]
  return place < 0.5 ? [0.5, 0.75] : [0.5, 0.5]
}

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
    const { verdict, seen } = play(better, seed, trained, random)
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
  const lines = [head, head.map(() => '---'), ...rows].map(row => `| ${row.join(' | ')} |`)
  const text = `# Can the final test be trusted?

The [final test](gates.md#not-worse-and-better) accepts a skill that changes nothing in at most 5% of trainings, whether the target
answers alike every time or is all noise. It is less strict with skills that gain on many tasks what they lose on few (the
trade-off below). This is how often it accepts skills, and how many attempts that takes, by the
number of validation tasks:

${lines.join('\n')}

\`npm run bench:final-test -- --runs ${runs} --write\` measured this. Every decision draws new tasks; chance moves a share of 5%
by up to ${(196 * Math.sqrt((0.05 * 0.95) / runs)).toFixed(1)} points.

- **Noisy**: every attempt is a draw of its own; the seed is right half of the time, or, where there is a gain, 30% of the
  time. **Steady**: all attempts at a task come out alike; without a gain, three tasks in ten get a new answer that is right or wrong by
  chance; with one, one task in twenty is lost. **Mixed**: half of the tasks each.
- **Trade-off**: one task in ten is lost for good, and four in ten are right 75% instead of 50% of the time. The mean gain
  is zero, but one that is spread so unevenly can be missing from few tasks altogether: with 20 tasks, no lost task is
  among them in 12% of trainings. No test of these tasks sees what is not in them.
- **Attempts** are those under both skills together.

## How it decides

1. A task is one observation, however often it was run: the mean difference between the two skills on it. Repeats make that
   mean less noisy. They do not make more tasks of it.
2. If the skills were equally good, all differences of a task could as well have had the other sign. So the sum over tasks is
   compared with its values under 1,999 random flips of the signs of whole tasks (a sign-flip, or randomization, test).
3. It looks every five pairs from the tenth on. What a look may spend of the 5% depends on how much of the information is there by
   then. A flip that would have been accepted at an earlier look counts as accepted at all later ones, so that the 5% hold for all looks together.
4. As soon as repeats show that the target answers alike, there is nothing left to learn from more of them: the next look is the last
   one. The test also ends when the chance of accepting has fallen below 2%.
`
  await writeFile(new URL('../docs/final-test.md', import.meta.url), text)
}
