import { useQuery } from '@tanstack/react-query'
import type { OriginDetail } from '../../../../src/dashboard/contract/skill.js'
import { getJson } from '../../api/client.js'
import { Failed, Loading } from '../../parts/states.js'
import { EditDetail } from './edit-detail.js'
import { ConsolidationDetail, SlowUpdateDetail, StepDetail } from './other-origins.js'

/** The known origins of a line: usually one, sometimes several. */
export function Provenance({
  run,
  line,
  origins,
  isTraced,
  close,
}: {
  readonly run: string
  readonly line: number
  readonly origins: readonly string[]
  readonly isTraced: boolean
  readonly close: () => void
}) {
  return (
    <aside className="skill-provenance" id="provenance" aria-labelledby="provenance-title">
      <header className="spread">
        <h2 id="provenance-title">Where line {line} came from</h2>
        <button type="button" className="quiet" onClick={close} aria-label="Close">
          ✕
        </button>
      </header>
      {!isTraced && (
        <p className="small warn">
          The log does not say which edit brought in which line of this text: lines that were not there before
          are told by their step.
        </p>
      )}
      {origins.length === 0 && <p>An empty line: nothing is recorded of it.</p>}
      {origins.map(origin => (
        <Origin key={origin} run={run} origin={origin} />
      ))}
    </aside>
  )
}

function Origin({ run, origin }: { readonly run: string; readonly origin: string }) {
  const path = `/api/runs/${encodeURIComponent(run)}/origins/${encodeURIComponent(origin)}`
  const { data, error, refetch } = useQuery({
    queryKey: ['origin', run, origin],
    queryFn: ({ signal }) => getJson<OriginDetail>(path, signal),
  })
  if (error !== null) return <Failed error={error} retry={() => void refetch()} />
  if (data === undefined) return <Loading what="where it came from" />
  switch (data.kind) {
    case 'edit':
      return <EditDetail run={run} origin={data} />
    case 'slow-update':
      return <SlowUpdateDetail run={run} origin={data} />
    case 'consolidation':
      return <ConsolidationDetail origin={data} />
    case 'step':
      return <StepDetail run={run} origin={data} />
    case 'seed':
      return <Seed {...data} />
    case 'unknown':
      return <p>The log names “{origin}” as its origin and says nothing else of it.</p>
  }
}

function Seed({ forkedFrom, importedFrom }: Extract<OriginDetail, { kind: 'seed' }>) {
  return (
    <section className="stack-small">
      <h3>The seed skill</h3>
      <p>It stood in the skill that the training began with; no step has changed it.</p>
      {forkedFrom !== undefined && <p className="small muted">This run was forked from {forkedFrom}.</p>}
      {importedFrom !== undefined && (
        <p className="small muted">This run was imported from {importedFrom}.</p>
      )}
    </section>
  )
}
