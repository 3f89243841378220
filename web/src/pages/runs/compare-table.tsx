import type { ComparedRun, SkillSize } from '../../../../src/dashboard/contract/compare.js'
import type { RunSummary } from '../../../../src/dashboard/contract/runs.js'
import { SimulatedBadge, StateBadge } from '../../parts/badge.js'
import type { ChartTone } from '../../parts/chart.js'
import { count, points } from '../../parts/format.js'
import { type Column, DataTable } from '../../parts/table.js'
import { FigureCell, RunLink } from './cells.js'
import { namesOf, toneAt } from './curves.js'
import { costFigure, type Figure, testFigure, timeFigure, tokensFigure } from './figures.js'

interface Line {
  readonly run: ComparedRun
  /** The run's row in the list, which is current. */
  readonly summary: RunSummary
  readonly name: string
  readonly tone: ChartTone
}

/** The results and the cost of each run. */
export function CompareTable({
  runs,
  summaries,
  remove,
}: {
  readonly runs: readonly ComparedRun[]
  readonly summaries: readonly RunSummary[]
  readonly remove: (id: string) => void
}) {
  const names = namesOf(summaries)
  const lines = runs.map((run, index): Line => {
    const summary = summaries[index] ?? run.summary
    return { run, summary, name: names[index] ?? summary.name, tone: toneAt(index) }
  })
  return (
    <DataTable
      caption="Runs side by side"
      columns={columnsFor(remove)}
      rows={lines}
      rowKey={({ summary }) => summary.id}
      cards
    />
  )
}

function columnsFor(remove: (id: string) => void): readonly Column<Line>[] {
  const figure = (key: string, name: string, of: (line: Line) => Figure): Column<Line> => ({
    key,
    name,
    align: 'end',
    cell: line => <FigureCell run={line.summary} figure={of(line)} />,
  })
  return [
    { key: 'name', name: 'Run', header: true, cell: line => <Name line={line} /> },
    { key: 'state', name: 'State', cell: ({ summary }) => <StateBadge state={summary.state} /> },
    figure('initial', 'Initial', ({ summary }) => scoreFigure(summary.initial)),
    figure('best', 'Best', ({ summary: { best } }) => scoreFigure(best)),
    figure('test', 'Test', ({ summary }) => testFigure(summary)),
    figure('cost', 'Cost', ({ summary }) => costFigure(summary)),
    figure('tokens', 'Tokens', ({ summary }) => tokensFigure(summary)),
    figure('time', 'Time', ({ summary }) => timeFigure(summary)),
    figure('size', 'Skill size', ({ run: { seed, best } }) => sizeFigure(seed, best)),
    {
      key: 'remove',
      name: 'Remove',
      head: <span className="visually-hidden">Remove</span>,
      cell: ({ summary, name }) => (
        <button type="button" className="quiet" onClick={() => remove(summary.id)}>
          Remove<span className="visually-hidden"> {name}</span>
        </button>
      ),
    },
  ]
}

function Name({ line: { summary, name, tone } }: { readonly line: Line }) {
  return (
    <span className="runs-title">
      <LineMark tone={tone} />
      <RunLink id={summary.id} name={name} />
      {summary.simulated && <SimulatedBadge />}
    </span>
  )
}

/** The run's line style on the chart. */
export function LineMark({ tone }: { readonly tone: ChartTone }) {
  return (
    <svg className={`chart-mark tone-${tone}`} viewBox="0 0 26 6" aria-hidden="true">
      <line x1="1" y1="3" x2="25" y2="3" />
    </svg>
  )
}

function scoreFigure(score: number | undefined, note?: string): Figure {
  if (score === undefined) return { text: '–' }
  return note === undefined ? { text: points(score) } : { text: points(score), note }
}

/** Tokens of the seed and of the best skill. Every call pays for them. */
function sizeFigure(seed: SkillSize | undefined, best: SkillSize | undefined): Figure {
  if (seed === undefined && best === undefined) return { text: '–' }
  const both = (of: (size: SkillSize) => number) =>
    [seed, best].flatMap(size => (size === undefined ? [] : count(of(size)))).join(' → ')
  return { text: `${both(({ tokens }) => tokens)} tokens`, note: `${both(({ lines }) => lines)} lines` }
}
