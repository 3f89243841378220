import { memo } from 'react'
import type { RunView } from '../../../../src/core/view/run-view.js'
import { count, visibleLine, when } from '../../parts/format.js'
import { DataTable } from '../../parts/table.js'

interface Failure {
  readonly what: string
  readonly kind: string
  readonly times: number
  readonly meaning: string
}

type Troubled = Pick<
  RunView,
  'failedTries' | 'failedAttempts' | 'optimizerFailures' | 'unmatchedEdits' | 'lastFailure' | 'importedFrom'
>

const looked = [
  ...(['failedTries', 'failedAttempts', 'optimizerFailures'] as const),
  ...(['unmatchedEdits', 'lastFailure', 'importedFrom'] as const),
] as const satisfies readonly (keyof Troubled)[]

/** All failures that led to no score, or a note that there were none. */
export const Trouble = memo(
  TroubleNow,
  // The view changes with every call, but the list only when a failure is added.
  (before, after) => looked.every(part => before.view[part] === after.view[part]),
)

function TroubleNow({ view }: { readonly view: Troubled }) {
  const failures = failuresOf(view)
  const { lastFailure } = view
  return (
    <section className="stack" aria-labelledby="trouble">
      <h2 id="trouble">Failures</h2>
      {failures.length === 0 ? (
        <p className="muted">
          {view.importedFrom === undefined
            ? 'Nothing failed: no call, attempt, optimizer reply or edit anchor.'
            : 'The run was imported: what failed in it was not recorded.'}
        </p>
      ) : (
        <DataTable
          caption="Failures by kind"
          columns={[
            { key: 'what', name: 'failure', header: true, cell: ({ what }: Failure) => what },
            { key: 'kind', name: 'kind', cell: ({ kind }: Failure) => visibleLine(kind) },
            { key: 'times', name: 'count', align: 'end', cell: ({ times }: Failure) => count(times) },
            { key: 'meaning', name: 'what that means', cell: ({ meaning }: Failure) => meaning },
          ]}
          rows={failures}
          rowKey={({ what, kind }) => `${what} ${kind}`}
          cards
        />
      )}
      {lastFailure !== undefined && (
        <p className="small">
          The last one, {when(lastFailure.at)}: <strong>{visibleLine(lastFailure.kind)}</strong>:{' '}
          <span className="run-words">{visibleLine(lastFailure.message)}</span>
        </p>
      )}
    </section>
  )
}

export function failuresOf(
  view: Pick<RunView, 'failedTries' | 'failedAttempts' | 'optimizerFailures' | 'unmatchedEdits'>,
): Failure[] {
  const byKind = (what: string, counts: Readonly<Record<string, number>>, meaning: string) =>
    Object.entries(counts).map(([kind, times]) => ({ what, kind, times, meaning }))
  const single = (what: string, times: number, meaning: string) =>
    times === 0 ? [] : [{ what, kind: '–', times, meaning }]
  return [
    ...byKind('call, retried', view.failedTries, 'tried again, as far as the settings allow'),
    ...byKind('attempt', view.failedAttempts, 'left out of every mean, never a score of 0'),
    ...single('optimizer reply', view.optimizerFailures, 'unusable also after a second try'),
    ...single('edit', view.unmatchedEdits, 'its anchor is not in the skill'),
  ]
}
