import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { Link } from 'wouter'
import type { Interval } from '../../../../src/core/statistics/intervals.js'
import { gateChangeText, gateScoreText } from '../../../../src/core/view/gate-estimate.js'
import type { GateDetails } from '../../../../src/dashboard/contract/details.js'
import { getJson } from '../../api/client.js'
import { Badge } from '../../parts/badge.js'
import { Chart } from '../../parts/chart.js'
import { plainNumber } from '../../parts/chart-data.js'
import { count, points, signedPoints, visible, when } from '../../parts/format.js'
import { Stat, Stats } from '../../parts/stat.js'
import { Failed, Loading } from '../../parts/states.js'
import { attemptsHref, changesHref, epochHref, gateHref, stepHref } from './addresses.js'
import { wholeSteps } from './axes.js'
import { Evidence } from './gate-evidence.js'
import {
  consequenceOf,
  decisionWord,
  hasCandidateText,
  stopSentences,
  subjectOf,
  thinned,
  wordsOfName,
} from './gate-words.js'
import { IntervalBar } from './interval-bar.js'

/**
 * One gate decision with its evidence. `decided` is the number of decisions so far; the page is fetched again
 * when it changes.
 */
export function GatePage({
  run,
  which,
  decided,
}: {
  readonly run: string
  readonly which: string
  readonly decided: number
}) {
  const path = `/api/runs/${encodeURIComponent(run)}/gates/${encodeURIComponent(which)}`
  const { data, error, refetch } = useQuery({
    queryKey: ['gate', run, which, decided],
    queryFn: ({ signal }) => getJson<GateDetails>(path, signal),
    placeholderData: (before, query) => (query?.queryKey[2] === which ? before : undefined),
  })
  if (error !== null) {
    return (
      <div className="stack">
        <p>
          <Link href="/gate">All steps, edits and decisions</Link>
        </p>
        <Failed error={error} retry={() => void refetch()} />
      </div>
    )
  }
  if (data === undefined) return <Loading what="the decision" />
  return <Decision run={run} details={data} />
}

function Decision({ run, details }: { readonly run: string; readonly details: GateDetails }) {
  const { gate, skills, rule, decidedAt } = details
  const word = decisionWord(gate)
  return (
    <article className="stack" aria-labelledby="decision">
      <header className="run-tight">
        <div className="spread">
          <div className="row">
            <h2 id="decision">{subjectOf(details)}</h2>
            <Badge tone={word.tone}>{word.text}</Badge>
          </div>
          <Neighbours run={run} details={details} />
        </div>
        <p>{consequenceOf(details)}</p>
        <p className="small muted">
          Decided {when(decidedAt)}
          {rule === '' ? '' : ` by the gate “${visible(rule)}”`}, in epoch {details.epoch}.
        </p>
      </header>
      <DecisionFigures details={details} />
      <section className="panel" aria-labelledby="stopped">
        <h3 id="stopped">When it stopped, and why</h3>
        <p className="run-words">{visible(gate.verdict.reason)}</p>
        <ul className="run-list small">
          {stopSentences(details).map(sentence => (
            <li key={sentence}>{sentence}</li>
          ))}
        </ul>
        <Course course={details.course} />
      </section>
      <p className="row">
        {hasCandidateText(details) && (
          <Link href={changesHref(run, skills.current, skills.candidate)}>
            What the candidate changes in the skill
          </Link>
        )}
        {details.what === 'slow-update' ? (
          <Link href={epochHref(run, details.epoch)}>The end of epoch {details.epoch}</Link>
        ) : (
          details.step > 0 && <Link href={stepHref(run, details.step)}>The edits of step {details.step}</Link>
        )}
        {hasCandidateText(details) && (
          <Link href={attemptsHref(run, { skill: skills.candidate, stage: 'gate' })}>
            All attempts at the gate with it
          </Link>
        )}
      </p>
      <Evidence run={run} details={details} />
    </article>
  )
}

function Neighbours({
  run,
  details: { previous, next },
}: {
  readonly run: string
  readonly details: GateDetails
}) {
  return (
    <nav className="row" aria-label="Decisions">
      {previous !== undefined && (
        <Link href={gateHref(run, previous)} rel="prev">
          ← {wordsOfName(previous)}
        </Link>
      )}
      <Link href="/gate">all</Link>
      {next !== undefined && (
        <Link href={gateHref(run, next)} rel="next">
          {wordsOfName(next)} →
        </Link>
      )}
    </nav>
  )
}

function DecisionFigures({ details }: { readonly details: GateDetails }) {
  const { gate, counts, seen } = details
  const { verdict, current } = gate
  return (
    <Stats>
      <Stat
        label="Validation"
        value={`${points(current)} → ${gateScoreText(gate)}`}
        note={`${gateChangeText(gate)} points`}
      />
      <Stat label="Got better" value={<span className="good">↑ {count(counts.better)}</span>} note="tasks" />
      <Stat label="Got worse" value={<span className="bad">↓ {count(counts.worse)}</span>} note="tasks" />
      <EffectStat label="Effect, as the gate sees it" effect={verdict.effect} />
      {isOther(seen, verdict.effect) && <EffectStat label="Over the tasks tried with both" effect={seen} />}
    </Stats>
  )
}

/** Whether the observed change differs from the gate's own estimate. If not, only one of them is shown. */
function isOther(seen: Interval | undefined, effect: Interval | undefined): boolean {
  if (seen === undefined) return false
  return effect === undefined || signedPoints(seen.mean) !== signedPoints(effect.mean)
}

function EffectStat({ label, effect }: { readonly label: string; readonly effect: Interval | undefined }) {
  if (effect === undefined) return <Stat label={label} value="–" note="this gate does not say" />
  const reach = Math.max(0.05, Math.abs(effect.low), Math.abs(effect.high)) * 1.1
  return (
    <Stat
      label={label}
      value={`${signedPoints(effect.mean)} points`}
      note={<IntervalBar {...effect} from={-reach} to={reach} text={signedPoints} />}
    />
  )
}

/** Chart of the evidence, summed up task by task. Omitted for one or two tasks. */
function Course({ course }: { readonly course: readonly number[] }) {
  const series = useMemo(
    () => [
      { name: 'nothing gained, nothing lost', tone: 'eighth' as const, points: axisOf(course.length) },
      { name: 'summed change', tone: 'validation' as const, points: thinned(course) },
    ],
    [course],
  )
  if (course.length < 3) return null
  return (
    <Chart
      title="Summed change, task after task"
      xName="tasks tried with the candidate"
      yName="tasks gained"
      series={series}
      xText={count}
      xSteps={wholeSteps}
      yText={plainNumber}
      height={200}
    />
  )
}

const axisOf = (tasks: number) => [
  { x: 1, y: 0 },
  { x: tasks, y: 0 },
]
