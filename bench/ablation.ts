import type { ConfigInput } from '../src/core/config/config.js'
import type { EventBody } from '../src/core/log/event.js'
import type { GateFactory } from '../src/core/ports/gate.js'
import { type Interval, scoreInterval } from '../src/core/statistics/intervals.js'
import { createGate as always } from '../src/trainer/gates/always.js'
import { train } from '../src/trainer/loops/steps.js'
import { worldRun, worldSetup } from '../test/world.js'
import { differenceInterval, mean, points, range, signed } from './figures.js'
import { markdownTable, writeMeasured } from './measured-page.js'
import { count, saveResult, table } from './table.js'

/**
 * Ablation of each mechanism in turn, in the simulated world: `ablation [SEEDS] [--write]`. A seed fixes the
 * tasks, batches and samples for every variant, so that differences are paired. The score is that of the
 * best skill on tasks that training never saw. `--write` writes its section of docs/measured.md.
 */

type Overrides = Omit<Partial<ConfigInput>, 'models' | 'environment'>

interface Variant {
  readonly name: string
  readonly config?: Overrides
  readonly gate?: GateFactory
  /**
   * Marks a different setting of a mechanism rather than its removal, so the verdict says better or worse,
   * not "helps".
   */
  readonly other?: true
}

const base = { train: { epochs: 4, batchSize: 20 }, reflect: { minibatchSize: 5 } } as const
const off = { enabled: false } as const

const variants: readonly Variant[] = [
  { name: 'full' },
  { name: 'no gate', gate: always },
  { name: 'no edit budget', config: { optimizer: { learningRate: 1000, schedule: 'constant' } } },
  { name: 'budget of one edit', other: true, config: { optimizer: { learningRate: 1, minLearningRate: 1 } } },
  { name: 'constant schedule', other: true, config: { optimizer: { schedule: 'constant' } } },
  { name: 'no rejected-edit buffer', config: { reflect: { ...base.reflect, rejectedEdits: false } } },
  { name: 'no failure patterns', config: { reflect: { ...base.reflect, failurePatterns: false } } },
  { name: 'no success analysts', config: { reflect: { ...base.reflect, failureOnly: true } } },
  { name: 'no minibatches', config: { reflect: { minibatchSize: 20 } } },
  { name: 'no slow update', config: { optimizer: { slowUpdate: off } } },
  { name: 'slow update forced in', other: true, config: { optimizer: { slowUpdate: { accept: 'force' } } } },
  { name: 'no meta skill', config: { optimizer: { metaSkill: false } } },
  {
    name: 'neither slow update nor meta skill',
    config: { optimizer: { slowUpdate: off, metaSkill: false } },
  },
]

interface Measured {
  readonly initial: number
  readonly best: number
  readonly last: number
  readonly calls: number
  readonly tokens: number
}

async function measure({ config, gate }: Variant, seed: number): Promise<Measured> {
  const plain = await worldSetup({
    sizes: { train: 60, val: 50, test: 300 },
    worldSeed: seed,
    config: {
      ...base,
      ...config,
      train: { ...base.train, seed },
      evaluation: { test: ['initial', 'best', 'last'] },
    },
  })
  const setup = gate === undefined ? plain : { ...plain, gate }
  const { run, events } = worldRun(setup)
  await train(run, setup)
  const calls = events.flatMap(event => (event.type === 'call.finished' ? [event.body] : []))
  // The test measures the method and is not part of it, so its calls are excluded.
  const training = calls.filter(call => call.stage !== 'test')
  const tested = (which: EventBody<'test.finished'>['which']) => {
    const test = events.find(event => event.type === 'test.finished' && event.body.which === which)
    if (test?.type !== 'test.finished') throw new Error(`The ${which} skill was not tested.`)
    return test.body.hard
  }
  return {
    initial: tested('initial'),
    best: tested('best'),
    last: tested('last'),
    calls: training.length,
    tokens: training.reduce((sum, { usage }) => sum + (usage.input ?? 0) + (usage.output ?? 0), 0),
  }
}

/** Effect of removing the mechanism, as far as the confidence interval shows one. */
function reading({ low, high }: Interval, other: boolean): string {
  if (high < 0) return other ? 'worse' : 'worse without: it helps'
  if (low > 0) return other ? 'better' : 'better without: it hurts'
  return 'no measurable effect'
}

const seeds = Number(process.argv[2] ?? 24)
const results = new Map<string, Measured[]>()
for (const variant of variants) {
  const measured: Measured[] = []
  for (let seed = 1; seed <= seeds; seed++) measured.push(await measure(variant, seed))
  results.set(variant.name, measured)
  console.error(`${variant.name}: ${points(mean(measured.map(({ best }) => best)))}`)
}

const full = results.get('full') ?? []
const others = new Set(variants.filter(variant => variant.other).map(variant => variant.name))
const rows = [...results].map(([name, measured]) => {
  const best = scoreInterval(measured.map(result => result.best))
  const difference = differenceInterval(
    measured.map((result, index) => result.best - (full[index]?.best ?? 0)),
  )
  const isFull = name === 'full'
  return {
    name,
    best,
    difference,
    last: mean(measured.map(({ last }) => last)),
    calls: mean(measured.map(({ calls }) => calls)),
    tokens: mean(measured.map(({ tokens }) => tokens)),
    reading: isFull ? '' : reading(difference, others.has(name)),
  }
})
const initial = scoreInterval(full.map(result => result.initial))

const head = [
  'variant',
  'best skill',
  '95% interval',
  'against full',
  '95% interval',
  'last skill',
  'calls',
  'tokens',
  'reading',
]
const cells = rows.map(row => [
  row.name,
  points(row.best.mean),
  range(row.best, points),
  row.reading === '' ? '' : signed(row.difference.mean),
  row.reading === '' ? '' : range(row.difference, signed),
  points(row.last),
  count(row.calls),
  count(row.tokens),
  row.reading,
])
console.log(`Simulated world, ${seeds} seeds. The seed skill scores ${points(initial.mean)}.\n`)
console.log(table(head, cells))
saveResult('ablation', { seeds, initial, rows, results: Object.fromEntries(results) })

if (process.argv.includes('--write')) {
  const shown = [0, 1, 3, 4, 5]
  const columns = (row: readonly string[]) => shown.map(index => row[index] ?? '')
  const text = `
${markdownTable(columns(head), cells.map(columns))}

\`npm run bench:ablation -- ${seeds} --write\`: ${seeds} seeds, \`train.loop: steps\`, 60 train, 50 validation and 300 test tasks, 4 epochs
of 3 steps. The seed skill scores ${points(initial.mean)}. Differences are paired by seed. The best skill is chosen by validation in
every variant; the gate protects the last one.
`
  await writeMeasured('ablation', text)
}
