import { parseArgs } from 'node:util'
import { exampleRows, exampleTable } from './concern-examples.js'
import { differenceInterval, mean, points, range, signed, sum } from './figures.js'
import { count, saveResult, table } from './table.js'
import { type ConcernPairs, joinPairs, noPairs, sourceNames } from './worlds/concern-sources.js'
import type { WorldJob, WorldResult } from './worlds/job.js'
import { runJobs, showProgress } from './worlds/pool.js'
import { worldSpec } from './worlds/spec.js'

/**
 * Measures how well each source predicts which tasks an edit concerns, and the value of asking the
 * optimizer: `concern [--seeds 10] [--first-seed 1] [--worlds a,b] [--recall 0.85] [--precision 0.85]`.
 * Defaults are chosen on the development worlds, `--first-seed 101 --worlds dev-poor-words,…`.
 */

const text = { type: 'string' } as const
const { values: given } = parseArgs({
  options: { seeds: text, 'first-seed': text, worlds: text, recall: text, precision: text },
})
const seeds = Number(given.seeds ?? 10)
const firstSeed = Number(given['first-seed'] ?? 1)
const classification = { recall: Number(given.recall ?? 0.85), precision: Number(given.precision ?? 0.85) }
if (!Number.isInteger(seeds) || seeds < 1) throw new Error('--seeds takes a whole number ≥ 1.')
if (!Object.values(classification).every(share => share > 0 && share <= 1))
  throw new Error('--recall and --precision take a number above 0, up to 1.')
const usual = 'poor-words,dev-poor-words,sparse,two-rules,many-rules,noisy-30'
const worlds = (given.worlds ?? usual).split(',').map(worldSpec)

const policies = ['never', 'when-words-fail', 'always'] as const
type Policy = (typeof policies)[number]

interface PolicyJob extends WorldJob {
  readonly policy: Policy
}

const jobs = worlds.flatMap(({ name: world }) =>
  policies.flatMap(policy =>
    Array.from(
      { length: seeds },
      (_, index): PolicyJob => ({
        policy,
        world,
        seed: firstSeed + index,
        settings: { trials: { classify: policy } },
        change: { classification },
        isAudited: true,
      }),
    ),
  ),
)
const results = await runJobs(jobs, (_result, _job, done) => showProgress(done, jobs.length))

const runsOf = (world: string, policy: Policy): readonly WorldResult[] =>
  results.filter((_, index) => jobs[index]?.world === world && jobs[index]?.policy === policy)

const share = (part: number, whole: number): string =>
  whole === 0 ? '–' : `${((100 * part) / whole).toFixed(0)}%`
const quality = ({ said, true: truth, both }: ConcernPairs): string =>
  said === 0 ? '–' : `${share(both, said)} / ${share(both, truth)}`

// Edits come from runs that always ask, so that all sources are judged on the same edits.
const sourceRows = worlds.map(({ name }) => [
  name,
  ...sourceNames.map(source =>
    quality(
      runsOf(name, 'always')
        .map(({ audit }) => audit?.sources[source] ?? noPairs)
        .reduce(joinPairs, noPairs),
    ),
  ),
])

function policyRow(name: string, runs: readonly WorldResult[], base: readonly WorldResult[], policy: Policy) {
  const differences = runs.map(({ end }, index) => end - (base[index]?.end ?? 0))
  const difference = differenceInterval(differences)
  const isSame = differences.every(one => one === 0)
  const audits = runs.flatMap(({ audit }) => (audit === undefined ? [] : [audit]))
  const verdicts = sum(audits.map(({ errors }) => errors.all))
  const errorOf = (which: 'concerned' | 'everywhere') =>
    verdicts === 0 ? '–' : signed(sum(audits.map(({ errors }) => errors[which])) / verdicts)
  const tokens = mean(runs.map(one => one.tokens))
  const intervals = sum(audits.map(audit => audit.intervals.all))
  return [
    name,
    policy,
    points(mean(runs.map(({ end }) => end))),
    policy === 'never' ? '' : signed(difference.mean),
    isSame ? '' : range(difference, signed),
    count(mean(runs.map(({ targetCalls }) => targetCalls))),
    count(mean(runs.map(({ optimizerCalls }) => optimizerCalls))),
    count(tokens),
    (tokens / mean(base.map(one => one.tokens))).toFixed(2),
    quality(audits.map(({ concerned }) => concerned).reduce(joinPairs, noPairs)),
    errorOf('concerned'),
    errorOf('everywhere'),
    share(sum(audits.map(audit => audit.intervals.hold)), intervals),
  ]
}

const policyRows = [
  ...worlds.flatMap(({ name }) =>
    policies.map(policy => policyRow(name, runsOf(name, policy), runsOf(name, 'never'), policy)),
  ),
  ...policies.map(policy => {
    const all = (which: Policy) => worlds.flatMap(({ name }) => runsOf(name, which))
    return policyRow('all', all(policy), all('never'), policy)
  }),
]

const sourceHead = ['world', ...sourceNames]
const policyHead = [
  'world',
  'classify',
  'end',
  'against never',
  '95% interval',
  'target calls',
  'optimizer calls',
  'tokens',
  'ratio',
  'precision / recall',
  'error where concerned',
  'error on all tasks',
  'intervals that hold the truth',
]
console.log(`Precision / recall of each source, ${seeds} seeds in each world.\n`)
console.log(table(sourceHead, sourceRows))
console.log('\nThe same on the tasks of the bundled benchmarks, by their task types.\n')
const examples = await exampleRows()
console.log(exampleTable(examples))
console.log(
  `\nTrue end scores and errors of estimated effects in points; a classification has a recall of ${classification.recall} and a precision of ${classification.precision} by assumption.\n`,
)
console.log(table(policyHead, policyRows))
saveResult('concern', {
  seeds,
  firstSeed,
  classification,
  sourceHead,
  sourceRows,
  examples,
  policyHead,
  policyRows,
})
