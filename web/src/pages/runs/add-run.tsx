import { useState } from 'react'
import type { RunSummary } from '../../../../src/dashboard/contract/runs.js'
import { StateBadge } from '../../parts/badge.js'
import { Dialog } from '../../parts/dialog.js'
import { count, visibleLine } from '../../parts/format.js'
import { Loading } from '../../parts/states.js'
import { fromTo } from './figures.js'
import { filterOf, matching, sortRuns } from './filters.js'

/** Maximum number of suggestions. The search finds the other runs. */
const offeredAtMost = 20

/** A field that adds another run to the comparison. */
export function AddRun({
  runs,
  chosen,
  add,
}: {
  readonly runs: readonly RunSummary[] | undefined
  readonly chosen: readonly string[]
  readonly add: (id: string) => void
}) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <button type="button" onClick={() => setOpen(true)}>
        Add a run
      </button>
      <Dialog open={isOpen} onClose={() => setOpen(false)} title="Add a run">
        {runs === undefined ? (
          <Loading what="the runs" />
        ) : (
          <Offer
            runs={runs.filter(({ id, state }) => !chosen.includes(id) && state !== 'unreadable')}
            add={id => {
              setOpen(false)
              add(id)
            }}
          />
        )}
      </Dialog>
    </>
  )
}

function Offer({ runs, add }: { readonly runs: readonly RunSummary[]; readonly add: (id: string) => void }) {
  const [words, setWords] = useState('')
  const filter = { ...filterOf(new URLSearchParams()), q: words }
  const found = sortRuns(matching(runs, filter), { key: 'started', descending: true })
  const rest = found.length - offeredAtMost
  return (
    <>
      <div className="field">
        <label htmlFor="add-run-q">Words in name, folder, model…</label>
        <input
          id="add-run-q"
          type="search"
          maxLength={200}
          value={words}
          onChange={event => setWords(event.target.value)}
        />
      </div>
      <ul className="runs-offer">
        {found.slice(0, offeredAtMost).map(run => (
          <li key={run.id}>
            <button type="button" className="quiet" onClick={() => add(run.id)}>
              <span className="runs-offer-name">
                {visibleLine(run.name)}
                <span className="small muted">
                  {[run.environment, run.directory].filter(Boolean).map(visibleLine).join(' · ')}
                </span>
              </span>
              <span className="small muted figures">{fromTo(run.initial, run.best)}</span>
              <StateBadge state={run.state} />
            </button>
          </li>
        ))}
      </ul>
      <p role="status" className="small muted">
        {found.length === 0 &&
          (runs.length === 0 ? 'There is no other run that can be read.' : 'No run matches.')}
        {rest > 0 && `${count(rest)} more: other words find them.`}
      </p>
    </>
  )
}
