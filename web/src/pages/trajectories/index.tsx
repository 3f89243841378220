import { Route, Switch } from 'wouter'
import { useLiveRun } from '../../api/live.js'
import { RunNav } from '../../parts/run-nav.js'
import { NotFound } from '../../parts/states.js'
import { AttemptPage } from './attempt.js'
import { ComparePage } from './compare.js'
import { ListPage } from './list.js'
import './trajectories.css'

/** The attempts of a run. The page shows the list, one attempt, or a comparison of two. */
export default function TrajectoriesPage({ run }: { readonly run: string }) {
  const { run: live } = useLiveRun(run)
  const made = live && live.view.attempts.scored + live.view.attempts.failed
  return (
    <>
      <RunNav run={run} {...(live === undefined ? {} : { summary: live.summary })} />
      <Switch>
        <Route path="/">
          <ListPage run={run} made={made} />
        </Route>
        <Route path="/compare">
          <ComparePage run={run} />
        </Route>
        <Route path="/:seq">{({ seq }) => <AttemptPage key={seq} run={run} seq={seq} />}</Route>
        <Route>
          <NotFound />
        </Route>
      </Switch>
    </>
  )
}
