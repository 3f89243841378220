import { Fragment } from 'react'
import { Link } from 'wouter'
import type { RecordedEdit } from '../../../../src/core/log/event.js'
import { editAdditions } from '../../../../src/core/redaction/sensitive.js'
import { editEvidence, isTrialEdit } from '../../../../src/core/view/edit-evidence.js'
import type { EditView, StepView } from '../../../../src/core/view/run-view.js'
import { Additions } from '../../parts/additions.js'
import { Badge } from '../../parts/badge.js'
import { editVerbs, fateWord } from '../../parts/edit-words.js'
import { count, plural, visible, visibleLine } from '../../parts/format.js'
import { attemptsHref } from './addresses.js'

/** A merged edit: its text, its fate and its evidence. */
export function EditCard({
  run,
  step,
  edit,
}: {
  readonly run: string
  readonly step: StepView
  readonly edit: EditView
}) {
  const word = fateWord(step, edit)
  return (
    <li className="run-edit">
      <div className="row">
        <strong>{editVerbs[edit.op]}</strong>
        {edit.fate === 'applied' && word.text !== 'applied' && <Badge tone="info">applied</Badge>}
        <Badge tone={word.tone}>{word.text}</Badge>
        <code className="muted">{visibleLine(edit.id)}</code>
      </div>
      <EditText {...edit} />
      <Additions findings={editAdditions(edit)} />
      {isTrialEdit(edit) && <p className="run-words">{visible(capitalized(editEvidence(edit)))}.</p>}
      {!isTrialEdit(edit) && edit.reason !== undefined && edit.fate !== 'applied' && (
        <p className="small warn run-words">{visible(edit.reason)}</p>
      )}
      {edit.match === 'tolerant' && (
        <p className="small muted">Its passage was found when ignoring case and white space.</p>
      )}
      {edit.why !== undefined && edit.why !== '' && (
        <p className="small run-words">
          <strong>Why: </strong>
          {visible(edit.why)}
        </p>
      )}
      <p className="small muted">
        {groundsOf(edit)} <Tasks run={run} step={step.step} tasks={edit.tasks} total={edit.taskCount} />
      </p>
    </li>
  )
}

const capitalized = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

/** The removed and the added text of an edit. */
export function EditText({
  op,
  title,
  target,
  content,
}: {
  readonly op: EditView['op']
  readonly title?: string | undefined
  readonly target?: string | undefined
  readonly content?: string | undefined
}) {
  return (
    <>
      {title !== undefined && title !== '' && <p className="run-words">{visible(title)}</p>}
      {target !== undefined && (
        <pre className={op === 'insert_after' ? 'run-quote run-quote-place' : 'run-quote run-quote-old'}>
          {visible(target)}
        </pre>
      )}
      {op === 'rewrite' ? (
        <RewrittenText content={content} />
      ) : (
        content !== undefined && <pre className="run-quote run-quote-new">{visible(content)}</pre>
      )}
    </>
  )
}

/** A whole skill is collapsed, because it is too long to scroll past. */
function RewrittenText({ content }: { readonly content: string | undefined }) {
  if (content === undefined) return null
  return (
    <details>
      <summary className="small">The whole text ({plural(content.split('\n').length, 'line')})</summary>
      <pre className="run-quote run-quote-new">{visible(content)}</pre>
    </details>
  )
}

/** An edit as an analyst proposed it. */
export function ProposedEdit({ edit }: { readonly edit: RecordedEdit }) {
  const title = edit.op === 'suggest' ? edit.title : edit.op === 'rewrite' ? edit.summary : undefined
  return (
    <li className="run-edit">
      <strong>{editVerbs[edit.op]}</strong>
      <EditText
        op={edit.op}
        title={title}
        target={'target' in edit ? edit.target : undefined}
        content={'content' in edit ? edit.content : undefined}
      />
      <Additions findings={editAdditions('content' in edit ? edit : {})} />
      {edit.why !== '' && (
        <p className="small run-words">
          <strong>Why: </strong>
          {visible(edit.why)}
        </p>
      )}
    </li>
  )
}

function groundsOf({ support, from }: EditView): string {
  const grounds = [
    ...(support === 0 ? [] : [`${plural(support, 'proposal')} agreed on it`]),
    ...(from === 'unknown' ? [] : [`from ${from === 'failure' ? 'failures' : 'successes'}`]),
  ]
  return grounds.length === 0 ? 'What it rests on was not recorded.' : `${grounds.join(', ')}.`
}

/** Tasks, each with a link to the attempts that the analyst read. */
export function Tasks({
  run,
  step,
  tasks,
  total,
}: {
  readonly run: string
  readonly step: number
  readonly tasks: readonly string[]
  readonly total: number
}) {
  if (tasks.length === 0) return null
  return (
    <>
      {total === 1 ? 'Task ' : 'Tasks '}
      {tasks.map((task, index) => (
        <Fragment key={task}>
          {index > 0 && ', '}
          <Link href={attemptsHref(run, { task, step: String(step) })}>{visibleLine(task).slice(0, 60)}</Link>
        </Fragment>
      ))}
      {total > tasks.length && ` and ${count(total - tasks.length)} more`}
    </>
  )
}
