import { Link, Redirect } from 'wouter'
import type { SleepProjectLine, SleepProjects } from '../../../../src/dashboard/contract/sleep.js'
import { Badge } from '../../parts/badge.js'
import { plural } from '../../parts/format.js'
import { PageTitle } from '../../parts/page-title.js'
import { type Column, DataTable } from '../../parts/table.js'
import { OutcomeWord } from './nights.js'
import { Answered } from './parts.js'
import { useSleep } from './use-sleep.js'
import { whenText } from './words.js'

/** The list of projects. If there is only one project, its own page is shown. */
export function ProjectsPage() {
  const query = useSleep<SleepProjects>()
  return (
    <div className="stack">
      <div>
        <PageTitle>Sleep</PageTitle>
        <p className="muted">
          Nights learn from what you keep asking your agents for, and propose it to your skills and memory.
        </p>
      </div>
      <Answered query={query} what="the projects">
        {data => <Projects {...data} />}
      </Answered>
    </div>
  )
}

function Projects({ projects, elsewhere, unknown }: SleepProjects) {
  const [first] = projects
  if (first !== undefined && projects.length === 1 && elsewhere === 0 && unknown.length === 0) {
    return <Redirect to={`/${encodeURIComponent(first.id)}`} replace />
  }
  return (
    <>
      <DataTable caption="Projects" columns={columns} rows={projects} rowKey={({ id }) => id} cards />
      {elsewhere > 0 && (
        <p className="muted">
          Sleep knows {plural(elsewhere, 'more project')}. To see {elsewhere === 1 ? 'it' : 'them'} here,
          start <code>skillopt view</code> in {elsewhere === 1 ? 'it' : 'one of them'}, or in a folder above.
        </p>
      )}
      {unknown.map(folder => (
        <p key={folder} className="warn">
          {folder} does not name its project.
        </p>
      ))}
    </>
  )
}

const columns: readonly Column<SleepProjectLine>[] = [
  {
    key: 'folder',
    name: 'Project',
    header: true,
    cell: ({ id, folder, isHere }) => (
      <>
        <Link href={`/${encodeURIComponent(id)}`}>{folder}</Link>{' '}
        {isHere && <Badge title="The dashboard was started in it.">here</Badge>}
      </>
    ),
  },
  { key: 'last', name: 'Last night', cell: line => <LastNight line={line} /> },
  {
    key: 'waits',
    name: 'Waits for you',
    cell: ({ id, waiting }) =>
      waiting === undefined ? (
        <span className="muted">nothing</span>
      ) : (
        <Link href={`/${encodeURIComponent(id)}/nights/${waiting}`}>the proposal of night {waiting}</Link>
      ),
  },
  {
    key: 'schedule',
    name: 'Schedule',
    cell: ({ schedule }) =>
      schedule === undefined ? (
        <span className="muted">none</span>
      ) : (
        `${schedule.time ?? 'unknown time'}, by ${schedule.system}`
      ),
  },
  {
    key: 'problems',
    name: 'Problems',
    cell: ({ problems }) =>
      problems.length === 0 ? (
        <span className="muted">none</span>
      ) : (
        <Badge tone="bad">{plural(problems.length, 'problem')}</Badge>
      ),
  },
]

function LastNight({ line: { lastNight, openNight, isKnown } }: { readonly line: SleepProjectLine }) {
  if (!isKnown) return <span className="muted">nothing is known of it yet</span>
  return (
    <span className="row">
      {lastNight === undefined ? (
        <span className="muted">none yet</span>
      ) : (
        <>
          <OutcomeWord outcome={lastNight.outcome} simulated={lastNight.simulated} />
          <time dateTime={lastNight.endedAt}>{whenText(lastNight.endedAt)}</time>
        </>
      )}
      {openNight !== undefined && (
        <Badge tone={openNight.isAtWork ? 'info' : 'warn'}>
          night {openNight.number} {openNight.isAtWork ? 'is at work' : 'was stopped'}
        </Badge>
      )}
    </span>
  )
}
