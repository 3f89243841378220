import type { SplitResult } from '../../core/comparison/split-result.js'
import type { Interval } from '../../core/statistics/intervals.js'
import { count, oneLine, points, signedPoints } from '../../core/text/format.js'
import type { RunView } from '../../core/view/fold.js'
import { countedColumns } from '../../core/view/summary-columns.js'
import { type ComparedPair, inTestOrder, pairsInQuestion, testedNames } from '../../core/view/test-results.js'
import type { Block, Section, Table } from '../blocks/blocks.js'
import type { ReportSource } from '../blocks/source.js'
import { intervalChart } from '../charts/intervals.js'
import { comparisonBlocks, splitNames } from './skill-comparison.js'

/** Scores of skills on tasks that training never saw. */
export function testSection({ view }: ReportSource): Section[] {
  const tests = inTestOrder(view.tests)
  if (tests.length === 0) return []
  const initial = tests.find(({ which, scored }) => which === 'initial' && scored > 0)
  const named = tests.map(test => ({
    ...test,
    name: testedNames[test.which],
    strong: test.which === 'best' || test.which === 'trained',
  }))
  const counted = countedColumns(tests)
  const rows = named.map(test => [
    test.name,
    ...scoreCells(test),
    initial && test.which !== 'initial' && test.scored > 0 ? signedPoints(test.score - initial.score) : '',
    ...counted.map(({ cell }) => cell(test)),
  ])
  const usual = ['skill', 'tasks', 'score', '95% interval', 'against initial']
  const table: Table = {
    kind: 'table',
    caption: 'Scores on the test split',
    head: [...usual, ...counted.map(({ head }) => head)],
    rows,
    right: [1, 2, 3, 4, ...counted.map((_, index) => usual.length + index)],
  }
  const blocks: Block[] = [
    ...chartOf(named, 'Scores on the test split'),
    table,
    ...pairBlocks(view),
    ...typeBlocks(view),
  ]
  return [{ id: 'test', title: 'On unseen tasks', blocks }]
}

export function evaluationSection({ view, splits, comparisons }: ReportSource): Section[] {
  if (view.kind !== 'eval') return []
  const several = new Set(splits.map(({ skill }) => skill)).size > 1
  const nameOf = ({ split, skill }: SplitResult) =>
    several ? `${oneLine(skill)}, ${splitNames[split]}` : splitNames[split]
  const named = splits.map(split => ({
    ...split,
    name: nameOf(split),
    strong: split.split === 'test',
  }))
  const blocks: Block[] =
    splits.length === 0
      ? [{ kind: 'text', text: 'No split has been fully scored yet.' }]
      : [
          ...skillNames(view, several),
          ...chartOf(named, 'Scores by split'),
          {
            kind: 'table',
            caption: 'Scores by split',
            head: [several ? 'skill and split' : 'split', 'tasks', 'score', '95% interval'],
            rows: named.flatMap(splitRows),
            right: [1, 2, 3],
          },
          ...comparisons.flatMap(comparison => comparisonBlocks(comparison, splits)),
        ]
  return [{ id: 'scores', title: 'Scores', blocks }]
}

/** The name of the skill. If there are several, the tables have the names. */
function skillNames({ skills }: RunView, several: boolean): Block[] {
  const [only] = skills
  return only === undefined || several ? [] : [{ kind: 'text', text: `The skill is ${oneLine(only.name)}.` }]
}

function splitRows({ name, types, ...whole }: SplitResult & { readonly name: string }): string[][] {
  const byType = types.length < 2 ? [] : types
  return [
    [name, ...scoreCells(whole)],
    ...byType.map(({ type, ...part }) => [
      `– ${type === '' ? '(no type)' : oneLine(type)}`,
      ...scoreCells(part),
    ]),
  ]
}

type Scored = Pick<SplitResult, 'scored' | 'failed' | 'score' | 'interval'>

function chartOf(rows: readonly (Scored & { name: string; strong: boolean })[], title: string): Block[] {
  const scored = rows.filter(row => row.scored > 0)
  return scored.length === 0 ? [] : [intervalChart(scored, title)]
}

/** Cells of a score. External failures are counted separately, and a missing score is not zero. */
function scoreCells({ scored, failed, score, interval }: Scored): string[] {
  return [
    failed > 0 ? `${count(scored)} (${failed} failed)` : count(scored),
    scored === 0 ? 'none scored' : points(score),
    scored === 0 ? '' : between(interval),
  ]
}

const between = ({ low, high }: Interval) => `${points(low)} to ${points(high)}`

function pairBlocks({ comparison }: RunView): Block[] {
  const pairs = pairsInQuestion(comparison?.pairs ?? [])
  if (pairs.length === 0) return []
  const trained = comparison?.trained
  return [
    {
      kind: 'table',
      caption: 'Task by task',
      head: ['compared', 'tasks', 'better', 'worse', 'points', '95% interval'],
      rows: pairs.map(pairCells),
      right: [1, 2, 3, 4, 5],
    },
    ...(trained === undefined
      ? []
      : [{ kind: 'text', text: `The trained skill is ${oneLine(trained)}.` } as const]),
  ]
}

function pairCells({ which, against, tasks, better, worse, difference }: ComparedPair) {
  const tone = difference.low > 0 ? 'good' : difference.high < 0 ? 'bad' : 'calm'
  return [
    `${testedNames[which]} against ${testedNames[against]}`,
    count(tasks),
    count(better),
    count(worse),
    tasks === 0 ? 'unknown' : ({ text: signedPoints(difference.mean), tone } as const),
    tasks === 0 ? '' : `${signedPoints(difference.low)} to ${signedPoints(difference.high)}`,
  ]
}

/** Scores by task type, shown only for several types; with one, the table would repeat the one above. */
function typeBlocks(view: RunView): Block[] {
  const tests = inTestOrder(view.tests)
  const types = [...new Set(tests.flatMap(test => test.types.map(({ type }) => type)))]
  if (types.length < 2) return []
  const rows = types.map(type => {
    const cells = tests.map(test => test.types.find(row => row.type === type))
    const tasks = Math.max(...cells.map(cell => (cell ? cell.scored + cell.failed : 0)))
    const scores = cells.map(cell => (cell && cell.scored > 0 ? points(cell.interval.mean) : '–'))
    return [type === '' ? '(no type)' : oneLine(type), count(tasks), ...scores]
  })
  const head = ['task type', 'tasks', ...tests.map(({ which }) => testedNames[which])]
  const right = head.map((_, index) => index).slice(1)
  const table: Table = { kind: 'table', caption: 'Scores by task type', head, rows, right }
  return [{ kind: 'folded', title: `By task type (${types.length})`, blocks: [table] }]
}
