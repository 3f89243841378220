import { mostSteps } from '../../../../src/core/view/most-steps.js'
import type { RunView, StageProgress } from '../../../../src/core/view/run-view.js'
import { rateOf } from '../../../../src/core/view/time-left.js'
import { useNow } from '../../api/live.js'
import { duration, plural, shortCount } from '../../parts/format.js'

type StageName = StageProgress['stage']

/** Stages of a step. All are always shown, so that the layout does not jump. */
const stepStages: readonly StageName[] = ['rollout', 'reflect', 'aggregate', 'select', 'gate']

const does: Readonly<Record<StageName, string>> = {
  baseline: 'tries the current skill on validation',
  rollout: 'tries tasks with the skill',
  reflect: 'reads what went wrong and right',
  aggregate: 'merges what was proposed',
  select: 'picks edits within the budget',
  update: 'applies the edits',
  gate: 'compares the candidate on validation',
  'slow-update': 'compares with an epoch ago',
  'meta-skill': 'writes the optimizer’s notebook',
  'one-shot': 'writes a skill in one go',
  test: 'tries skills on unseen tasks',
  mine: 'makes tasks of what recurs',
  dream: 'varies tasks',
}

/** The stages of the current step and their progress. */
export function Pipeline({ view, isRunning }: { readonly view: RunView; readonly isRunning: boolean }) {
  const now = useNow(isRunning)
  const rows = rowsOf(view)
  return (
    <section className="panel" aria-labelledby="pipeline">
      <header className="spread">
        <h2 id="pipeline">{isRunning ? 'At work' : 'Where it stopped'}</h2>
        <p className="muted figures">{placeText(view)}</p>
      </header>
      {rows.length === 0 ? (
        <p className="muted">{isRunning ? 'Starting: nothing has been tried yet.' : 'Nothing had begun.'}</p>
      ) : (
        <ol className="pipeline">
          {rows.map(({ name, progress }) => (
            <Stage
              key={name}
              name={name}
              progress={progress}
              now={isRunning ? now : undefined}
              isRunning={isRunning}
            />
          ))}
        </ol>
      )}
      {isRunning && <Waiting view={view} now={now} />}
    </section>
  )
}

function placeText(view: RunView): string {
  if (view.steps.length === 0) return view.stage ?? ''
  return `step ${view.step} of at most ${mostSteps(view)} · epoch ${Math.max(1, view.epoch)} of ${view.epochs}`
}

function rowsOf(view: RunView): { readonly name: StageName; readonly progress: StageProgress | undefined }[] {
  const inStep = view.steps.length > 0 && view.steps.at(-1)?.step === view.step
  const fixed = inStep ? stepStages : []
  const others = view.stages.filter(({ stage }) => !fixed.includes(stage))
  return [
    ...fixed.map(name => ({ name, progress: view.stages.find(({ stage }) => stage === name) })),
    ...others.map(progress => ({ name: progress.stage, progress })),
  ]
}

function Stage({
  name,
  progress,
  now,
  isRunning,
}: {
  readonly name: StageName
  readonly progress: StageProgress | undefined
  readonly now: number | undefined
  readonly isRunning: boolean
}) {
  const state =
    progress === undefined ? 'waits' : progress.finished ? 'done' : isRunning ? 'at work' : 'begun'
  return (
    <li
      className={`stage stage-${state.replace(' ', '-')}`}
      aria-current={state === 'at work' ? 'step' : undefined}
    >
      <span className="stage-name">
        <span aria-hidden="true" className="stage-mark">
          {{ waits: '○', done: '✓', 'at work': '●', begun: '◐' }[state]}
        </span>
        {name}
      </span>
      <span className="stage-state small muted">{state === 'at work' ? does[name] : state}</span>
      <StageBar name={name} progress={progress} />
      <span className="small figures muted stage-figures">
        {progress === undefined ? '' : figuresOf(progress, now)}
      </span>
    </li>
  )
}

function StageBar({
  name,
  progress,
}: {
  readonly name: StageName
  readonly progress: StageProgress | undefined
}) {
  if (progress === undefined) return <span className="stage-bar" />
  const { done, total, finished } = progress
  if (total === 0 && !finished) return <progress className="stage-bar" aria-label={name} />
  return (
    <progress
      className="stage-bar"
      aria-label={name}
      max={Math.max(1, total)}
      value={finished ? Math.max(1, total) : done}
    />
  )
}

/** Text with progress, rate and remaining time. Without `now` it contains only the progress. */
export function figuresOf(progress: StageProgress, now: number | undefined): string {
  const { done, total, failed, finished } = progress
  const rate = finished || now === undefined ? undefined : rateOf(progress, now)
  return [
    total === 0 ? plural(done, 'call') : `${shortCount(done)} / ${shortCount(total)}`,
    ...(rate === undefined ? [] : [rateText(rate)]),
    ...(rate === undefined || total === 0 ? [] : [`${duration(((total - done) / rate) * 1000)} left`]),
    ...(failed === 0 ? [] : [`${failed} failed`]),
  ].join(' · ')
}

function rateText(rate: number): string {
  if (rate >= 1) return `${rate < 10 ? rate.toFixed(1) : Math.round(rate)} per s`
  return rate >= 1 / 60 ? `${Math.round(rate * 60)} per min` : `${Math.round(rate * 3600)} per h`
}

/**
 * Milliseconds without progress after which the page says how long it has waited. An agent may spend minutes
 * on one attempt.
 */
const quietMs = 20_000

function Waiting({ view, now }: { readonly view: RunView; readonly now: number }) {
  const quiet = now - view.lastAt
  if (view.callsInFlight === 0 && quiet < quietMs) return null
  return (
    <p className="small muted figures">
      {plural(view.callsInFlight, 'call')} in flight
      {quiet < quietMs ? '' : `, last event ${duration(quiet)} ago`}
    </p>
  )
}
