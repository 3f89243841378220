import { lazy, Suspense } from 'react'
import { Route, Switch, useLocation } from 'wouter'
import { expectRun } from './api/live.js'
import { ErrorBoundary } from './parts/error-boundary.js'
import { PageTitle } from './parts/page-title.js'
import { Loading, NotFound } from './parts/states.js'
import { Shell } from './shell/shell.js'

// Each page is loaded at its first use, so that the run list need not wait for the code of other pages.
const Runs = lazy(() => import('./pages/runs/index.js'))
const Compare = lazy(() => import('./pages/runs/compare.js'))
const loadRun = () => import('./pages/run/index.js')
const Run = lazy(loadRun)
const Skill = lazy(() => import('./pages/skill/index.js'))
const Trajectories = lazy(() => import('./pages/trajectories/index.js'))
const Launch = lazy(() => import('./pages/launch/index.js'))
const Sleep = lazy(() => import('./pages/sleep/index.js'))

/** If the URL names a run, its page and its log are loaded in parallel. */
const [, wanted] = /^\/runs\/([\w.-]+)\/?$/.exec(location.pathname) ?? []
if (wanted !== undefined) {
  expectRun(wanted)
  // The error occurs again when the page is rendered, and is reported there.
  loadRun().catch(() => undefined)
}

export function App() {
  const [location] = useLocation()
  return (
    <Shell>
      <ErrorBoundary place={location}>
        <Suspense fallback={<Loading what="the page" />}>
          <Switch>
            <Route path="/">
              <Runs />
            </Route>
            <Route path="/compare">
              <Compare />
            </Route>
            <Route path="/launch">
              <Launch />
            </Route>
            <Route path="/sleep" nest>
              <Sleep />
            </Route>
            <Route path="/runs/:run/skill">{({ run }) => <Skill run={run} />}</Route>
            <Route path="/runs/:run/trajectories" nest>
              {({ run }) => <Trajectories run={run} />}
            </Route>
            <Route path="/runs/:run" nest>
              {({ run }) => <Run run={run} />}
            </Route>
            <Route>
              <PageTitle>Nothing here</PageTitle>
              <NotFound />
            </Route>
          </Switch>
        </Suspense>
      </ErrorBoundary>
    </Shell>
  )
}
