import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { count, met, saveResult, table } from './table.js'

/** Cost of scorers, loaders and simulators, each measured in its own process on one core. */

interface Measured {
  readonly what: string
  readonly name: string
  readonly count: number
  readonly milliseconds: number
  readonly peak: number
}

const worker = fileURLToPath(new URL('./environments-worker.js', import.meta.url))

async function measure(what: string, name: string, items: number): Promise<Measured> {
  const { stdout } = await promisify(execFile)(process.execPath, [worker, what, name, String(items)])
  return JSON.parse(stdout) as Measured
}

const perSecond = ({ count: items, milliseconds }: Measured): number => (1000 * items) / milliseconds
const megabytes = ({ peak }: Measured): string => `${count(peak / 1e6)} MB`

const isQuick = process.argv.includes('--quick')
const many = isQuick ? 1000 : 100_000
const targets = { steps: 20_000 }

async function inTurn(plan: readonly (readonly [what: string, name: string, items: number])[]) {
  const measured: Measured[] = []
  for (const [what, name, items] of plan) measured.push(await measure(what, name, items))
  return measured
}

const scored = await inTurn([
  ['scores', 'searchqa', many],
  ['scores', 'docvqa', many],
  ['scores', 'livemath', many],
  ['scores', 'officeqa', many],
  ['scores', 'alfworld', isQuick ? 100 : 20_000],
])
const loaded = await inTurn([
  ['loads', 'searchqa', many],
  ['loads', 'livemath', many],
  ['loads', 'officeqa', many],
])
const [steps, cells, workbooks] = await inTurn([
  ['steps', 'alfworld', isQuick ? 5000 : 400_000],
  ['cells', 'spreadsheetbench', 50_000],
  ['workbooks', 'spreadsheetbench', isQuick ? 20 : 1000],
])
if (steps === undefined || cells === undefined || workbooks === undefined)
  throw new Error('Something was not measured.')

const row = (one: Measured) => [one.name, count(one.count), count(perSecond(one)), megabytes(one)]
const fastest = Math.max(...scored.map(perSecond))
console.log('Scorers: attempts at the example’s tasks. ALFWorld replays a whole winning game for each.')
console.log(
  table(
    ['environment', 'attempts', 'per second', 'peak memory', 'of the fastest'],
    scored.map(one => [...row(one), (perSecond(one) / fastest).toFixed(2)]),
  ),
)
console.log('\nLoading: one file of items, read, checked and divided into splits.')
console.log(table(['environment', 'items', 'per second', 'peak memory'], loaded.map(row)))
console.log('\nSimulator and spreadsheets.')
console.log(
  table(
    ['what', 'count', 'per second', 'peak memory', 'target'],
    [
      [
        'ALFWorld steps',
        count(steps.count),
        count(perSecond(steps)),
        megabytes(steps),
        `>= 20,000: ${met(perSecond(steps) >= targets.steps)}`,
      ],
      [
        'cells compared, one sheet',
        count(cells.count),
        count(perSecond(cells)),
        megabytes(cells),
        `${cells.milliseconds.toFixed(0)} ms in all`,
      ],
      ['small workbooks read', count(workbooks.count), count(perSecond(workbooks)), megabytes(workbooks), ''],
    ],
  ),
)
if (!isQuick) saveResult('environments', { scored, loaded, steps, cells, workbooks })
