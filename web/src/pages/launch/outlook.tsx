import { useState } from 'react'
import { flushSync } from 'react-dom'
import type {
  LaunchCheckRequest,
  LaunchForecast,
  LaunchProblem,
} from '../../../../src/dashboard/contract/launch.js'
import { useQuery } from '../../parts/address.js'
import { Badge } from '../../parts/badge.js'
import { visible, visibleLine } from '../../parts/format.js'
import { Failed } from '../../parts/states.js'
import { ForecastDetails, ForecastTotal } from './forecast.js'
import type { FormState } from './form.js'
import { anchorOf } from './option-field.js'
import { Prose } from './prose.js'
import { StartDialog, useStart } from './start.js'
import type { useCheck } from './use-check.js'

/** The panel next to the settings. It shows their problems or their forecast, and the start button. */
export function Outlook({
  request,
  checked,
  state,
}: {
  readonly request: LaunchCheckRequest
  readonly checked: ReturnType<typeof useCheck>
  readonly state: FormState
}) {
  const { check, checkError, forecast, forecastError, isCurrent } = checked
  const [isAsking, setIsAsking] = useState(false)
  const start = useStart(request)
  const problems = check?.problems ?? []
  const isReady = isCurrent && forecast !== undefined && problems.length === 0
  return (
    <aside className="launch-outlook" aria-label="What it would take">
      <section className="panel">
        <div className="spread">
          <h2>{problems.length > 0 ? 'What is wrong' : 'What it would take'}</h2>
          <StateOf forecast={forecast} isReady={isReady} hasProblems={problems.length > 0} />
        </div>
        {checkError !== undefined && <Failed error={checkError} retry={() => void checked.ask()} />}
        {problems.length > 0 ? (
          <Problems problems={problems} state={state} />
        ) : forecastError !== undefined ? (
          <Failed error={forecastError} retry={() => void checked.ask()} />
        ) : forecast === undefined ? (
          checkError === undefined && <p className="muted">Working it out…</p>
        ) : (
          <>
            <ForecastTotal forecast={forecast} />
            <button
              type="button"
              className="primary"
              disabled={!isReady || start.isPending}
              onClick={() => (forecast.free ? start.start(undefined) : setIsAsking(true))}
            >
              {start.isPending ? 'Starting…' : forecast.free ? 'Start training' : 'Start training…'}
            </button>
            {!isAsking && start.shown}
            <ForecastDetails forecast={forecast} choose={preset => state.set('preset', preset)} />
          </>
        )}
      </section>
      {forecast !== undefined && (
        <StartDialog
          open={isAsking}
          close={() => setIsAsking(false)}
          forecast={forecast}
          isReady={isReady}
          start={start}
          state={state}
        />
      )}
    </aside>
  )
}

function StateOf({
  forecast,
  isReady,
  hasProblems,
}: {
  readonly forecast: LaunchForecast | undefined
  readonly isReady: boolean
  readonly hasProblems: boolean
}) {
  return (
    <span role="status">
      {hasProblems ? (
        <Badge tone="bad">not ready</Badge>
      ) : !isReady ? (
        <Badge>checking…</Badge>
      ) : forecast?.free === true ? (
        <Badge tone="good">{forecast.simulated ? 'simulated, free' : 'free'}</Badge>
      ) : (
        <Badge tone="warn">calls paid models</Badge>
      )}
    </span>
  )
}

function Problems({
  problems,
  state,
}: {
  readonly problems: readonly LaunchProblem[]
  readonly state: FormState
}) {
  const [, change] = useQuery()
  const goTo = (path: string) => {
    // A search may hide the option, so the search is cleared before the focus moves to it.
    if (!isThere(path)) flushSync(() => change({ q: undefined, changed: undefined }))
    focusOn(path)
  }
  return (
    <ul className="launch-problems">
      {problems.map(({ path, message, hint }) => (
        <li key={`${path} ${message}`}>
          <span className="launch-message">{visible(message)}</span>
          {hint !== undefined && (
            <p className="muted">
              <Prose text={hint} />
            </p>
          )}
          {path !== undefined && (
            <p className="row">
              {state.paths.has(path) && (
                <button type="button" className="quiet" onClick={() => goTo(path)}>
                  Go to {visibleLine(path)}
                </button>
              )}
              {state.changes[path] !== undefined && (
                <button type="button" className="quiet" onClick={() => state.set(path, undefined)}>
                  Undo the change of {visibleLine(path)}
                </button>
              )}
            </p>
          )}
        </li>
      ))}
    </ul>
  )
}

const isThere = (path: string): boolean => document.getElementById(anchorOf(path)) !== null

function focusOn(path: string): void {
  const place = document.getElementById(anchorOf(path))
  place?.scrollIntoView({ block: 'center' })
  const found = (what: string) => place?.querySelector<HTMLElement>(what)
  const control = found('input, select, textarea') ?? found('button')
  control?.focus()
}
