import { memo, useMemo } from 'react'
import { comparedAtMost } from '../../../../src/dashboard/contract/compare.js'
import type { RunSummary } from '../../../../src/dashboard/contract/runs.js'
import { visibleLine } from '../../parts/format.js'
import { type Column, DataTable, type Sort } from '../../parts/table.js'
import { FigureCell, ModelsCell, NameCell, Nothing, SparkCell, StartedCell, StateCell } from './cells.js'
import { costFigure, timeFigure, tokensFigure, validationFigure, verdictFigure } from './figures.js'
import type { SortKey } from './filters.js'

/** Keys of sortable columns are the names used in the URL. */
type ListColumn = Column<RunSummary> & { readonly key: SortKey | 'choose' | 'spark' }

export const RunTable = memo(function RunTable({
  runs,
  sort,
  onSort,
  chosen,
  toggle,
  now,
}: {
  readonly runs: readonly RunSummary[]
  readonly sort: Sort
  readonly onSort: (key: string) => void
  readonly chosen: readonly string[]
  readonly toggle: (id: string) => void
  readonly now: number
}) {
  const columns = useMemo(() => columnsFor(chosen, toggle, now), [chosen, toggle, now])
  return (
    <div className="runs-list">
      <DataTable
        caption="Runs"
        columns={columns}
        rows={runs}
        rowKey={run => run.id}
        sort={sort}
        onSort={onSort}
        rowClass={run => (chosen.includes(run.id) ? 'runs-chosen' : undefined)}
        cards
      />
    </div>
  )
})

function columnsFor(
  chosen: readonly string[],
  toggle: (id: string) => void,
  now: number,
): readonly ListColumn[] {
  return [
    {
      key: 'choose',
      name: 'Compare',
      head: <span className="visually-hidden">Compare</span>,
      cell: run => <Choice run={run} chosen={chosen} toggle={toggle} />,
    },
    { key: 'name', name: 'Run', header: true, sort: true, cell: run => <NameCell run={run} /> },
    { key: 'state', name: 'State', sort: true, cell: run => <StateCell run={run} /> },
    {
      key: 'environment',
      name: 'Environment',
      sort: true,
      cell: run => (run.environment === '' ? <Nothing /> : visibleLine(run.environment)),
    },
    { key: 'models', name: 'Models', sort: true, cell: run => <ModelsCell run={run} /> },
    {
      key: 'validation',
      name: 'Validation',
      align: 'end',
      sort: true,
      cell: run => <FigureCell run={run} figure={validationFigure(run)} />,
    },
    { key: 'spark', name: 'Best so far', cell: run => <SparkCell run={run} /> },
    {
      key: 'test',
      name: 'Verdict',
      align: 'end',
      sort: true,
      cell: run => <FigureCell run={run} figure={verdictFigure(run)} />,
    },
    {
      key: 'cost',
      name: 'Cost',
      align: 'end',
      sort: true,
      cell: run => <FigureCell run={run} figure={costFigure(run)} />,
    },
    {
      key: 'tokens',
      name: 'Tokens',
      align: 'end',
      sort: true,
      cell: run => <FigureCell run={run} figure={tokensFigure(run, true)} />,
    },
    {
      key: 'time',
      name: 'Time',
      align: 'end',
      sort: true,
      cell: run => <FigureCell run={run} figure={timeFigure(run)} />,
    },
    {
      key: 'started',
      name: 'Started',
      align: 'end',
      sort: true,
      cell: run => <StartedCell run={run} now={now} />,
    },
  ]
}

function Choice({
  run,
  chosen,
  toggle,
}: {
  readonly run: RunSummary
  readonly chosen: readonly string[]
  readonly toggle: (id: string) => void
}) {
  const isChosen = chosen.includes(run.id)
  const reason = isChosen ? undefined : whyNot(run, chosen)
  return (
    <label className="runs-choose" title={reason}>
      <input
        type="checkbox"
        checked={isChosen}
        disabled={reason !== undefined}
        onChange={() => toggle(run.id)}
      />
      <span className="visually-hidden">Compare {visibleLine(run.name)}</span>
    </label>
  )
}

function whyNot(run: RunSummary, chosen: readonly string[]): string | undefined {
  if (run.state === 'unreadable') return 'A run that cannot be read cannot be compared.'
  if (chosen.length >= comparedAtMost) return `No more than ${comparedAtMost} runs fit on one chart.`
  return undefined
}
