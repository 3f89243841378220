import { Link } from 'wouter'
import type { RunView } from '../../../../src/core/view/run-view.js'
import type { RunSummary } from '../../../../src/dashboard/contract/runs.js'
import { Resume } from './resume.js'
import { Stop } from './stop.js'
import './run-actions.css'

/** Actions on a run: stop, resume or fork it. */
export function RunActions({
  summary,
  view,
}: {
  readonly summary: RunSummary
  readonly view?: RunView | undefined
}) {
  const { id, state, sleep } = summary
  if (state === 'unreadable') return null
  if (state === 'running') {
    return (
      <div className="run-actions">
        <Stop run={id} sleep={sleep !== undefined} />
        <ForkLink summary={summary} view={view} />
      </div>
    )
  }
  if (sleep !== undefined) {
    return (
      <p className="muted small">
        Part of a night of Sleep. {state !== 'finished' && 'To go on with it: '}
        {state !== 'finished' && <code>skillopt sleep run</code>}
      </p>
    )
  }
  return (
    <div className="run-actions">
      {isResumable(summary) && <Resume summary={summary} view={view} />}
      <ForkLink summary={summary} view={view} />
    </div>
  )
}

const isResumable = ({ state, kind, importedFrom }: RunSummary): boolean =>
  kind === 'train' && state !== 'finished' && importedFrom === undefined

function ForkLink({
  summary: { id, kind, sleep },
  view,
}: {
  readonly summary: RunSummary
  readonly view: RunView | undefined
}) {
  if (kind !== 'train' || sleep !== undefined) return null
  const version = view?.best?.version ?? view?.versions.at(-1)?.version ?? 0
  return (
    <Link
      className="button"
      href={`~/launch?fork=${encodeURIComponent(id)}&version=${version}`}
      title="Start a new training from a version of this skill"
    >
      Fork…
    </Link>
  )
}
