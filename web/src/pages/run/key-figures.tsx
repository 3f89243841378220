import { trialCountsText } from '../../../../src/core/view/edit-evidence.js'
import { mostSteps } from '../../../../src/core/view/most-steps.js'
import type { RunState } from '../../../../src/core/view/run-state.js'
import type { RunView } from '../../../../src/core/view/run-view.js'
import { isFree } from '../../../../src/core/view/simulated-mark.js'
import { elapsed, timeLeft } from '../../../../src/core/view/time-left.js'
import { useNow } from '../../api/live.js'
import {
  count,
  duration,
  knownCost,
  minedText,
  money,
  plural,
  points,
  shortCount,
  signedPoints,
  taskCounts,
  workTime,
} from '../../parts/format.js'
import { Stat, Stats } from '../../parts/stat.js'
import { type Cap, capsOf, costAtEnd } from './caps.js'

/** The key figures: improvement, progress and cost. */
export function KeyFigures({ view, state }: { readonly view: RunView; readonly state: RunState }) {
  const now = useNow(state === 'running')
  const at = state === 'running' ? now : view.lastAt
  const caps = capsOf(view, at)
  return (
    <section className="stack run-figures" aria-label="Key figures">
      <Stats>
        {view.kind === 'train' && <TrainingStats view={view} />}
        {view.kind === 'mine' && view.mining !== undefined && (
          <Stat label="Tasks" value={count(view.mining.written)} note={minedText(view.mining)} />
        )}
        {view.kind !== 'train' && view.kind !== 'mine' && (
          <Stat
            label="Attempts"
            value={count(view.attempts.scored)}
            note={`scored${view.attempts.failed > 0 ? `, ${view.attempts.failed} failed` : ''}`}
          />
        )}
        <CostStat view={view} at={at} isRunning={state === 'running'} />
        <TokenStat view={view} />
        <TimeStat view={view} at={at} isRunning={state === 'running'} />
      </Stats>
      {caps.length > 0 && <Caps caps={caps} />}
      {view.kind !== 'mine' && <p className="small muted">{taskCounts(view)}</p>}
    </section>
  )
}

function TrainingStats({ view }: { readonly view: RunView }) {
  const done = view.steps.filter(({ outcome }) => outcome !== undefined)
  const accepted = done.filter(({ outcome }) => outcome === 'accepted').length
  return (
    <>
      <ValidationStat view={view} />
      <TestStat view={view} />
      <Stat
        label={view.loop === 'trials' ? 'Rounds' : 'Steps'}
        value={`${done.length} of ${mostSteps(view)}`}
        note={view.loop === 'trials' ? trialCountsText(view.trialEdits) : `${accepted} accepted`}
      />
    </>
  )
}

function ValidationStat({ view: { baseline, best } }: { readonly view: RunView }) {
  const initial = baseline !== undefined && baseline.scored > 0 ? baseline.score : undefined
  if (best === undefined) {
    return (
      <Stat
        label="Validation"
        value={initial === undefined ? '–' : points(initial)}
        note="no best skill yet"
      />
    )
  }
  if (initial === undefined) {
    return (
      <Stat
        label="Validation"
        value={points(best.score)}
        note={`best is v${best.version}; the seed has no score`}
      />
    )
  }
  return (
    <Stat
      label="Validation"
      value={`${points(initial)} → ${points(best.score)}`}
      note={`${signedPoints(best.score - initial)} points, best is v${best.version}`}
    />
  )
}

function TestStat({ view }: { readonly view: RunView }) {
  const best = view.tests.find(({ which, scored }) => which === 'best' && scored > 0)
  if (best === undefined)
    return <Stat label="Test" value="–" note={view.tasks.test === 0 ? 'no test tasks' : 'not tested yet'} />
  return (
    <Stat
      label="Test"
      value={points(best.score)}
      note={`95% interval ${points(best.interval.low)} to ${points(best.interval.high)}`}
    />
  )
}

function CostStat({
  view,
  at,
  isRunning,
}: {
  readonly view: RunView
  readonly at: number
  readonly isRunning: boolean
}) {
  if (isFree(view)) return <Stat label="Cost" value="none" note="simulated models" />
  const total = isRunning ? costAtEnd(view, at) : undefined
  return (
    <Stat
      label="Cost"
      value={knownCost(view.spending.total)}
      note={
        total === undefined
          ? plural(view.spending.total.calls, 'call')
          : `about ${money(total)} by the end, at this rate`
      }
    />
  )
}

function TokenStat({ view: { spending } }: { readonly view: RunView }) {
  const { input, output, calls, unknownUsage } = spending.total
  const isUnknown = calls > 0 && unknownUsage === calls
  return (
    <Stat
      label="Tokens"
      value={isUnknown ? 'unknown' : `${unknownUsage > 0 ? '≥ ' : ''}${shortCount(input + output)}`}
      note={plural(calls, 'call')}
    />
  )
}

function TimeStat({
  view,
  at,
  isRunning,
}: {
  readonly view: RunView
  readonly at: number
  readonly isRunning: boolean
}) {
  if (!isRunning) {
    return (
      <Stat
        label="Time at work"
        value={workTime(view)}
        note={view.importedFrom === undefined ? plural(view.sessions, 'session') : 'imported'}
      />
    )
  }
  const left = timeLeft(view, at)
  return (
    <Stat
      label="Time at work"
      value={duration(elapsed(view, at))}
      note={left === undefined ? plural(view.sessions, 'session') : `about ${duration(left)} left`}
    />
  )
}

function Caps({ caps }: { readonly caps: readonly Cap[] }) {
  return (
    <ul className="caps" aria-label="Caps and how much of them is used">
      {caps.map(({ name, used, limit, text }) => (
        <li key={name}>
          <span>Cap: {name.toLowerCase()}</span>
          <progress aria-label={`${name} used`} max={limit} value={Math.min(used, limit)} />
          <span className="muted figures">
            {text(used)} of {text(limit)}
          </span>
        </li>
      ))}
    </ul>
  )
}
