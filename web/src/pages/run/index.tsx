import { Route, Switch } from 'wouter'
import { type LiveRun, useLiveRun } from '../../api/live.js'
import { bytes } from '../../parts/format.js'
import { Progress } from '../../parts/progress.js'
import { RunNav } from '../../parts/run-nav.js'
import { Failed, Loading, NotFound } from '../../parts/states.js'
import { RunActions } from '../launch/run-actions.js'
import { GatePage } from './gate.js'
import { Overview } from './overview.js'
import { SettingsPage } from './settings.js'
import { SpendingPage } from './spending.js'
import { StepsPage } from './steps.js'
import './run.css'
import './run-lists.css'

/** The page of a run, updated live. */
export default function Page({ run: id }: { readonly run: string }) {
  const live = useLiveRun(id)
  const { run } = live
  if (run === undefined) {
    return (
      <>
        <RunNav run={id} />
        <Opening live={live} />
      </>
    )
  }
  const { view, state } = run
  const summary = { ...run.summary, state }
  return (
    <>
      <RunNav run={id} summary={summary} />
      {live.refusal !== undefined && <Failed error={live.refusal} retry={live.again} />}
      <div className="stack">
        <RunActions summary={summary} view={view} />
        <Switch>
          <Route path="/">
            <Overview run={id} view={view} state={state} />
          </Route>
          <Route path="/gate">
            <StepsPage run={id} view={view} />
          </Route>
          <Route path="/gate/:which">
            {({ which }) => <GatePage run={id} which={which} decided={decisionsIn(run)} />}
          </Route>
          <Route path="/spending">
            <SpendingPage view={view} state={state} />
          </Route>
          <Route path="/settings">
            <SettingsPage config={view.config} sources={view.sources} />
          </Route>
          <Route>
            <NotFound />
          </Route>
        </Switch>
      </div>
    </>
  )
}

function Opening({ live: { refusal, reading, again } }: { readonly live: LiveRun & { again: () => void } }) {
  if (refusal !== undefined) return <Failed error={refusal} retry={again} />
  if (reading === undefined) return <Loading what="the run" />
  return (
    <div className="stack" role="status">
      <p>
        The log of this run is read for the first time ({bytes(reading.of)}). The next time it opens at once.
      </p>
      <Progress
        label="Reading"
        done={Math.round(reading.bytes / 1_000_000)}
        total={Math.max(1, Math.round(reading.of / 1_000_000))}
      />
    </div>
  )
}

/** Number of gate decisions so far. A new decision can change which ones are next to the shown one. */
function decisionsIn({ view }: NonNullable<LiveRun['run']>): number {
  const ofSteps = view.steps.filter(({ gate }) => gate !== undefined).length
  const ofEpochs = view.epochEnds.filter(({ slowUpdateGate }) => slowUpdateGate !== undefined).length
  const atEnd = [view.lastVerdict, view.finalTest].filter(gate => gate !== undefined).length
  return ofSteps + ofEpochs + atEnd
}
