import { useQuery as useServer } from '@tanstack/react-query'
import { useCallback, useEffect } from 'react'
import type {
  LaunchForkForm,
  LaunchOptions,
  LaunchProject,
  LaunchProjects,
} from '../../../../src/dashboard/contract/launch.js'
import { getJson } from '../../api/client.js'
import { useQuery } from '../../parts/address.js'
import { visibleLine } from '../../parts/format.js'
import { PageTitle } from '../../parts/page-title.js'
import { Failed, Loading } from '../../parts/states.js'
import { changesFromParams, changesToParams } from './changes.js'
import { isAsInRun, versionOf } from './fork.js'
import { LaunchForm } from './form.js'
import './launch.css'

/** The page for starting a training: project, settings and forecast. */
export default function Launch() {
  const projects = useServer({
    queryKey: ['launch', 'projects'],
    queryFn: ({ signal }) => getJson<LaunchProjects>('/api/launch/projects', signal),
  })
  const options = useServer({
    queryKey: ['launch', 'options'],
    queryFn: ({ signal }) => getJson<LaunchOptions>('/api/launch/options', signal),
    staleTime: Number.POSITIVE_INFINITY,
  })
  return (
    <div className="stack launch">
      <div>
        <PageTitle>Train a skill</PageTitle>
        <p className="muted">
          A training runs as a process of its own: it goes on when this dashboard is closed.
        </p>
      </div>
      {projects.isError && <Failed error={projects.error} retry={() => void projects.refetch()} />}
      {options.isError && <Failed error={options.error} retry={() => void options.refetch()} />}
      {projects.data !== undefined && options.data !== undefined ? (
        <Chosen projects={projects.data} options={options.data} />
      ) : (
        (projects.isPending || options.isPending) && <Loading what="the projects" />
      )}
    </div>
  )
}

function Chosen({
  projects: { projects, isCut },
  options,
}: {
  readonly projects: LaunchProjects
  readonly options: LaunchOptions
}) {
  const [query, change] = useQuery()
  const forked = query.get('fork') ?? undefined
  const fork = useServer({
    queryKey: ['launch', 'fork', forked],
    queryFn: ({ signal }) =>
      getJson<LaunchForkForm>(`/api/launch/forks/${encodeURIComponent(forked ?? '')}`, signal),
    enabled: forked !== undefined,
  })
  const isOpened = query.has('project')
  const takeSettings = useCallback(
    (form: LaunchForkForm) => change({ project: form.project, set: changesToParams(form.changes) }),
    [change],
  )
  // Runs once, when a fork is opened. Afterwards the URL holds the user's changes.
  useEffect(() => {
    if (fork.data !== undefined && !isOpened) takeSettings(fork.data)
  }, [fork.data, isOpened, takeSettings])

  if (forked !== undefined && fork.isError)
    return <Failed error={fork.error} retry={() => void fork.refetch()} />
  if (forked !== undefined && (fork.data === undefined || !isOpened))
    return <Loading what="the settings of the run" />
  const wanted = query.get('project') ?? projects[0]?.id
  const project = projects.find(({ id }) => id === wanted)
  return (
    <>
      <section className="panel" aria-label="Project">
        {fork.data === undefined ? (
          <ProjectChoice
            projects={projects}
            isCut={isCut}
            chosen={project?.id}
            choose={id => change({ project: id, set: undefined }, { push: true })}
          />
        ) : (
          <ForkChoice
            fork={fork.data}
            project={project}
            version={versionOf(fork.data, query.get('version'))}
            choose={version => change({ version: String(version) })}
            isUnchanged={isAsInRun(fork.data, project?.id, changesFromParams(query.getAll('set')))}
            takeSettings={() => takeSettings(fork.data)}
          />
        )}
      </section>
      {project === undefined ? (
        <p role="alert">The project of this address is not here any more. Choose another one.</p>
      ) : (
        <LaunchForm
          key={project.id}
          project={project}
          options={options}
          fork={
            forked === undefined || fork.data === undefined
              ? undefined
              : { run: forked, version: versionOf(fork.data, query.get('version')) }
          }
        />
      )}
    </>
  )
}

function ProjectChoice({
  projects,
  isCut,
  chosen,
  choose,
}: {
  readonly projects: readonly LaunchProject[]
  readonly isCut: boolean
  readonly chosen: string | undefined
  readonly choose: (id: string) => void
}) {
  const hasOwn = projects.some(({ bundled }) => !bundled)
  return (
    <>
      <div className="field">
        <label htmlFor="launch-project">Project</label>
        <select id="launch-project" value={chosen ?? ''} onChange={event => choose(event.target.value)}>
          {chosen === undefined && <option value="">Choose one</option>}
          {projects.map(({ id, name, folder, bundled }) => (
            <option key={id} value={id}>
              {bundled
                ? `${name} — the bundled example: simulated, free`
                : visibleLine(`${name} — ${folder}`)}
            </option>
          ))}
        </select>
      </div>
      {!hasOwn && (
        <p className="muted small">
          No project of yours was found at or below the folder of the dashboard. <code>skillopt init</code>{' '}
          makes one; until then, the bundled example shows how a training goes, without a key or cost.
        </p>
      )}
      {isCut && <p className="muted small">There are more projects than are listed here.</p>}
    </>
  )
}

function ForkChoice({
  fork,
  project,
  version,
  choose,
  isUnchanged,
  takeSettings,
}: {
  readonly fork: LaunchForkForm
  readonly project: LaunchProject | undefined
  readonly version: number
  readonly choose: (version: number) => void
  readonly isUnchanged: boolean
  readonly takeSettings: () => void
}) {
  return (
    <>
      <p>
        A new training of <strong>{visibleLine(project?.name ?? 'its project')}</strong> that starts from a
        skill of <strong>{visibleLine(fork.name)}</strong>
        {isUnchanged ? ', with the settings of that run.' : ', with settings of its own.'}
      </p>
      {!isUnchanged && (
        <p>
          <button type="button" onClick={takeSettings}>
            Take the settings of {visibleLine(fork.name)}
          </button>
        </p>
      )}
      <div className="field">
        <label htmlFor="launch-version">Start from version</label>
        <select id="launch-version" value={version} onChange={event => choose(Number(event.target.value))}>
          {fork.versions.map(({ version: number, score, best }) => (
            <option key={number} value={number}>
              v{number}
              {number === 0 ? ' (the seed)' : ''}
              {score === undefined ? '' : ` — ${(100 * score).toFixed(1)}% on validation`}
              {best ? ', the best' : ''}
            </option>
          ))}
        </select>
      </div>
    </>
  )
}
