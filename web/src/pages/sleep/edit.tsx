import { useId } from 'react'
import { Link } from 'wouter'
import type { SleepEdit } from '../../../../src/dashboard/contract/sleep.js'
import { gateText } from '../../../../src/sleep/model/gate-text.js'
import { editWords } from '../../../../src/sleep/model/wording.js'
import { Additions } from '../../parts/additions.js'
import { Badge } from '../../parts/badge.js'
import { plural } from '../../parts/format.js'
import { Notice } from './parts.js'

/** One edit with its change, its reason and the tasks it came from. */
export function EditCard({
  project,
  edit,
  level,
  decision,
}: {
  readonly project: string
  readonly edit: SleepEdit
  readonly level: 3 | 4
  /** The user's decision; absent if the edit can no longer be adopted. */
  readonly decision?:
    | { readonly isAccepted: boolean; readonly accept: (isAccepted: boolean) => void }
    | undefined
}) {
  const { id, op, anchor, content, why, warning, additions, status, target } = edit
  const Heading = `h${level}` as const
  const heading = useId()
  const isOut = decision?.isAccepted === false
  return (
    <article className={`sleep-edit${isOut ? ' sleep-edit-out' : ''}`} aria-labelledby={heading}>
      <header className="spread">
        <Heading id={heading}>
          Edit <code>{id}</code> {editWords[op]}
          {status !== 'proposed' && <span className="muted"> in {target}</span>}
        </Heading>
        {decision === undefined ? (
          status !== 'proposed' && <Badge tone={status === 'rejected' ? 'bad' : 'warn'}>{status}</Badge>
        ) : (
          <label className="row">
            <input
              type="checkbox"
              checked={decision.isAccepted}
              onChange={event => decision.accept(event.target.checked)}
            />
            <span>
              Accept
              <span className="visually-hidden"> edit {id}</span>
            </span>
          </label>
        )}
      </header>
      {anchor !== undefined && (
        <pre className={`sleep-quote${op === 'insert_after' ? '' : ' sleep-quote-old'}`}>{anchor}</pre>
      )}
      {op === 'replace' && <p className="small muted">by</p>}
      {op !== 'delete' && <pre className="sleep-quote sleep-quote-new">{content}</pre>}
      {warning !== undefined && <Notice tone="bad" title={warning} />}
      <Additions findings={additions} />
      {why !== '' && (
        <p className="sleep-words">
          <strong>Why: </strong>
          {why}
        </p>
      )}
      <Evidence project={project} edit={edit} />
    </article>
  )
}

function Evidence({ project, edit }: { readonly project: string; readonly edit: SleepEdit }) {
  const { tasks, sessions, period, gate } = edit
  const seen = sessions === 0 ? '' : ` in ${plural(sessions, 'session')}`
  return (
    <div className="sleep-stack">
      {tasks.length === 0 ? (
        <p className="small muted">No task is named for it.</p>
      ) : (
        <details open={tasks.length <= 3}>
          <summary>
            Because of {plural(tasks.length, 'task')}
            {seen}
            {period !== undefined && `, ${period}`}
          </summary>
          <ul className="sleep-points">
            {tasks.map(({ id, intent, isKept }) => (
              <li key={id}>
                {isKept ? (
                  <Link href={`/${encodeURIComponent(project)}/tasks/${encodeURIComponent(id)}`}>
                    {intent ?? id}
                  </Link>
                ) : (
                  <>
                    {intent ?? id} <span className="muted">(not among the tasks any more)</span>
                  </>
                )}
              </li>
            ))}
          </ul>
        </details>
      )}
      {gate !== undefined && <p className="small figures">{gateText(gate)}</p>}
    </div>
  )
}
