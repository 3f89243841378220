import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { Link } from 'wouter'
import type { SleepChanged, SleepReceipt, SleepUndo } from '../../../../src/dashboard/contract/sleep.js'
import { forceHint } from '../../../../src/sleep/model/wording.js'
import { ApiError, postJson } from '../../api/client.js'
import { Badge } from '../../parts/badge.js'
import { Dialog } from '../../parts/dialog.js'
import { Refusal } from './parts.js'
import { askAgain, sleepPath } from './use-sleep.js'
import { whenText } from './words.js'

/**
 * Result of the change just made to the files. It takes the focus, because the pressed button may be gone.
 */
export function Done({ changed }: { readonly changed: SleepChanged }) {
  const box = useRef<HTMLDivElement>(null)
  const { receipt, settled } = changed
  useEffect(() => {
    // The focus moves after a delay, because a dialog that closes now first returns it to its button.
    const timer = setTimeout(() => box.current?.focus())
    return () => clearTimeout(timer)
  }, [receipt.number])
  return (
    <div ref={box} tabIndex={-1} className="sleep-notice sleep-notice-good">
      <strong>{receipt.kind === 'adopt' ? `Adopted, ${receipt.label}.` : 'Taken back.'}</strong>
      <Files receipt={receipt} />
      {receipt.kind === 'adopt' && (
        <p>It can be taken back as long as it is the newest adoption: “Take back…” below.</p>
      )}
      {settled !== undefined && <p>Before that: {settled}</p>}
    </div>
  )
}

function Files({ receipt: { files } }: { readonly receipt: SleepReceipt }) {
  if (files.length === 0) return <p>No file had to be changed.</p>
  return (
    <ul className="sleep-plain">
      {files.map(({ path, how }) => (
        <li key={path}>
          <code>{path}</code>: {how}
        </li>
      ))}
    </ul>
  )
}

/** Adoptions and undos with their files. The newest adoption in effect can be undone. */
export function Receipts({
  project,
  receipts,
  onDone,
}: {
  readonly project: string
  readonly receipts: readonly SleepReceipt[]
  readonly onDone: (changed: SleepChanged) => void
}) {
  return (
    <ol className="sleep-receipts">
      {receipts.map(receipt => (
        <li key={receipt.number} className="panel">
          <div className="spread">
            <div className="row">
              <strong>{nameOf(receipt)}</strong>
              <time className="muted" dateTime={receipt.at}>
                {whenText(receipt.at)}
              </time>
              {receipt.kind === 'adopt' && <Marks receipt={receipt} />}
              {receipt.night !== undefined && (
                <Link href={`/${encodeURIComponent(project)}/nights/${receipt.night}`}>
                  Night {receipt.night}
                </Link>
              )}
            </div>
            {receipt.stands && receipt.isNewest && (
              <Undo project={project} receipt={receipt} onDone={onDone} />
            )}
          </div>
          <Files receipt={receipt} />
          {receipt.kind === 'adopt' && receipt.edits !== undefined && (
            <p className="small muted">Single edits: {receipt.edits.join(', ')}</p>
          )}
          {receipt.stands && !receipt.isNewest && (
            <p className="small muted">
              A newer adoption stands. They are taken back one after the other, the newest first.
            </p>
          )}
        </li>
      ))}
    </ol>
  )
}

const nameOf = ({ number, kind, undoes }: SleepReceipt): string =>
  kind === 'adopt' ? `Adoption ${number}` : `Adoption ${undoes ?? ''} was taken back`

function Marks({ receipt: { label, stands } }: { readonly receipt: SleepReceipt }) {
  return (
    <>
      {label === 'measured' ? (
        <Badge tone="good" title="A night measured exactly what was written.">
          measured
        </Badge>
      ) : (
        <Badge tone="warn" title="Nobody measured exactly what was written.">
          unmeasured
        </Badge>
      )}
      {stands ? <Badge tone="info">stands</Badge> : <Badge>taken back</Badge>}
    </>
  )
}

/**
 * The undo button. Forcing is offered only if the server reports that the user has since edited the part that
 * Sleep wrote.
 */
function Undo({
  project,
  receipt,
  onDone,
}: {
  readonly project: string
  readonly receipt: SleepReceipt
  readonly onDone: (changed: SleepChanged) => void
}) {
  const [isAsking, setAsking] = useState(false)
  const queries = useQueryClient()
  const undo = useMutation({
    mutationFn: (force: boolean) => {
      const body: SleepUndo = { receipt: receipt.number, force }
      return postJson<SleepChanged>(sleepPath(project, 'undo'), body)
    },
    onSuccess: changed => {
      setAsking(false)
      onDone(changed)
    },
    // Data is fetched again even after a refusal, because the page may be out of date.
    onSettled: () => askAgain(queries),
  })
  const mayInsist = undo.error instanceof ApiError && undo.error.hint === forceHint
  const close = () => {
    setAsking(false)
    undo.reset()
  }
  return (
    <>
      <button type="button" onClick={() => setAsking(true)}>
        Take back…
      </button>
      <Dialog open={isAsking} onClose={close} title={`Take adoption ${receipt.number} back?`}>
        <p>
          These files will say what they said before it. What you wrote around the learned part since stays.
        </p>
        <ul className="sleep-plain">
          {receipt.files.map(({ path }) => (
            <li key={path}>
              <code>{path}</code>
            </li>
          ))}
        </ul>
        {undo.error !== null && <Refusal error={undo.error} />}
        <div className="row">
          {mayInsist ? (
            <button
              type="button"
              className="danger"
              disabled={undo.isPending}
              onClick={() => undo.mutate(true)}
            >
              Take back all the same
            </button>
          ) : (
            <button
              type="button"
              className="primary"
              disabled={undo.isPending}
              onClick={() => undo.mutate(false)}
            >
              {undo.isPending ? 'Taking back…' : 'Take back'}
            </button>
          )}
          <button type="button" onClick={close}>
            Not now
          </button>
        </div>
      </Dialog>
    </>
  )
}
