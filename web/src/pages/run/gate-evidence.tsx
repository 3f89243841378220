import { useState } from 'react'
import { Link } from 'wouter'
import type {
  EvidenceChange,
  EvidenceTask,
  GateDetails,
  Repeated,
} from '../../../../src/dashboard/contract/details.js'
import { useQuery } from '../../parts/address.js'
import { Badge } from '../../parts/badge.js'
import { count, plural, points, signedPoints, visibleLine } from '../../parts/format.js'
import { type Column, DataTable } from '../../parts/table.js'
import { attemptsHref, compareHref } from './addresses.js'
import { changeMeanings, changes, changeWords, hasCandidateText } from './gate-words.js'

/** Number of rows shown at first. Thousands would be slow and unreadable. */
const firstShown = 200

/** Compares the candidate with the current skill task by task. `?change=worse` filters the tasks. */
export function Evidence({ run, details }: { readonly run: string; readonly details: GateDetails }) {
  const [query, change] = useQuery()
  const [isWhole, setWhole] = useState(false)
  const { counts, tasks, more } = details
  const chosen = changes.find(each => each === query.get('change'))
  const matching = chosen === undefined ? tasks : tasks.filter(task => task.change === chosen)
  const shown = isWhole ? matching : matching.slice(0, firstShown)
  if (tasks.length === 0) {
    return <p className="muted">Which tasks the gate tried was not recorded.</p>
  }
  return (
    <section className="stack" aria-labelledby="evidence">
      <header className="spread">
        <h3 id="evidence">Task by task</h3>
        <fieldset className="run-choices">
          <legend className="visually-hidden">Which tasks</legend>
          {[undefined, ...changes.filter(each => counts[each] > 0)].map(each => (
            <label key={each ?? 'all'} title={each === undefined ? undefined : changeMeanings[each]}>
              <input
                type="radio"
                name="change"
                checked={each === chosen}
                onChange={() => change({ change: each })}
              />
              <span>
                {each ?? 'all'} <span className="figures muted">{count(countOf(counts, each))}</span>
              </span>
            </label>
          ))}
        </fieldset>
      </header>
      {matching.length === 0 ? (
        <p className="muted">No task of this kind is listed.</p>
      ) : (
        <DataTable
          caption="Tasks under both skills"
          columns={columnsOf(run, details)}
          rows={shown}
          rowKey={({ task }) => task}
          cards
        />
      )}
      {shown.length < matching.length && (
        <p>
          <button type="button" onClick={() => setWhole(true)}>
            Show all {plural(matching.length, 'task')}
          </button>
        </p>
      )}
      {more > 0 && (
        <p className="small muted">
          {plural(more, 'further task')} without a change {more === 1 ? 'is' : 'are'} left out here.{' '}
          <Link href={attemptsHref(run, { stage: 'gate', step: String(details.step) })}>
            All attempts of this gate
          </Link>
        </p>
      )}
    </section>
  )
}

function countOf(counts: GateDetails['counts'], change: EvidenceChange | undefined): number {
  return change === undefined
    ? Object.values(counts).reduce((sum, number) => sum + number, 0)
    : counts[change]
}

function columnsOf(run: string, details: GateDetails): Column<EvidenceTask>[] {
  const { skills, tasks, step } = details
  const isNamed = hasCandidateText(details)
  const hasTypes = tasks.some(({ type }) => type !== '')
  const hasRepeats = tasks.some(({ again }) => again !== undefined)
  const current = skills.version === undefined ? 'current skill' : `current skill (v${skills.version})`
  return [
    {
      key: 'task',
      name: 'task',
      header: true,
      cell: ({ task }) => (
        <Link href={attemptsHref(run, { task })} title="All attempts at it">
          {shortened(task)}
        </Link>
      ),
    },
    ...(hasTypes
      ? [{ key: 'type', name: 'type', cell: ({ type }: EvidenceTask) => visibleLine(type).slice(0, 40) }]
      : []),
    {
      key: 'change',
      name: 'change',
      cell: ({ change }) => {
        const { tone, text, sign } = changeWords[change]
        return (
          <Badge tone={tone} title={changeMeanings[change]}>
            <span aria-hidden="true">{sign}</span> {text}
          </Badge>
        )
      },
    },
    { key: 'current', name: current, align: 'end', cell: task => scoreText(task.current, 'failed') },
    {
      key: 'candidate',
      name: 'candidate',
      align: 'end',
      cell: task => scoreText(task.candidate, task.change === 'untried' ? '–' : 'failed'),
    },
    { key: 'points', name: 'points', align: 'end', cell: differenceText },
    ...(hasRepeats ? [{ key: 'again', name: 'tried again', cell: againText }] : []),
    {
      key: 'attempts',
      name: 'attempts',
      cell: ({ task, change }) => {
        if (change === 'untried') return <span className="muted">with one skill only</span>
        return isNamed ? (
          <Link
            href={compareHref(run, task, skills.current, skills.candidate)}
            aria-label={`side by side: ${shortened(task)}`}
          >
            side by side
          </Link>
        ) : (
          <Link
            href={attemptsHref(run, { task, stage: 'gate', step: String(step) })}
            aria-label={`at the gate: ${shortened(task)}`}
          >
            at the gate
          </Link>
        )
      },
    },
  ]
}

const shortened = (task: string) => visibleLine(task).slice(0, 60)

const scoreText = (score: number | undefined, otherwise: string) =>
  score === undefined ? otherwise : points(score)

function differenceText({ current, candidate }: EvidenceTask): string {
  return current === undefined || candidate === undefined ? '–' : signedPoints(candidate - current)
}

function againText({ again }: EvidenceTask): string {
  if (again === undefined) return ''
  const side = (repeated: Repeated | undefined) =>
    repeated === undefined ? '–' : `${points(repeated.mean)} of ${count(repeated.attempts)}`
  return `${side(again.current)} → ${side(again.candidate)}`
}
