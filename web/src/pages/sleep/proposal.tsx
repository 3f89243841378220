import type { SleepChanged, SleepEdit, SleepProposal } from '../../../../src/dashboard/contract/sleep.js'
import { useQuery } from '../../parts/address.js'
import { plural } from '../../parts/format.js'
import { chosenFrom, offeredIn, type Rejected, rejectedIn, rejectedToQuery } from './choice.js'
import { Decision } from './decision.js'
import { EditCard } from './edit.js'
import { Notice } from './parts.js'
import { TargetReview } from './target.js'
import { usePreview } from './use-sleep.js'
import { whenText } from './words.js'

/** A night's proposal by file and edit, and the user's decision. The URL holds the choice. */
export function Proposal({
  project,
  night,
  proposal,
  simulated,
  adopted,
  onDone,
}: {
  readonly project: string
  readonly night: string
  readonly proposal: SleepProposal
  readonly simulated: boolean
  /** Names of targets whose adopted changes are in the files. */
  readonly adopted: readonly string[]
  readonly onDone: (changed: SleepChanged) => void
}) {
  const [query, change] = useQuery()
  const mode = query.get('mode') === 'side' ? 'side' : 'inline'
  const offered = offeredIn(proposal)
  const rejected = rejectedIn(query)
  const chosen = chosenFrom(offered, rejected)
  const previewed = usePreview(project, night, chosen?.choice)
  const choose = (wanted: Rejected) => change(rejectedToQuery(wanted))
  const isOpen = offered.length > 0
  return (
    <section className="stack" aria-labelledby="proposal">
      <div className="spread">
        <h2 id="proposal">The proposal</h2>
        <label className="row">
          <input
            type="checkbox"
            checked={mode === 'side'}
            onChange={event => change({ mode: event.target.checked ? 'side' : undefined })}
          />
          Side by side
        </label>
      </div>
      <Verdict proposal={proposal} simulated={simulated} />
      <div className={isOpen ? 'sleep-review' : undefined}>
        <div className="stack">
          {proposal.targets.map(target => (
            <TargetReview
              key={target.name}
              project={project}
              target={target}
              edits={proposal.edits.filter(edit => edit.target === target.name && edit.status === 'proposed')}
              mode={mode}
              isAdopted={adopted.includes(target.name)}
              decision={
                proposal.open.includes(target.name)
                  ? {
                      rejected,
                      choose,
                      isCurrent: previewed.isCurrent,
                      change: previewed.preview?.changes.find(({ name }) => name === target.name),
                      isChosen: chosen?.choice.targets.includes(target.name) === true,
                    }
                  : undefined
              }
            />
          ))}
          <LeftOut project={project} edits={proposal.edits} />
        </div>
        {isOpen && (
          <Decision
            {...{ project, night, chosen, previewed, simulated, onDone }}
            offered={offered.reduce((sum, { edits }) => sum + edits.length, 0)}
          />
        )}
      </div>
    </section>
  )
}

function Verdict({ proposal, simulated }: { readonly proposal: SleepProposal; readonly simulated: boolean }) {
  const { verdict, madeAt, folder, changed } = proposal
  return (
    <>
      <p>
        <strong className={verdict.accepted ? 'good' : 'bad'}>
          {verdict.accepted ? 'Accepted by the night' : 'Not accepted by the night'}
        </strong>
        : {verdict.reason}
      </p>
      <p className="small muted">
        Made {whenText(madeAt)}, kept in <code className="sleep-wrap">{folder}</code>
      </p>
      {simulated && (
        <Notice tone="warn" title="A simulated model wrote it.">
          <p>It says nothing about your work, and is there to try things out.</p>
        </Notice>
      )}
      {changed.map(sentence => (
        <Notice key={sentence} tone="warn" title={sentence} />
      ))}
    </>
  )
}

const statuses = [
  { status: 'rejected', title: 'tried and rejected by the gate' },
  { status: 'unmatched', title: 'that matched no text' },
] as const

/** Edits that the night considered but did not propose. */
function LeftOut({ project, edits }: { readonly project: string; readonly edits: readonly SleepEdit[] }) {
  return statuses.map(({ status, title }) => {
    const own = edits.filter(edit => edit.status === status)
    return (
      own.length > 0 && (
        <details key={status}>
          <summary>
            {plural(own.length, 'edit')} {title}
          </summary>
          <div className="stack sleep-inside">
            {own.map(edit => (
              <EditCard key={edit.id} project={project} edit={edit} level={3} />
            ))}
          </div>
        </details>
      )
    )
  })
}
