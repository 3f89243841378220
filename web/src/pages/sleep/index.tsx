import { useQueryClient } from '@tanstack/react-query'
import { Route, Switch } from 'wouter'
import { NotFound } from '../../parts/states.js'
import { LogPage } from './log.js'
import { NightPage } from './night.js'
import { OverviewPage } from './overview.js'
import { Notice } from './parts.js'
import { ProjectsPage } from './projects.js'
import './sleep.css'
import { TaskPage } from './task.js'
import { TasksPage } from './tasks.js'
import { askAgain, useSleepLive } from './use-sleep.js'

/** The pages of Sleep, with what its nights learned from the user's sessions. */
export default function Sleep() {
  const unwatched = useSleepLive()
  const queries = useQueryClient()
  return (
    <>
      {unwatched !== undefined && (
        <Notice tone="warn" title={unwatched}>
          <p>What the page shows may be out of date.</p>
          <p>
            <button type="button" onClick={() => void askAgain(queries)}>
              Look again
            </button>
          </p>
        </Notice>
      )}
      <Switch>
        <Route path="/">
          <ProjectsPage />
        </Route>
        <Route path="/:project">{({ project }) => <OverviewPage key={project} project={project} />}</Route>
        <Route path="/:project/log">{({ project }) => <LogPage project={project} />}</Route>
        <Route path="/:project/tasks">{({ project }) => <TasksPage project={project} />}</Route>
        <Route path="/:project/tasks/:task">
          {({ project, task }) => <TaskPage key={task} project={project} task={task} />}
        </Route>
        <Route path="/:project/nights/:night">
          {({ project, night }) => <NightPage key={night} project={project} night={night} />}
        </Route>
        <Route>
          <NotFound />
        </Route>
      </Switch>
    </>
  )
}
