import { Link } from 'wouter'
import type { SleepNightLine, SleepNightTarget } from '../../../../src/dashboard/contract/sleep.js'
import type { NightOutcome } from '../../../../src/sleep/model/night-record.js'
import { outcomeWords } from '../../../../src/sleep/model/wording.js'
import { Badge, SimulatedBadge } from '../../parts/badge.js'
import { points } from '../../parts/format.js'
import { type Column, DataTable } from '../../parts/table.js'
import { Word } from './parts.js'
import { costText, outcomeTones, proposalWords, whenText } from './words.js'

export function OutcomeWord({
  outcome,
  simulated,
}: {
  readonly outcome: NightOutcome['outcome']
  readonly simulated: boolean
}) {
  return (
    <>
      <Word tone={outcomeTones[outcome]} meaning={`What came of it: ${outcomeWords[outcome]}.`}>
        {outcome.replaceAll('-', ' ')}
      </Word>
      {simulated && <SimulatedBadge />}
    </>
  )
}

export function ProposalWord({ state }: { readonly state: NonNullable<SleepNightLine['proposal']> }) {
  const { tone, text, meaning } = proposalWords[state]
  return (
    <Word tone={tone} meaning={meaning}>
      {text}
    </Word>
  )
}

/** All nights of a project, newest first. */
export function Nights({
  project,
  nights,
  atWork,
}: {
  readonly project: string
  readonly nights: readonly SleepNightLine[]
  /** Number of the night in progress. */
  readonly atWork: number | undefined
}) {
  const columns: readonly Column<SleepNightLine>[] = [
    {
      key: 'night',
      name: 'Night',
      header: true,
      cell: ({ number }) => (
        <Link href={`/${encodeURIComponent(project)}/nights/${number}`}>Night {number}</Link>
      ),
    },
    {
      key: 'when',
      name: 'When',
      cell: ({ end, begunAt }) => <time dateTime={end?.at ?? begunAt}>{whenText(end?.at ?? begunAt)}</time>,
    },
    {
      key: 'outcome',
      name: 'Outcome',
      cell: ({ number, end }) => (
        <span className="row">
          {end !== undefined ? (
            <OutcomeWord outcome={end.outcome} simulated={end.simulated} />
          ) : number === atWork ? (
            <Badge tone="info">at work</Badge>
          ) : (
            <Badge tone="warn">no end yet</Badge>
          )}
        </span>
      ),
    },
    {
      key: 'scores',
      name: 'On fresh tasks',
      cell: ({ targets }) => <Scores targets={targets} />,
    },
    { key: 'sessions', name: 'Sessions', align: 'end', cell: ({ end }) => end?.sessions ?? '' },
    { key: 'tasks', name: 'Tasks', align: 'end', cell: ({ end }) => end?.tasks ?? '' },
    {
      key: 'cost',
      name: 'Cost',
      align: 'end',
      cell: ({ end }) => (end === undefined ? '' : costText(end.spent)),
    },
    {
      key: 'proposal',
      name: 'Proposal',
      cell: ({ proposal }) =>
        proposal === undefined ? <span className="muted">none</span> : <ProposalWord state={proposal} />,
    },
  ]
  return (
    <DataTable
      caption="Nights, the newest first"
      columns={columns}
      rows={nights}
      rowKey={({ number }) => String(number)}
      cards
    />
  )
}

function Scores({ targets }: { readonly targets: readonly SleepNightTarget[] }) {
  const tested = targets.flatMap(({ name, test }) => (test === undefined ? [] : [{ name, test }]))
  if (tested.length === 0) return <span className="muted">not tested</span>
  return (
    <ul className="sleep-plain">
      {tested.map(({ name, test }) => (
        <li key={name}>
          {tested.length > 1 && `${name}: `}
          {points(test.before.mean)} → {points(test.after.mean)}
        </li>
      ))}
    </ul>
  )
}
