import { memo } from 'react'
import type { RunView } from '../../../../src/core/view/run-view.js'
import { countedColumns } from '../../../../src/core/view/summary-columns.js'
import {
  type ComparedPair,
  inTestOrder,
  pairsInQuestion,
  testedNames,
  worthSentence,
} from '../../../../src/core/view/test-results.js'
import { count, points, signedPoints, visibleLine } from '../../parts/format.js'
import { type Column, DataTable } from '../../parts/table.js'
import { IntervalBar } from './interval-bar.js'

type Test = RunView['tests'][number]

/** Scores of the skills on held-out tasks. */
export const Tests = memo(function Tests({ tests, comparison }: Pick<RunView, 'tests' | 'comparison'>) {
  const ordered = inTestOrder(tests)
  const initial = tests.find(({ which, scored }) => which === 'initial' && scored > 0)
  const columns: Column<Test>[] = [
    { key: 'which', name: 'skill', header: true, cell: ({ which }) => testedNames[which] },
    {
      key: 'tasks',
      name: 'tasks',
      align: 'end',
      cell: ({ scored, failed }) => (failed > 0 ? `${count(scored)} (${failed} failed)` : count(scored)),
    },
    {
      key: 'score',
      name: 'score',
      align: 'end',
      cell: ({ scored, score }) => (scored === 0 ? 'none scored' : points(score)),
    },
    {
      key: 'interval',
      name: '95% interval',
      cell: ({ scored, interval }) =>
        scored === 0 ? '' : <IntervalBar {...interval} from={0} to={1} text={points} />,
    },
    {
      key: 'gain',
      name: 'against initial',
      align: 'end',
      cell: ({ which, scored, score }) =>
        initial === undefined || which === 'initial' || scored === 0
          ? ''
          : signedPoints(score - initial.score),
    },
    ...countedColumns(ordered).map(
      ({ head, cell }): Column<Test> => ({ key: head, name: head, align: 'end', cell }),
    ),
  ]
  return (
    <section className="stack" aria-labelledby="tests">
      <h2 id="tests">On the test split</h2>
      {comparison !== undefined && <p>{worthSentence(comparison.pairs)}</p>}
      <DataTable
        caption="Scores on the test split"
        columns={columns}
        rows={ordered}
        rowKey={({ which }) => which}
      />
      {comparison !== undefined && <Pairs pairs={pairsInQuestion(comparison.pairs)} />}
      <ByType tests={ordered} />
    </section>
  )
})

/** Paired comparison of skills on the same tasks. */
function Pairs({ pairs }: { readonly pairs: readonly ComparedPair[] }) {
  if (pairs.length === 0) return null
  const reach = Math.max(
    0.05,
    ...pairs.flatMap(({ difference: { low, high } }) => [Math.abs(low), Math.abs(high)]),
  )
  const columns: Column<ComparedPair>[] = [
    {
      key: 'pair',
      name: 'compared',
      header: true,
      cell: ({ which, against }) => `${testedNames[which]} against ${testedNames[against]}`,
    },
    { key: 'tasks', name: 'tasks', align: 'end', cell: pair => count(pair.tasks) },
    { key: 'better', name: 'better', align: 'end', cell: ({ better }) => count(better) },
    { key: 'worse', name: 'worse', align: 'end', cell: ({ worse }) => count(worse) },
    {
      key: 'points',
      name: 'points',
      align: 'end',
      cell: ({ tasks, difference }) => (tasks === 0 ? 'unknown' : signedPoints(difference.mean)),
    },
    {
      key: 'interval',
      name: '95% interval',
      cell: ({ tasks, difference }) =>
        tasks === 0 ? '' : <IntervalBar {...difference} from={-reach} to={reach} text={signedPoints} />,
    },
  ]
  return (
    <DataTable
      caption="Skills compared task by task"
      columns={columns}
      rows={pairs}
      rowKey={({ which, against }) => `${which} ${against}`}
    />
  )
}

/** Scores by task type. Omitted if there is only one type, because its score equals the total. */
function ByType({ tests }: { readonly tests: readonly Test[] }) {
  const types = [...new Set(tests.flatMap(test => test.types.map(({ type }) => type)))]
  if (types.length < 2) return null
  const columns: Column<string>[] = [
    {
      key: 'type',
      name: 'type',
      header: true,
      cell: type => (type === '' ? '(no type)' : visibleLine(type)),
    },
    ...tests.map(
      (test): Column<string> => ({
        key: test.which,
        name: testedNames[test.which],
        align: 'end',
        cell: type => {
          const own = test.types.find(row => row.type === type)
          return own === undefined || own.scored === 0 ? '–' : points(own.interval.mean)
        },
      }),
    ),
  ]
  return (
    <details>
      <summary>By type of task ({types.length})</summary>
      <DataTable caption="Test scores by type of task" columns={columns} rows={types} rowKey={type => type} />
    </details>
  )
}
