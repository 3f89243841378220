import { memo, useState } from 'react'
import { Link } from 'wouter'
import { decisionOf } from '../../../../src/core/view/gate-decisions.js'
import { gateChangeText, gateScoreText } from '../../../../src/core/view/gate-estimate.js'
import { Badge } from '../../parts/badge.js'
import { plural, points, signedPoints, visibleLine } from '../../parts/format.js'
import { type Column, DataTable } from '../../parts/table.js'
import { gateHref } from './addresses.js'
import { decisionWord, wordsOfName } from './gate-words.js'
import { IntervalBar } from './interval-bar.js'
import { allDecisions, type Decisions, type ListedDecision } from './steps-list.js'

/** Number of decisions shown at first. A long training has hundreds; the others are shown on request. */
const firstShown = 50

/** All gate decisions, latest first. */
export const DecisionTable = memo(function DecisionTable({
  run,
  steps,
  epochEnds,
  lastVerdict,
  finalTest,
}: { readonly run: string } & Decisions) {
  const [isWhole, setWhole] = useState(false)
  const decisions = allDecisions({ steps, epochEnds, lastVerdict, finalTest }).toReversed()
  const shown = isWhole ? decisions : decisions.slice(0, firstShown)
  return (
    <section className="stack" aria-labelledby="decisions">
      <header className="spread">
        <h2 id="decisions">Decisions of the gate</h2>
        <span className="small muted">{tallyOf(decisions)}</span>
      </header>
      {decisions.length === 0 ? (
        <p className="muted">
          The gate has not decided anything yet. Its decisions appear here by themselves.
        </p>
      ) : (
        <DataTable
          caption="Decisions of the gate, the latest first"
          columns={columnsOf(run, reachOf(decisions))}
          rows={shown}
          rowKey={({ name }) => name}
          cards
        />
      )}
      {shown.length < decisions.length && (
        <p>
          <button type="button" onClick={() => setWhole(true)}>
            Show all {plural(decisions.length, 'decision')}
          </button>
        </p>
      )}
    </section>
  )
})

/** Describes how many decisions of each kind there are. */
function tallyOf(decisions: readonly ListedDecision[]): string {
  const counts = new Map<string, number>()
  for (const { gate } of decisions) {
    const decision = decisionOf(gate)
    counts.set(decision, (counts.get(decision) ?? 0) + 1)
  }
  return [...counts].map(([decision, number]) => `${number} ${decision}`).join(', ')
}

/**
 * Half the width of the axis that all rows share, so that their bars can be compared. It is 0 if the gate
 * gives no intervals.
 */
function reachOf(decisions: readonly ListedDecision[]): number {
  const ends = decisions.flatMap(({ gate: { verdict } }) =>
    verdict.effect === undefined ? [] : [Math.abs(verdict.effect.low), Math.abs(verdict.effect.high)],
  )
  return ends.length === 0 ? 0 : Math.max(0.05, ...ends)
}

function columnsOf(run: string, reach: number): Column<ListedDecision>[] {
  return [
    {
      key: 'name',
      name: 'about',
      header: true,
      cell: ({ name }) => <Link href={gateHref(run, name)}>{capitalized(wordsOfName(name))}</Link>,
    },
    {
      key: 'verdict',
      name: 'verdict',
      cell: ({ gate }) => {
        const { tone, text } = decisionWord(gate)
        return <Badge tone={tone}>{text}</Badge>
      },
    },
    {
      key: 'scores',
      name: 'validation',
      align: 'end',
      cell: ({ gate }) => (
        <span className="run-nowrap">
          {points(gate.current)} → {gateScoreText(gate)}
        </span>
      ),
    },
    {
      key: 'points',
      name: 'points',
      align: 'end',
      cell: ({ gate }) => <span className="run-nowrap">{gateChangeText(gate)}</span>,
    },
    ...(reach === 0 ? [] : [effectColumn(reach)]),
    {
      key: 'reason',
      name: 'why',
      cell: ({ gate: { verdict } }) => <span className="run-cell-words">{visibleLine(verdict.reason)}</span>,
    },
  ]
}

function effectColumn(reach: number): Column<ListedDecision> {
  return {
    key: 'effect',
    name: 'effect, 95% interval',
    cell: ({ gate: { verdict } }) =>
      verdict.effect === undefined ? (
        '–'
      ) : (
        <IntervalBar {...verdict.effect} from={-reach} to={reach} text={signedPoints} />
      ),
  }
}

const capitalized = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)
