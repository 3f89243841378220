import { memo, useMemo } from 'react'
import { Link } from 'wouter'
import type { RunState } from '../../../../src/core/view/run-state.js'
import type { RunView } from '../../../../src/core/view/run-view.js'
import { Chart } from '../../parts/chart.js'
import { count, points } from '../../parts/format.js'
import { Answer } from './answer.js'
import { wholeSteps } from './axes.js'
import { curvesOf } from './curves.js'
import { EndNotice } from './end-notice.js'
import { Evaluations } from './evaluations.js'
import { KeyFigures } from './key-figures.js'
import { LatestDecisions } from './latest-decisions.js'
import { Mined } from './mined.js'
import { Pipeline } from './pipeline.js'
import { Tests } from './tests.js'
import { TrialEdits } from './trial-edits.js'
import { Trouble } from './trouble.js'

/** Progress and results of a run. Sections that do not apply to its kind are left out. */
export function Overview({
  run,
  view,
  state,
}: {
  readonly run: string
  readonly view: RunView
  readonly state: RunState
}) {
  const isTraining = view.kind === 'train'
  return (
    <div className="stack">
      <Answer run={run} view={view} />
      <EndNotice run={run} view={view} state={state} />
      {state !== 'finished' && <Pipeline view={view} isRunning={state === 'running'} />}
      <KeyFigures view={view} state={state} />
      {view.loop === 'trials' && <TrialEdits trialEdits={view.trialEdits} />}
      {isTraining && <ScoreChart view={view} />}
      {isTraining && <LatestDecisions run={run} steps={view.steps} isRunning={state === 'running'} />}
      {view.tests.length > 0 && <Tests tests={view.tests} comparison={view.comparison} />}
      {!isTraining && view.evaluations.length > 0 && (
        <Evaluations run={run} count={view.evaluations.length} skills={view.skills} />
      )}
      {view.kind === 'mine' && <Mined run={run} done={minedIn(view)} mining={view.mining} />}
      <Trouble view={view} />
      {!isTraining && view.kind !== 'mine' && (
        <p>
          <Link href={`~/runs/${encodeURIComponent(run)}/trajectories`}>All attempts</Link> are there to be
          read, with what was said in them.
        </p>
      )}
    </div>
  )
}

/** Number of mining items processed so far. */
function minedIn({ stages }: RunView): number {
  return stages.reduce((sum, { stage, done }) => sum + (stage === 'mine' || stage === 'dream' ? done : 0), 0)
}

const ScoreChart = memo(
  function ScoreChart({ view }: { readonly view: RunView }) {
    const { series, baseline, steps, tests, best } = view
    const curves = useMemo(
      () => curvesOf({ series, baseline, steps, tests, best }),
      [series, baseline, steps, tests, best],
    )
    return (
      <Chart
        title="Scores by step"
        xName="step"
        yName="score"
        series={curves}
        yText={points}
        xText={count}
        xSteps={wholeSteps}
        height={300}
      />
    )
  },
  // Calls and attempts arrive by the hundred, but they do not change a curve.
  (before, after) =>
    before.view.series === after.view.series &&
    before.view.steps === after.view.steps &&
    before.view.tests === after.view.tests,
)
