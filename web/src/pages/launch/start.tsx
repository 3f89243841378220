import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useRef } from 'react'
import { useLocation } from 'wouter'
import type { LaunchCheckRequest, LaunchForecast } from '../../../../src/dashboard/contract/launch.js'
import { Dialog } from '../../parts/dialog.js'
import { count, shortCount } from '../../parts/format.js'
import { untilBegun } from './begin.js'
import { suggestedCap } from './cap.js'
import { costRange, likelyCost, range } from './forecast.js'
import type { FormState } from './form.js'
import { newKey } from './new-key.js'
import { Refused } from './refused.js'

export interface Starting {
  readonly isPending: boolean
  /**
   * Starts the training. `agreed` is the id of the forecast that the user agreed to, needed if anything may
   * be charged.
   */
  readonly start: (agreed: string | undefined) => void
  /** The error, or where to find a started run that the dashboard does not show. */
  readonly shown: ReactNode
}

/** Starts a training. Clicks with the same settings share an idempotency key until a start succeeds. */
export function useStart(request: LaunchCheckRequest): Starting {
  const [, navigate] = useLocation()
  const wish = useRef<{ readonly of: string; readonly key: string }>(undefined)
  const queries = useQueryClient()
  const mutation = useMutation({
    mutationFn: (agreed: string | undefined) => {
      const wanted = { ...request, ...(agreed === undefined ? {} : { agreed }) }
      const of = JSON.stringify(wanted)
      const key = wish.current?.of === of ? wish.current.key : newKey()
      wish.current = { of, key }
      return untilBegun('/api/launch/start', { ...wanted, key })
    },
    onSuccess: ({ run }) => {
      wish.current = undefined
      if (run !== undefined) navigate(`/runs/${encodeURIComponent(run)}`)
    },
    // The server may have refused because the project changed, so the forecast is requested again.
    onError: () => queries.invalidateQueries({ queryKey: ['launch'] }),
  })
  const { data, error } = mutation
  return {
    isPending: mutation.isPending,
    start: agreed => {
      if (!mutation.isPending) mutation.mutate(agreed)
    },
    shown:
      error !== null ? (
        <Refused error={error} />
      ) : data !== undefined && data.run === undefined ? (
        <p role="status">
          It has begun in <code>{data.directory}</code>, which is not in the folders that this dashboard
          shows: <code>skillopt view</code> without a folder, started in the same place, shows it.
        </p>
      ) : null,
  }
}

/** Asks for confirmation before anything is charged. Shows the forecast and suggests a cap. */
export function StartDialog({
  open,
  close,
  forecast,
  isReady,
  start,
  state,
}: {
  readonly open: boolean
  readonly close: () => void
  readonly forecast: LaunchForecast
  readonly isReady: boolean
  readonly start: Starting
  readonly state: FormState
}) {
  const { total, prices } = forecast
  const cap = suggestedCap(forecast, path => state.check?.values?.[path] !== undefined)
  return (
    <Dialog open={open} onClose={close} title="Start and pay for these calls?">
      <dl className="launch-terms">
        <div>
          <dt>Calls</dt>
          <dd>
            about {count(total.calls.likely)} ({range(total.calls, shortCount)})
          </dd>
        </div>
        <div>
          <dt>Tokens</dt>
          <dd>
            about {shortCount(total.tokens.likely)} ({range(total.tokens, shortCount)})
          </dd>
        </div>
        <div>
          <dt>Cost</dt>
          <dd>
            {likelyCost(total.cost)} ({costRange(total.cost)})
          </dd>
        </div>
        <div>
          <dt>Models</dt>
          <dd>{prices.map(({ role, model }) => `${role} ${model}`).join(', ')}</dd>
        </div>
      </dl>
      {cap !== undefined && (
        <div className="launch-warning">
          <p>Nothing limits what it may spend. A cap stops it before it passes the most that is forecast.</p>
          <p>
            <button type="button" onClick={() => state.set(cap.path, cap.value)}>
              Set a cap of {cap.text}
            </button>
          </p>
        </div>
      )}
      {start.shown}
      <div className="row">
        <button
          type="button"
          className="primary"
          disabled={!isReady || start.isPending}
          onClick={() => start.start(forecast.id)}
        >
          {start.isPending ? 'Starting…' : isReady ? 'Agree and start' : 'Checking…'}
        </button>
        <button type="button" onClick={close}>
          Not now
        </button>
      </div>
    </Dialog>
  )
}
