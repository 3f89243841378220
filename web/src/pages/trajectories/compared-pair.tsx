import { useId } from 'react'
import { Link } from 'wouter'
import type { AttemptDetail } from '../../../../src/dashboard/contract/attempts.js'
import { useQuery } from '../../parts/address.js'
import { signedPoints, visibleLine } from '../../parts/format.js'
import { Failed, Loading } from '../../parts/states.js'
import { ArrivalTitle } from './arrival.js'
import { useAttempt } from './attempt.js'
import { Conversation } from './conversation.js'
import { choiceOf, OutcomeBadge, placeOf, scoresOf } from './outcome.js'
import { SkillLink, skillChangesHref } from './skill-link.js'
import { TextFormChoice, useTextForm } from './text-form.js'
import { partingOf } from './turns.js'
import { Figures, Reasons } from './verdict.js'

/** Two attempts side by side. On a narrow screen they are stacked. */
export function ComparedPair({
  run,
  left,
  right,
}: {
  readonly run: string
  readonly left: string
  readonly right: string
}) {
  const before = useAttempt(run, left)
  const after = useAttempt(run, right)
  const failed = [before, after].find(({ error }) => error !== null)
  return (
    <div className="stack">
      <p className="small">
        <Link href={before.data === undefined ? '/' : listOf(before.data)}>← All attempts at this task</Link>
      </p>
      {failed !== undefined ? (
        <Failed error={failed.error} retry={() => void failed.refetch()} />
      ) : before.data === undefined || after.data === undefined ? (
        <Loading what="both attempts" />
      ) : (
        <Compared run={run} before={before.data} after={after.data} />
      )}
    </div>
  )
}

const listOf = ({ line: { task } }: AttemptDetail) => `/?${new URLSearchParams({ task })}`

type Side = 'left' | 'right'

function Compared({
  run,
  before,
  after,
}: {
  readonly run: string
  readonly before: AttemptDetail
  readonly after: AttemptDetail
}) {
  const [, change] = useQuery()
  const seqs = { left: before.line.seq, right: after.line.seq }
  // When the user chooses attempts, the URL names these instead of the task and the skills.
  const choose = (chosen: Readonly<Record<Side, number>>) =>
    change(
      {
        left: String(chosen.left),
        right: String(chosen.right),
        task: undefined,
        from: undefined,
        to: undefined,
      },
      { push: true },
    )
  const isOneTask = before.line.task === after.line.task
  const isOneSkill = before.line.skill.hash === after.line.skill.hash
  return (
    <article className="stack" aria-labelledby="compared">
      <header className="stack-small">
        <ArrivalTitle id="compared">
          {isOneTask
            ? visibleLine(before.line.task)
            : `${visibleLine(before.line.task)} and ${visibleLine(after.line.task)}`}
        </ArrivalTitle>
        {!isOneTask && (
          <p className="warn" role="status">
            These are attempts at two different tasks: what is different between them need not come from the
            skill.
          </p>
        )}
        <p className="row">
          <span>
            {visibleLine(before.line.skill.name)} <OutcomeBadge outcome={before.line.outcome} />
            <span aria-hidden="true"> → </span>
            <span className="visually-hidden"> and </span>
            {visibleLine(after.line.skill.name)} <OutcomeBadge outcome={after.line.outcome} />
          </span>
          <strong className="figures">{differenceOf(before, after)}</strong>
          {isOneSkill ? (
            <span className="muted">The same skill: what is different is chance.</span>
          ) : before.line.skill.hasText && after.line.skill.hasText ? (
            <Link href={skillChangesHref(run, before.line.skill, after.line.skill)}>
              What is different between the two skills
            </Link>
          ) : null}
        </p>
      </header>
      <div className="spread">
        <Parting before={before} after={after} />
        <div className="row">
          <button type="button" onClick={() => choose({ left: seqs.right, right: seqs.left })}>
            Swap
          </button>
          <TextFormChoice />
        </div>
      </div>
      <div className="compared">
        <ComparedSide run={run} side="left" detail={before} choose={left => choose({ ...seqs, left })} />
        <ComparedSide run={run} side="right" detail={after} choose={right => choose({ ...seqs, right })} />
      </div>
    </article>
  )
}

function differenceOf({ line: left }: AttemptDetail, { line: right }: AttemptDetail): string {
  if (left.hard === undefined || right.hard === undefined) return 'not both scored'
  const hard = right.hard - left.hard
  const soft = (right.soft ?? right.hard) - (left.soft ?? left.hard)
  return hard === 0 && soft !== 0 ? `soft ${signedPoints(soft)} points` : `${signedPoints(hard)} points`
}

/** Link to the first message that differs between the two attempts. */
function Parting({ before, after }: { readonly before: AttemptDetail; readonly after: AttemptDetail }) {
  const at = partingOf(before.messages, after.messages)
  if (at === undefined) {
    const isOne = before.messageCount === after.messageCount
    return (
      <p className="small muted">
        {isOne ? 'The same was said in both.' : 'One goes on where the other ended.'}
      </p>
    )
  }
  return (
    <p className="small">
      Apart from the system’s words, they part at message {at + 1}: <a href={`#left-m${at + 1}`}>left</a>,{' '}
      <a href={`#right-m${at + 1}`}>right</a>.
    </p>
  )
}

function ComparedSide({
  run,
  side,
  detail,
  choose,
}: {
  readonly run: string
  readonly side: Side
  readonly detail: AttemptDetail
  readonly choose: (seq: number) => void
}) {
  const { line, ofTask } = detail
  const form = useTextForm()
  const select = useId()
  return (
    <section className="stack" aria-labelledby={`${side}-title`}>
      <header className="attempt-head">
        <h3 id={`${side}-title`}>
          <span className="visually-hidden">{side === 'left' ? 'Left: ' : 'Right: '}</span>
          {visibleLine(line.skill.name)}, <span className="figures">{scoresOf(line)}</span>
        </h3>
        <p className="row small muted">
          <span>
            with <SkillLink run={run} skill={line.skill} />
          </span>
          <span>{placeOf(line)}</span>
          <Link href={`/${line.seq}`}>Read this one alone</Link>
        </p>
        <div className="field">
          <label htmlFor={select}>Attempt on the {side}</label>
          <select id={select} value={line.seq} onChange={event => choose(Number(event.target.value))}>
            {ofTask.map(each => (
              <option key={each.seq} value={each.seq}>
                {choiceOf(each)}
              </option>
            ))}
          </select>
        </div>
      </header>
      <Figures detail={detail} />
      <Reasons run={run} detail={detail} form={form} level={4} />
      <h4>Conversation</h4>
      <Conversation key={line.seq} run={run} detail={detail} form={form} level={5} prefix={`${side}-`} />
    </section>
  )
}
