import { useEffect, useState } from 'react'
import type { StopAnswer, StopRequest } from '../../../../src/dashboard/contract/launch.js'
import { postJson } from '../../api/client.js'
import { Dialog } from '../../parts/dialog.js'
import { Refused } from './refused.js'

/**
 * Milliseconds before a process is considered stuck. One that was asked to stop waits for calls that are
 * already paid for.
 */
const patienceMs = 10_000

/** Asks the process to stop first. Killing it is offered only if it keeps running. */
export function Stop({ run, sleep }: { readonly run: string; readonly sleep: boolean }) {
  const [asking, setAsking] = useState<StopRequest['how']>()
  const [askedAt, setAskedAt] = useState<number>()
  const [isLate, setIsLate] = useState(false)
  const [isSending, setIsSending] = useState(false)
  const [error, setError] = useState<unknown>()

  useEffect(() => {
    if (askedAt === undefined) return
    const timer = setTimeout(() => setIsLate(true), patienceMs)
    return () => clearTimeout(timer)
  }, [askedAt])

  const stop = async (how: StopRequest['how']) => {
    setIsSending(true)
    setError(undefined)
    try {
      const request: StopRequest = { how }
      await postJson<StopAnswer>(`/api/runs/${encodeURIComponent(run)}/stop`, request)
      setAskedAt(Date.now())
      setAsking(undefined)
    } catch (problem) {
      setError(problem)
      // If the request to stop failed, killing the process is offered.
      setIsLate(true)
    } finally {
      setIsSending(false)
    }
  }

  const close = () => setAsking(undefined)
  return (
    <>
      {askedAt === undefined ? (
        <button type="button" onClick={() => setAsking('politely')}>
          Stop…
        </button>
      ) : (
        <span role="status" className="muted small">
          Stopping: it ends what it is doing.
        </span>
      )}
      {isLate && (
        <button type="button" className="danger" onClick={() => setAsking('at once')}>
          End at once…
        </button>
      )}
      <Dialog
        open={asking !== undefined}
        onClose={close}
        title={asking === 'at once' ? 'End it at once?' : 'Stop this run?'}
      >
        {asking === 'at once' ? (
          <p>
            Its process is ended, whatever it does. Everything that it has recorded is kept; calls that are
            under way may be charged without leaving a reply.
          </p>
        ) : (
          <p>
            It is asked to stop, as Ctrl-C in its terminal would. Everything so far is kept, and it can be
            resumed later.{sleep ? ' The whole night of Sleep stops with it.' : ''}
          </p>
        )}
        {error !== undefined && <Refused error={error} />}
        <div className="row">
          <button
            type="button"
            className="danger"
            disabled={isSending}
            onClick={() => void stop(asking ?? 'politely')}
          >
            {asking === 'at once' ? 'End at once' : 'Stop'}
          </button>
          <button type="button" onClick={close}>
            Let it run
          </button>
        </div>
      </Dialog>
    </>
  )
}
