import { memo } from 'react'
import { Link } from 'wouter'
import { gateChangeText, gateScoreText } from '../../../../src/core/view/gate-estimate.js'
import type { RunView } from '../../../../src/core/view/run-view.js'
import { Badge } from '../../parts/badge.js'
import { stepWord } from '../../parts/edit-words.js'
import { points } from '../../parts/format.js'
import { type Column, DataTable } from '../../parts/table.js'

type Step = RunView['steps'][number]

const shown = 8

/** The gate's latest decisions; the steps page has the rest. */
export const LatestDecisions = memo(function LatestDecisions({
  run,
  steps,
  isRunning,
}: { readonly run: string; readonly isRunning: boolean } & Pick<RunView, 'steps'>) {
  if (steps.length === 0) return null
  const base = `~/runs/${encodeURIComponent(run)}/gate`
  const isByTrials = steps.some(({ round }) => round !== undefined)
  const columns: Column<Step>[] = [
    {
      key: 'step',
      name: 'step',
      header: true,
      cell: ({ step, gate, round }) => {
        const name = `${round === undefined ? 'Step' : 'Round'} ${step}`
        return gate === undefined ? name : <Link href={`${base}/${step}`}>{name}</Link>
      },
    },
    {
      key: 'outcome',
      name: 'outcome',
      cell: step => {
        const word = stepWord(step)
        if (word === undefined) return <Badge tone="info">{isRunning ? 'in progress' : 'not finished'}</Badge>
        return <Badge tone={word.tone}>{word.text}</Badge>
      },
    },
    {
      key: 'train',
      name: 'train',
      align: 'end',
      cell: ({ rollout }) => (rollout === undefined || rollout.scored === 0 ? '–' : points(rollout.hard)),
    },
    {
      key: 'validation',
      name: 'validation',
      align: 'end',
      cell: ({ gate }) => (gate === undefined ? '–' : `${points(gate.current)} → ${gateScoreText(gate)}`),
    },
    {
      key: 'change',
      name: 'points',
      align: 'end',
      cell: ({ gate }) => (gate === undefined ? '–' : gateChangeText(gate)),
    },
    {
      key: 'edits',
      name: isByTrials ? 'edits joined' : 'edits applied',
      align: 'end',
      cell: ({ edits, round }) =>
        round === undefined ? edits.filter(({ fate }) => fate === 'applied').length : round.admitted.length,
    },
  ]
  return (
    <section className="stack" aria-labelledby="decisions">
      <header className="spread">
        <h2 id="decisions">{isByTrials ? 'Latest rounds' : 'Latest steps'}</h2>
        <Link href={base}>All steps, edits and decisions</Link>
      </header>
      <DataTable
        caption="The latest steps"
        columns={isByTrials ? columns.filter(({ key }) => key !== 'train') : columns}
        rows={steps.slice(-shown).toReversed()}
        rowKey={({ step }) => String(step)}
        cards
      />
    </section>
  )
})
