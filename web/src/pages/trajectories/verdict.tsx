import type { AttemptDetail } from '../../../../src/dashboard/contract/attempts.js'
import { count, points } from '../../parts/format.js'
import { Stat, Stats } from '../../parts/stat.js'
import { LongText, Prose, type TextForm, Written } from './long-text.js'
import { endMeaning, endOf, lasted, OutcomeBadge, outcomeMeanings, scoresOf } from './outcome.js'

/** The scores, tokens, time and reward of an attempt. */
export function Figures({ detail: { line, tokens, ms, reward } }: { readonly detail: AttemptDetail }) {
  const end = endOf(line)
  return (
    <Stats>
      <Stat
        label="Outcome"
        value={<OutcomeBadge outcome={line.outcome} />}
        note={outcomeMeanings[line.outcome]}
      />
      <Stat label="Score" value={scoresOf(line)} />
      <Stat label="Ended by" value={end === '' ? 'unknown' : end} note={endMeaning(line)} />
      <Stat label="Tokens" value={tokens === undefined ? 'not counted' : count(tokens)} />
      <Stat label="Time" value={ms === undefined ? 'not counted' : lasted(ms)} />
      {reward !== undefined && (
        <Stat label="Reward" value={reward.toFixed(3)} note="Of its score and of what it took." />
      )}
    </Stats>
  )
}

/** The reasons for an attempt's score or failure, and the text that only reflection sees. */
export function Reasons({
  run,
  detail,
  form,
  level,
}: {
  readonly run: string
  readonly detail: AttemptDetail
  readonly form: TextForm
  readonly level: 3 | 4
}) {
  const { line, feedback, votes, problem, hidden } = detail
  const place = (of: string) => ({ run, seq: line.seq, of })
  const Heading = `h${level}` as 'h3'
  return (
    <>
      {problem !== undefined && (
        <section className="attempt-reason attempt-problem">
          <Heading>What failed it</Heading>
          <LongText place={place('problem')} text={problem}>
            {shown => <Written text={shown} />}
          </LongText>
        </section>
      )}
      {feedback !== undefined && (
        <section className="attempt-reason">
          <Heading>Why this score</Heading>
          {feedback.length === 0 ? (
            <p className="muted">The scorer gave no reason.</p>
          ) : (
            <Prose place={place('feedback')} text={feedback} form={form} level={level + 1} />
          )}
          {votes.length > 0 && (
            <ol className="attempt-votes" aria-label="Votes of the judge">
              {votes.map(({ score, reason }, index) => (
                <li key={index}>
                  <p>
                    Vote {index + 1}: <strong className="figures">{points(score)}</strong>
                  </p>
                  <Prose place={place(`vote.${index}`)} text={reason} form={form} level={level + 1} />
                </li>
              ))}
            </ol>
          )}
        </section>
      )}
      {hidden !== undefined && (
        <details className="attempt-reason">
          <summary>What only reflection was told</summary>
          <p className="muted small">The agent did not see this while it worked.</p>
          <Prose place={place('hidden')} text={hidden} form={form} level={level + 1} />
        </details>
      )}
    </>
  )
}
