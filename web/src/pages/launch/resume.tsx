import { useState } from 'react'
import type { CapName } from '../../../../src/core/errors/errors.js'
import type { RunView } from '../../../../src/core/view/run-view.js'
import type { ResumeRequest } from '../../../../src/dashboard/contract/launch.js'
import type { RunSummary } from '../../../../src/dashboard/contract/runs.js'
import { Dialog } from '../../parts/dialog.js'
import { untilBegun } from './begin.js'
import { caps, typedCaps } from './caps.js'
import { newKey } from './new-key.js'
import { Refused } from './refused.js'

/** Resumes a run with its own settings. The caps may change, because no result depends on them. */
export function Resume({
  summary,
  view,
}: {
  readonly summary: RunSummary
  readonly view: RunView | undefined
}) {
  const [key, setKey] = useState<string>()
  const [isSending, setIsSending] = useState(false)
  const [isSent, setIsSent] = useState(false)
  const [error, setError] = useState<unknown>()
  const [given, setGiven] = useState<Partial<Record<CapName, string>>>({})

  const { limits, problems } = typedCaps(given)
  const isWrong = Object.keys(problems).length > 0

  const resume = async () => {
    if (key === undefined || isWrong) return
    setIsSending(true)
    setError(undefined)
    try {
      const request: ResumeRequest = { key, limits, agreed: true }
      await untilBegun(`/api/runs/${encodeURIComponent(summary.id)}/resume`, request)
      setIsSent(true)
      setKey(undefined)
    } catch (problem) {
      setError(problem)
    } finally {
      setIsSending(false)
    }
  }

  const isCapped = summary.state === 'cap reached'
  return (
    <>
      <button
        type="button"
        className="primary"
        onClick={() => {
          setIsSent(false)
          setKey(newKey())
        }}
      >
        Resume…
      </button>
      {isSent && (
        <span role="status" className="muted small">
          It goes on.
        </span>
      )}
      <Dialog open={key !== undefined} onClose={() => setKey(undefined)} title="Go on with this run?">
        <p>
          It goes on where it stopped, with its own settings, as a process that does not need this dashboard.{' '}
          {summary.simulated ? 'Its models are simulated.' : 'Calls from now on are charged.'}
        </p>
        {isCapped && (
          <p className="warn">It had reached a cap: give a higher one, or it stops again at once.</p>
        )}
        <fieldset className="run-actions-caps">
          <legend>Caps from now on</legend>
          {caps.map(({ name, label, unit }) => (
            <div className="field" key={name}>
              <label htmlFor={`resume-${name}`}>
                {label} ({unit})
              </label>
              <input
                id={`resume-${name}`}
                inputMode="decimal"
                autoComplete="off"
                aria-invalid={problems[name] !== undefined}
                aria-describedby={problems[name] === undefined ? undefined : `resume-${name}-wrong`}
                value={given[name] ?? ''}
                placeholder={String(view?.limits[name] ?? 'no cap')}
                onChange={event => setGiven({ ...given, [name]: event.target.value })}
              />
              {problems[name] !== undefined && (
                <p id={`resume-${name}-wrong`} className="bad small">
                  {label} {problems[name]}.
                </p>
              )}
            </div>
          ))}
        </fieldset>
        {error !== undefined && <Refused error={error} />}
        <div className="row">
          <button
            type="button"
            className="primary"
            disabled={isSending || isWrong}
            onClick={() => void resume()}
          >
            {isSending ? 'Going on…' : 'Resume'}
          </button>
          <button type="button" onClick={() => setKey(undefined)}>
            Not now
          </button>
        </div>
      </Dialog>
    </>
  )
}
