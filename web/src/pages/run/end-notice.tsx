import { Link } from 'wouter'
import type { RunState } from '../../../../src/core/view/run-state.js'
import type { RunView } from '../../../../src/core/view/run-view.js'
import { earlyEnd } from '../../../../src/core/view/stop-reason.js'
import { visibleLine, when } from '../../parts/format.js'

/** How a run ended and what to do next. Renders nothing while it is running. */
export function EndNotice({
  run,
  view,
  state,
}: {
  readonly run: string
  readonly view: RunView
  readonly state: RunState
}) {
  if (state === 'running') return null
  const early = earlyEnd(view)
  if (state === 'finished') {
    return view.kind === 'train' ? (
      <section className="notice" aria-label="How it ended">
        <p>
          <strong>Finished</strong> {when(view.lastAt)}
          {early === undefined ? '' : `, before its last step: ${visibleLine(early)}`}.
        </p>
        <p className="row">
          <Link href={`~/runs/${encodeURIComponent(run)}/skill?from=seed&to=best`}>
            What changed in the skill
          </Link>
        </p>
      </section>
    ) : null
  }
  const { message, hint } = wordsOf(view, state)
  return (
    <section
      className={state === 'failed' || state === 'unreadable' ? 'notice notice-bad' : 'notice notice-warn'}
      aria-label="How it ended"
    >
      <p>
        <strong>Not finished: {state}</strong> since {when(view.lastAt)}. {visibleLine(message)}
      </p>
      {hint !== undefined && <p>{visibleLine(hint)}</p>}
    </section>
  )
}

function wordsOf(
  view: RunView,
  state: RunState,
): { readonly message: string; readonly hint: string | undefined } {
  if (view.stopped !== undefined) return view.stopped
  if (state === 'killed')
    return {
      message: 'Its process ended without a word.',
      hint: 'Everything up to its last event is kept: resume it, and it goes on from there.',
    }
  return { message: '', hint: undefined }
}
