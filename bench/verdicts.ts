import { parseArgs } from 'node:util'
import { sum } from './figures.js'
import { markdownTable, writeMeasured } from './measured-page.js'
import { saveResult, table } from './table.js'
import type { Audit, Effects } from './worlds/audit.js'
import type { WorldJob, WorldResult } from './worlds/job.js'
import { runJobs, showProgress } from './worlds/pool.js'
import { reportedWorlds, worldSpec } from './worlds/spec.js'

/**
 * Compares verdicts on single edits with the truth: `verdicts [--seeds 20] [--null 100] [--worlds a,b]
 * [--write]`. In simulated worlds the true effect of every edit is known. `--write` writes its section of
 * docs/measured.md.
 */

const { values: given } = parseArgs({
  options: {
    seeds: { type: 'string' },
    null: { type: 'string' },
    worlds: { type: 'string' },
    write: { type: 'boolean', default: false },
  },
})
const seeds = Number(given.seeds ?? 20)
const nullRuns = Number(given.null ?? 100)
if (!Number.isInteger(seeds) || seeds < 1) throw new Error('--seeds takes a whole number ≥ 1.')
if (!Number.isInteger(nullRuns) || nullRuns < 1) throw new Error('--null takes a whole number ≥ 1.')
const worlds = given.worlds?.split(',').map(worldSpec) ?? reportedWorlds

const jobsOf = (world: string, count: number): WorldJob[] =>
  Array.from({ length: count }, (_, index) => ({ world, seed: index + 1, isAudited: true }))
// The first runs of the null world are used for the table as well.
const others = worlds.filter(({ name }) => name !== 'null')
const jobs = [
  ...others.flatMap(({ name }) => jobsOf(name, seeds)),
  ...jobsOf('null', Math.max(seeds, nullRuns)),
]
const results = await runJobs(jobs, (_result, _job, done) => showProgress(done, jobs.length))

type Audited = WorldResult & { readonly audit: Audit }
const isAudited = (result: WorldResult): result is Audited => result.audit !== undefined
const audited = results.filter(isAudited)

const share = (part: number, whole: number): string =>
  whole === 0 ? '–' : `${((100 * part) / whole).toFixed(1)}%`
const total = ({ helpful, none, harmful }: Effects): number => helpful + none + harmful

function rowOf(name: string, runs: readonly Audited[]): string[] {
  const of = (pick: (audit: Audit) => number) => sum(runs.map(({ audit }) => pick(audit)))
  const lines = of(({ lines }) => total(lines))
  const accepted = of(audit => total(audit.accepted))
  const both = of(({ concerned }) => concerned.both)
  const intervals = of(audit => audit.intervals.all)
  return [
    name,
    (lines / runs.length).toFixed(1),
    share(
      of(audit => audit.lines.harmful),
      lines,
    ),
    share(
      of(audit => audit.lines.none),
      lines,
    ),
    share(
      of(audit => audit.accepted.harmful),
      accepted,
    ),
    share(
      of(audit => audit.helpful.found),
      of(audit => audit.helpful.tried),
    ),
    share(
      both,
      of(({ concerned }) => concerned.said),
    ),
    share(
      both,
      of(({ concerned }) => concerned.true),
    ),
    share(
      of(audit => audit.intervals.hold),
      intervals,
    ),
    share(
      of(audit => audit.finalTests.failed),
      of(audit => audit.finalTests.all),
    ),
  ]
}

const head = [
  'world',
  'lines shipped',
  'harmful',
  'no effect',
  'harmful when accepted',
  'helpful edits found',
  'concerned tasks: precision',
  'recall',
  'intervals that hold the truth',
  'final test failed',
]
const tableRuns = audited.filter(({ world, seed }) => world !== 'null' || seed <= seeds)
const names = worlds.map(({ name }) => name)
const rows = [
  ...names.map(name =>
    rowOf(
      name,
      tableRuns.filter(({ world }) => world === name),
    ),
  ),
  rowOf(
    'all',
    tableRuns.filter(({ world }) => names.includes(world)),
  ),
]
const ofNull = audited.filter(({ world, seed }) => world === 'null' && seed <= nullRuns)
const seedShips = ofNull.filter(({ shipsSeed }) => shipsSeed).length
const worse = ofNull.filter(({ start, end }) => end < start - 1e-9).length
const nullText = `Where nothing that is proposed helps, the seed skill ships in ${seedShips} of ${nullRuns} runs; ${worse} ship a skill that is worse.`

console.log(`Verdicts against the truth, seeds in each world: ${seeds}.\n`)
console.log(table(head, rows))
console.log(`\n${nullText}`)
saveResult('verdicts', { seeds, head, rows, null: { runs: nullRuns, seedShips, worse }, runs: results })

if (given.write) {
  const abouts = worlds.map(({ name, about }) => `- \`${name}\`: ${about}`)
  const shown = [0, 2, 3, 5, 9]
  const columns = (row: readonly string[]) => shown.map(index => row[index] ?? '')
  const text = `
${nullText}

${markdownTable(columns(head), rows.map(columns))}

\`npm run bench:verdicts -- --seeds ${seeds} --null ${nullRuns} --write\`: ${seeds} ${seeds === 1 ? 'seed' : 'seeds'} in each world${seeds < 10 ? ', too few for conclusions' : ''}. Harmful and no effect: shipped
lines whose removal would raise the true score, or not change it. Helpful edits found: of the lessons on trial that would
have raised the true score, those that were accepted. Final test failed: the seed skill shipped instead.

The worlds:

${abouts.join('\n')}
`
  await writeMeasured('verdicts', text)
}
