import { useQuery as useFetched } from '@tanstack/react-query'
import type { SkillVersions } from '../../../../src/dashboard/contract/skill.js'
import { getJson } from '../../api/client.js'
import { useLiveRun } from '../../api/live.js'
import { useQuery, withChange } from '../../parts/address.js'
import { visibleLine } from '../../parts/format.js'
import { RunNav } from '../../parts/run-nav.js'
import { Empty, Failed, Loading } from '../../parts/states.js'
import { Actions } from './actions.js'
import { Changes } from './changes.js'
import { Reading } from './reading.js'
import './skill.css'
import { scoreText, Timeline } from './timeline.js'
import { comparedWith, findVersion } from './versions.js'

/**
 * The skill page: a timeline of versions, the text of a version with the origin of each line, and the diff of
 * two versions.
 */
export default function SkillPage({ run }: { readonly run: string }) {
  const { run: live } = useLiveRun(run)
  // Signature of the version list. The list changes only with a step or a slow update.
  const mark = live && `${live.view.versions.length} ${live.view.step} ${live.view.best?.skill} ${live.state}`
  const { data, error, refetch } = useFetched({
    queryKey: ['versions', run, mark],
    queryFn: ({ signal }) => getJson<SkillVersions>(`/api/runs/${encodeURIComponent(run)}/versions`, signal),
    placeholderData: before => before,
  })
  return (
    <>
      <RunNav run={run} {...(live === undefined ? {} : { summary: live.summary })} />
      {error !== null ? (
        <Failed error={error} retry={() => void refetch()} />
      ) : data === undefined ? (
        <Loading what="the versions" />
      ) : data.versions.length === 0 ? (
        <Empty title="This run has no skill.">
          <p>It mines tasks, or has only just begun: the first version appears here by itself.</p>
        </Empty>
      ) : (
        <Versions run={run} list={data} />
      )}
    </>
  )
}

const views = ['source', 'rendered', 'changes'] as const
type View = (typeof views)[number]

function Versions({ run, list }: { readonly run: string; readonly list: SkillVersions }) {
  const [query, change] = useQuery()
  const { versions } = list
  const named = (name: string | null) => (name === null ? undefined : findVersion(list, name))
  const to = named(query.get('to')) ?? named(list.best ?? null) ?? versions[0]
  const from = named(query.get('from'))
  const asked = views.find(each => each === query.get('as'))
  const view: View = asked ?? (from === undefined ? 'source' : 'changes')
  const hrefOf = (id: string) => `?${withChange(query, { to: id })}`
  if (to === undefined) return null
  const unknown = [query.get('to'), query.get('from')].find(
    name => name !== null && named(name) === undefined,
  )
  return (
    <div className="stack">
      <Timeline versions={versions} shown={to.id} hrefOf={hrefOf} />
      {unknown !== undefined && (
        <p className="warn" role="status">
          This run has no version “{visibleLine(unknown ?? '')}”: {to.name} is shown.
        </p>
      )}
      <section className="stack" aria-labelledby="skill-version">
        <header className="spread">
          <div>
            <h2 id="skill-version">
              {visibleLine(to.name)} <span className="muted figures">{scoreText(to)}</span>
            </h2>
            <p className="small muted">{visibleLine(to.because)}</p>
          </div>
          <div className="row">
            <fieldset className="skill-views">
              <legend className="visually-hidden">Show</legend>
              {views.map(each => (
                <label key={each}>
                  <input
                    type="radio"
                    name="view"
                    checked={each === view}
                    onChange={() =>
                      change({
                        as: each,
                        ...(each === 'changes' ? { from: from?.id ?? comparedWith(versions, to) } : {}),
                      })
                    }
                  />
                  <span>{{ source: 'Source', rendered: 'Rendered', changes: 'Changes' }[each]}</span>
                </label>
              ))}
            </fieldset>
            {to.hasText && <Actions run={run} version={to} />}
          </div>
        </header>
        {view === 'changes' ? (
          <Changes run={run} versions={versions} from={from?.id ?? comparedWith(versions, to)} to={to.id} />
        ) : (
          <Reading run={run} version={to} as={view} />
        )}
      </section>
    </div>
  )
}
