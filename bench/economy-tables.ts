import { type Compared, compared, type Expected, type MeasuredRun } from './economy-run.js'
import { differenceInterval, mean, points, range, signed, sum } from './figures.js'
import { count, met } from './table.js'

export interface Shown {
  readonly title: string
  readonly head: readonly string[]
  readonly rows: readonly (readonly string[])[]
}

const targets = { calls: 1 / 3, tokens: 1 / 3, time: 1 / 2, bound: 1.15, forecast: 0.25, forecasts: 0.8 }

const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`
const inAll = 'in all'

const worldsOf = (runs: readonly MeasuredRun[]) => [...new Set(runs.map(({ world }) => world))]
const runsOf = (runs: readonly MeasuredRun[], preset: Compared, world: string = inAll) =>
  runs.filter(run => run.preset === preset && (world === inAll || run.world === world))

/** What runs took, in the mean over the seeds. */
export function spendingTable(runs: readonly MeasuredRun[]): Shown {
  const rows = worldsOf(runs).flatMap(world =>
    compared.flatMap(preset => {
      const some = runsOf(runs, preset, world)
      if (some.length === 0) return []
      const meanOf = (figure: (run: MeasuredRun) => number) => mean(some.map(figure))
      const decisions = sum(some.map(({ taken }) => taken.accepted + taken.rejected))
      const row = [
        ...[world, preset],
        points(meanOf(run => run.trueScore.seed)),
        points(meanOf(run => run.trueScore.best)),
        meanOf(run => run.taken.steps).toFixed(1),
        meanOf(run => run.taken.accepted).toFixed(1),
        meanOf(run => run.taken.rejected).toFixed(1),
        count(sum(some.map(({ taken }) => taken.gateCalls)) / decisions),
        count(meanOf(run => run.taken.targetCalls)),
        count(meanOf(run => run.taken.optimizerCalls)),
        count(meanOf(run => run.taken.tokens)),
        seconds(meanOf(run => run.taken.trainingMs)),
        count(meanOf(run => run.taken.withTests.tokens)),
        seconds(meanOf(run => run.taken.withTests.wallMs)),
      ]
      return [row]
    }),
  )
  const head = [
    ...['world', 'preset', 'seed skill', 'best skill', 'steps', 'accepted', 'rejected'],
    ...['gate calls per decision', 'target calls', 'optimizer calls', 'tokens', 'time'],
    ...['tokens with tests', 'time with tests'],
  ]
  return { title: 'What a run took, in the mean', head, rows }
}

/** `default` against `paper`: the difference of the score is paired by seed, the rest is the ratio of the sums. */
export function ratioTable(runs: readonly MeasuredRun[]): Shown {
  const paired = runs.filter(run => other(runs, run) !== undefined)
  const rows = [...worldsOf(paired), inAll].map(world => {
    const ours = runsOf(paired, 'default', world)
    const theirs = runsOf(paired, 'paper', world)
    const differences = ours.map(
      run => run.trueScore.best - (other(paired, run)?.trueScore.best ?? run.trueScore.best),
    )
    const difference = differenceInterval(differences)
    // Equal differences have no spread to make an interval of.
    const interval = new Set(differences).size === 1 ? 'no spread' : range(difference, signed)
    const ratio = (figure: (run: MeasuredRun) => number) => sum(ours.map(figure)) / sum(theirs.map(figure))
    const judged = (value: number, target: number) => [value.toFixed(2), met(value <= target)]
    return [
      ...[world, String(ours.length), signed(difference.mean), interval],
      met(difference.mean >= 0),
      ...judged(
        ratio(({ taken }) => taken.targetCalls),
        targets.calls,
      ),
      ...judged(
        ratio(({ taken }) => taken.tokens),
        targets.tokens,
      ),
      ...judged(
        ratio(({ taken }) => taken.trainingMs),
        targets.time,
      ),
      ratio(({ taken }) => taken.withTests.tokens).toFixed(2),
      ratio(({ taken }) => taken.withTests.wallMs).toFixed(2),
    ]
  })
  const head = [
    ...['world', 'pairs', 'score', '95% interval', 'no lower', 'target calls', '<= 1/3', 'tokens', '<= 1/3'],
    ...['time', '<= 1/2', 'tokens with tests', 'time with tests'],
  ]
  return { title: 'default against paper', head, rows }
}

function other(runs: readonly MeasuredRun[], { world, preset, seed }: MeasuredRun): MeasuredRun | undefined {
  return runs.find(run => run.world === world && run.seed === seed && run.preset !== preset)
}

/** Whether `paper` is what was published, done without waste: calls are sums over the seeds. */
export function protocolTable(runs: readonly MeasuredRun[]): Shown {
  const rows = worldsOf(runs).flatMap(world => {
    const some = runsOf(runs, 'paper', world).flatMap(({ protocol, boundMs, taken }) =>
      protocol === undefined || boundMs === undefined
        ? []
        : [{ ...protocol, ratio: taken.withTests.wallMs / boundMs }],
    )
    if (some.length === 0) return []
    const total = (figure: (run: (typeof some)[number]) => number) => count(sum(some.map(figure)))
    const slowest = Math.max(...some.map(({ ratio }) => ratio))
    return [
      [
        ...[world, String(some.length), total(run => run.rollouts), total(run => run.compared)],
        ...[total(run => -run.comparedOnce), total(run => run.skills), total(run => run.validated)],
        ...[total(run => run.expected), total(run => run.made)],
        met(some.every(({ expected, made }) => expected === made)),
        ...[slowest.toFixed(3), met(slowest <= targets.bound)],
      ],
    ]
  })
  const head = [
    ...['world', 'runs', 'steps × batch', '2 × slow samples × (epochs − 1)', 'same skill: once', 'skills'],
    ...['validation × skills', 'expected', 'made', 'equal', 'time over bound, worst', '<= 1.15'],
  ]
  return { title: 'paper is no strawman: its target calls by the protocol and in the log', head, rows }
}

/** How often the forecast came within a quarter of what the run then took, tests included. */
export function forecastTable(runs: readonly MeasuredRun[]): Shown {
  const kinds = { 'first run': 'first', 'first run, after a probe': 'probed', 'later run': 'later' } as const
  const rows = [...worldsOf(runs), inAll].flatMap(world =>
    compared.flatMap(preset =>
      Object.entries(kinds).flatMap(([name, kind]) => {
        const ratios = runsOf(runs, preset, world).flatMap(({ forecast, taken }) =>
          forecast[kind] === undefined ? [] : [overActual(forecast[kind], taken.withTests)],
        )
        if (ratios.length === 0) return []
        const near = (figure: keyof Expected) =>
          ratios.filter(ratio => Math.abs(ratio[figure] - 1) <= targets.forecast).length
        const of = (figure: keyof Expected) => `${near(figure)} of ${ratios.length}`
        const costs = ratios.map(({ cost }) => cost)
        return [
          [
            ...[world, preset, name, of('calls'), of('tokens'), of('cost')],
            met(near('cost') >= targets.forecasts * ratios.length),
            `${Math.min(...costs).toFixed(2)} to ${Math.max(...costs).toFixed(2)}`,
          ],
        ]
      }),
    ),
  )
  const head = [
    ...['world', 'preset', 'forecast of', 'calls within 25%', 'tokens', 'cost', 'cost: 4 of 5'],
    'expected over actual cost',
  ]
  return { title: 'The forecast against what the run took, tests included', head, rows }
}

function overActual(expected: Expected, actual: Expected): Expected {
  return {
    calls: expected.calls / actual.calls,
    tokens: expected.tokens / actual.tokens,
    cost: expected.cost / actual.cost,
  }
}
