import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type {
  SleepAdoption,
  SleepChanged,
  SleepChoice,
  SleepPreview,
} from '../../../../src/dashboard/contract/sleep.js'
import { postJson } from '../../api/client.js'
import { Badge } from '../../parts/badge.js'
import { Dialog } from '../../parts/dialog.js'
import { plural } from '../../parts/format.js'
import type { Chosen } from './choice.js'
import { Command, Notice, Refusal } from './parts.js'
import { askAgain, type Previewed, sleepPath } from './use-sleep.js'

interface Agreed {
  readonly choice: SleepChoice
  readonly preview: SleepPreview
}

/** Shows a preview of the choice, whether this choice was measured, and the adopt button. */
export function Decision({
  project,
  night,
  chosen,
  offered,
  previewed,
  simulated,
  onDone,
}: {
  readonly project: string
  readonly night: string
  readonly chosen: Chosen | undefined
  /** Number of edits that the user can accept or reject. */
  readonly offered: number
  readonly previewed: Previewed
  readonly simulated: boolean
  readonly onDone: (changed: SleepChanged) => void
}) {
  // The preview that the user agreed to. A later preview does not replace it.
  const [asked, setAsked] = useState<Agreed>()
  const { preview, error, isCurrent } = previewed
  const isReady = chosen !== undefined && preview !== undefined && error === null && isCurrent
  return (
    <aside id="decision" className="panel sleep-decision" aria-labelledby="decision-title">
      <h3 id="decision-title">Your decision</h3>
      <div role="status" className="sleep-stack">
        <p>
          {chosen === undefined
            ? 'Nothing is chosen: nothing would be written.'
            : `${chosen.edits} of ${plural(offered, 'edit')} accepted.`}
        </p>
        {chosen !== undefined &&
          (error !== null && isCurrent ? (
            <Refusal error={error} />
          ) : preview === undefined || !isCurrent ? (
            <p className="muted">Looking at what would be written…</p>
          ) : (
            <Written preview={preview} />
          ))}
        {chosen !== undefined && chosen.leftOut.length > 0 && (
          <Notice tone="warn" title={`${chosen.leftOut.join(', ')} would not be written.`}>
            <p>It has no single edits, so it can be adopted only by itself, or with others as a whole.</p>
          </Notice>
        )}
      </div>
      {isReady && preview.unmeasured !== undefined && (
        <Command
          text={preview.measureCommand}
          does="To try it first, and adopt it only if the gate agrees:"
        />
      )}
      <button
        type="button"
        className="primary"
        disabled={!isReady}
        onClick={() => isReady && setAsked({ choice: chosen.choice, preview })}
      >
        Adopt…
      </button>
      <p className="small muted">
        Only the part of each file that Sleep manages is changed, and it can be taken back. What you do not
        adopt stays where it is.
      </p>
      <AdoptDialog {...{ project, night, asked, simulated, onDone }} close={() => setAsked(undefined)} />
    </aside>
  )
}

function Written({ preview: { changes, unmeasured } }: { readonly preview: SleepPreview }) {
  return (
    <>
      <p>This would be written:</p>
      <ul className="sleep-points">
        {changes.map(({ name, path, isNew, warning }) => (
          <li key={name}>
            <code className="sleep-wrap">{path}</code> {isNew && <Badge tone="info">new file</Badge>}
            {warning !== undefined && <p className="bad">{warning}</p>}
          </li>
        ))}
      </ul>
      <Measured unmeasured={unmeasured} />
    </>
  )
}

function Measured({ unmeasured }: Pick<SleepPreview, 'unmeasured'>) {
  return unmeasured === undefined ? (
    <p>
      <Badge tone="good">measured</Badge> The night measured exactly this.
    </p>
  ) : (
    <p>
      <Badge tone="warn">unmeasured</Badge> {unmeasured}
    </p>
  )
}

/**
 * Adopts what the preview showed. If a file has changed since, the server refuses, and the page fetches a new
 * preview.
 */
function AdoptDialog({
  project,
  night,
  asked,
  simulated,
  close,
  onDone,
}: {
  readonly project: string
  readonly night: string
  readonly asked: Agreed | undefined
  readonly simulated: boolean
  readonly close: () => void
  readonly onDone: (changed: SleepChanged) => void
}) {
  const queries = useQueryClient()
  const adopt = useMutation({
    mutationFn: ({ choice, preview }: Agreed) => {
      const body: SleepAdoption = { choice, seen: preview.seen }
      return postJson<SleepChanged>(sleepPath(project, 'nights', night, 'adopt'), body)
    },
    onSuccess: changed => {
      close()
      onDone(changed)
    },
    onSettled: () => askAgain(queries),
  })
  const leave = () => {
    close()
    adopt.reset()
  }
  const files = asked?.preview.changes.length ?? 0
  return (
    <Dialog
      open={asked !== undefined}
      onClose={leave}
      title={files === 1 ? 'Write this file?' : `Write these ${files} files?`}
    >
      {asked !== undefined && <Written preview={asked.preview} />}
      {simulated && <p className="warn">A simulated model wrote it: it says nothing about your work.</p>}
      {adopt.error !== null && <Refusal error={adopt.error} />}
      <div className="row">
        {adopt.error === null ? (
          <button
            type="button"
            className="primary"
            disabled={adopt.isPending}
            onClick={() => asked !== undefined && adopt.mutate(asked)}
          >
            {adopt.isPending ? 'Writing…' : 'Adopt'}
          </button>
        ) : null}
        <button type="button" onClick={leave}>
          {adopt.error === null ? 'Not now' : 'Look at it again'}
        </button>
      </div>
    </Dialog>
  )
}
