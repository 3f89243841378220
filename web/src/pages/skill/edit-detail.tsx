import { Link } from 'wouter'
import { editEvidence, isTrialEdit } from '../../../../src/core/view/edit-evidence.js'
import type { EditView } from '../../../../src/core/view/run-view.js'
import type { EditOrigin, LeadingAttempt } from '../../../../src/dashboard/contract/skill.js'
import { Badge } from '../../parts/badge.js'
import { editVerbs, outcomeWords, trialWord } from '../../parts/edit-words.js'
import { count, plural, points, visible, visibleLine } from '../../parts/format.js'
import { GateWord } from './gate-word.js'

/** The details of an edit: the attempts that led to it, and the gate's decision. */
export function EditDetail({ run, origin }: { readonly run: string; readonly origin: EditOrigin }) {
  const { edit, step, epoch, outcome, gate, suggestions } = origin
  const ofOutcome = outcome === undefined ? undefined : outcomeWords[outcome]
  const mark = isTrialEdit(edit) ? trialWord(edit) : ofOutcome
  return (
    <section className="stack-small">
      <header className="row">
        <h3>
          {isTrialEdit(edit) ? 'Round' : 'Step'} {step}, epoch {epoch}
        </h3>
        {mark !== undefined && <Badge tone={mark.tone}>{mark.text}</Badge>}
        <code className="muted">{visibleLine(edit.id)}</code>
      </header>
      <EditWords edit={edit} />
      {isTrialEdit(edit) && (
        <div>
          <h4>Evidence</h4>
          <p className="skill-words">{visible(editEvidence(edit))}</p>
        </div>
      )}
      {edit.why !== undefined && edit.why !== '' && (
        <div>
          <h4>Why</h4>
          <p className="skill-words">{visible(edit.why)}</p>
        </div>
      )}
      <p className="small muted">{groundsOf(edit)}</p>
      {gate !== undefined && <GateWord run={run} name={String(step)} gate={gate} />}
      {suggestions.length > 0 && (
        <details>
          <summary>{plural(suggestions.length, 'suggestion')} that it worked in</summary>
          <ul className="stack-small">
            {suggestions.map(suggestion => (
              <li key={suggestion.id}>
                <p className="skill-words">{visible(suggestion.content ?? '')}</p>
              </li>
            ))}
          </ul>
        </details>
      )}
      <Evidence run={run} origin={origin} />
    </section>
  )
}

/** Operations that leave their target text in place and only use it to find a position. */
const stays: ReadonlySet<EditView['op']> = new Set(['append', 'insert_after', 'suggest', 'remind'])

export function EditWords({ edit }: { readonly edit: EditView }) {
  return (
    <div className="stack-small">
      <h4>
        {editVerbs[edit.op]}
        {edit.match === 'tolerant' && (
          <span className="muted"> (found when ignoring case and white space)</span>
        )}
      </h4>
      {edit.target !== undefined && (
        <pre className={`skill-quote ${stays.has(edit.op) ? 'skill-quote-near' : 'skill-quote-old'}`}>
          {visible(edit.target)}
        </pre>
      )}
      {edit.op === 'rewrite' ? (
        <p className="skill-words">{visible(edit.title ?? '')}</p>
      ) : (
        edit.content !== undefined && <pre className="skill-quote">{visible(edit.content)}</pre>
      )}
    </div>
  )
}

function groundsOf({ support, from }: EditView): string {
  const grounds = [
    ...(support === 0 ? [] : [`${plural(support, 'proposal')} agreed on it`]),
    ...(from === 'unknown' ? [] : [`from ${from === 'failure' ? 'failures' : 'successes'}`]),
  ]
  return grounds.length === 0 ? 'What it rests on was not recorded.' : `${grounds.join(', ')}.`
}

function Evidence({ run, origin }: { readonly run: string; readonly origin: EditOrigin }) {
  const { edit, tasks, attempts, attemptCount, before, candidate, triedAfter } = origin
  if (tasks.length === 0) return <p className="small muted">Which tasks led to it was not recorded.</p>
  const base = `~/runs/${encodeURIComponent(run)}/trajectories`
  return (
    <div>
      <h4>
        Tasks and attempts that led to it <span className="muted">({count(edit.taskCount)})</span>
      </h4>
      <ul className="skill-evidence">
        {tasks.map(task => (
          <li key={task}>
            <span className="skill-evidence-task">{visibleLine(task)}</span>
            <span className="row">
              {attempts
                .filter(attempt => attempt.task === task)
                .map(attempt => (
                  <AttemptLink key={attempt.seq} base={base} attempt={attempt} />
                ))}
              {triedAfter.includes(task) && before !== undefined && candidate !== undefined && (
                <Link
                  href={`${base}/compare?${new URLSearchParams({ task, from: before, to: candidate })}`}
                  className="small"
                  aria-label={`${visibleLine(task)}: before and after`}
                >
                  before and after
                </Link>
              )}
            </span>
          </li>
        ))}
      </ul>
      {attemptCount > attempts.length && (
        <p className="small muted">
          The first {count(attempts.length)} of {count(attemptCount)} attempts.
        </p>
      )}
    </div>
  )
}

function AttemptLink({ base, attempt }: { readonly base: string; readonly attempt: LeadingAttempt }) {
  const { seq, hard, sample } = attempt
  const tone = hard === undefined ? 'plain' : hard >= 1 ? 'good' : hard > 0 ? 'warn' : 'bad'
  const score = hard === undefined ? 'not scored' : points(hard)
  const text = sample === 0 ? score : `${score} · sample ${sample + 1}`
  return (
    <Link href={`${base}/${seq}`} aria-label={`Attempt ${seq}: ${text}`} className="skill-attempt">
      <Badge tone={tone}>{text}</Badge>
    </Link>
  )
}
