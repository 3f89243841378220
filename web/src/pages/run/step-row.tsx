import { memo } from 'react'
import { Link } from 'wouter'
import { editCounts } from '../../../../src/core/edit-counts.js'
import type { CandidateView, StepView } from '../../../../src/core/run-view.js'
import { outcomeOfCandidate } from '../../../../src/core/state-candidates.js'
import { Badge } from '../../parts/badge.js'
import { outcomeWords } from '../../parts/edit-words.js'
import { count, duration, knownTokens, plural, points, signedPoints, visible } from '../../parts/format.js'
import { attemptsHref, changesHref, gateHref, gateName } from './addresses.js'
import { Analysts } from './analysts.js'
import { EditCard } from './edit-card.js'
import { spentBetween } from './spent.js'
import { groupedEdits, rejectedEdits } from './steps-list.js'

interface Openable {
  readonly isOpen: boolean
  readonly toggle: (step: number, isOpen: boolean) => void
  /** What the analysts wrote is asked for only where somebody wants to read it. */
  readonly hasAnalysts: boolean
  readonly toggleAnalysts: (step: number, isOpen: boolean) => void
}

/** A step in a line, and all of it once it is opened. */
export const StepRow = memo(function StepRow({
  run,
  step,
  isOpen,
  toggle,
  hasAnalysts,
  toggleAnalysts,
}: { readonly run: string; readonly step: StepView } & Openable) {
  const word = step.outcome === undefined ? undefined : outcomeWords[step.outcome]
  return (
    <li className="run-step" id={`step-${step.step}`}>
      <h4 className="run-step-head">
        <button
          type="button"
          className="quiet run-step-toggle"
          aria-expanded={isOpen}
          onClick={() => toggle(step.step, !isOpen)}
        >
          <span aria-hidden="true">{isOpen ? '▾' : '▸'}</span> Step {step.step}
        </button>
        <Badge tone={word?.tone ?? 'info'}>{word?.text ?? 'not finished'}</Badge>
        <span className="small muted figures">{scoresText(step)}</span>
        <span className="small muted figures">{editsText(step)}</span>
      </h4>
      {isOpen && (
        <div className="run-step-body">
          <p className="small">{factsOf(step)}</p>
          <p className="row small">
            <Link href={attemptsHref(run, { step: String(step.step), stage: 'rollout' })}>
              Attempts of its batch
            </Link>
            <Link href={attemptsHref(run, { step: String(step.step) })}>All attempts of the step</Link>
          </p>
          <Candidates run={run} step={step} />
          <Edits run={run} step={step} />
          <section className="run-tight" aria-label={`Analysts of step ${step.step}`}>
            <h5>What the analysts proposed</h5>
            <p>
              <button
                type="button"
                aria-expanded={hasAnalysts}
                onClick={() => toggleAnalysts(step.step, !hasAnalysts)}
              >
                {hasAnalysts ? 'Hide' : 'Show'} what {plural(step.proposed.patches, 'analyst')} wrote
              </button>
            </p>
            {hasAnalysts && <Analysts run={run} step={step.step} known={step.proposed.patches} />}
          </section>
        </div>
      )}
    </li>
  )
})

function scoresText({ rollout, gate }: StepView): string {
  return [
    ...(rollout === undefined || rollout.scored === 0 ? [] : [`train ${points(rollout.hard)}`]),
    ...(gate === undefined
      ? []
      : [`validation ${points(gate.current)} → ${gate.verdict.complete ? '' : '≤ '}${points(gate.score)}`]),
  ].join(' · ')
}

/** Each number is a part of the one before it. */
function editsText(step: StepView): string {
  const { proposed, merged, selected, applied, unmatched, refused } = editCounts(step)
  const rejected = rejectedEdits(step)
  if (proposed + merged === 0) return step.outcome === undefined ? '' : 'no edit proposed'
  return [
    `edits: ${count(proposed)} proposed, ${count(merged)} merged, ${count(selected)} selected, ${count(applied)} applied`,
    ...(unmatched === 0 ? [] : [`${count(unmatched)} unmatched`]),
    ...(refused === 0 ? [] : [`${count(refused)} refused`]),
    ...(rejected === 0 ? [] : [`${count(rejected)} rejected with their candidate`]),
  ].join(', ')
}

function factsOf(step: StepView): string {
  const { taskCount, rollout, proposed, budget, optimizerFailures, activeFrom, activeTo } = step
  const spent = spentBetween(step.spentFrom, step.spentTo)
  return [
    `A batch of ${plural(taskCount, 'train task')}${rollout !== undefined && rollout.failed > 0 ? ` (${count(rollout.failed)} attempts failed)` : ''}`,
    `${count(proposed.failure)} proposals from failures and ${count(proposed.success)} from successes`,
    `a budget of ${budget === undefined ? 'unknown size' : plural(budget, 'edit')}`,
    ...(optimizerFailures === 0 ? [] : [`unusable replies of the optimizer: ${count(optimizerFailures)}`]),
    ...(activeTo === undefined ? [] : [`${duration(activeTo - activeFrom)} at work`]),
    ...(spent === undefined
      ? []
      : [
          `${plural(spent.calls, 'call')} with ${knownTokens(spent.input + spent.output, spent)} tokens while it lasted`,
        ]),
  ].join('; ')
}

function Candidates({ run, step }: { readonly run: string; readonly step: StepView }) {
  if (step.candidates.length === 0) return null
  return (
    <section className="run-tight" aria-label={`Candidates of step ${step.step}`}>
      <h5>{step.candidates.length === 1 ? 'The candidate' : 'Candidates'}</h5>
      <ul className="run-candidates">
        {step.candidates.map(candidate => (
          <Candidate key={candidate.number} run={run} step={step} candidate={candidate} />
        ))}
      </ul>
      {step.attribution !== undefined && (
        <p className="small run-words">
          <strong>Which edits carry the gain: </strong>
          {visible(step.attribution.reasoning)}{' '}
          <span className="muted">
            ({plural(step.attribution.attempts, 'attempt')} at {plural(step.attribution.tasks, 'task')})
          </span>
        </p>
      )}
    </section>
  )
}

function Candidate({
  run,
  step,
  candidate,
}: {
  readonly run: string
  readonly step: StepView
  readonly candidate: CandidateView
}) {
  const { number, skill, screen, gate } = candidate
  const outcome =
    step.outcome === undefined && gate === undefined ? undefined : outcomeOfCandidate(step, candidate)
  return (
    <li className="run-tight">
      <div className="row">
        <strong>Candidate {number}</strong>
        {outcome !== undefined && (
          <Badge tone={outcomeWords[outcome].tone}>{outcomeWords[outcome].text}</Badge>
        )}
        {gate !== undefined && (
          <Link href={gateHref(run, gateName(step.step, number))}>The decision and its evidence</Link>
        )}
        <Link href={changesHref(run, step.skill, skill)}>What it changes</Link>
      </div>
      {screen !== undefined && (
        <p className="small run-words">
          Before the gate, with {plural(screen.tried, 'attempt')}: {count(screen.gained)} gained,{' '}
          {count(screen.lost)} lost. {visible(screen.reason)}
        </p>
      )}
      {gate !== undefined && (
        <p className="small run-words">
          At the gate: {signedPoints(gate.score - gate.current)} points. {visible(gate.verdict.reason)}
        </p>
      )}
      {candidate.isUntried && (
        <p className="small muted">Nobody tried it: another one was accepted before.</p>
      )}
    </li>
  )
}

function Edits({ run, step }: { readonly run: string; readonly step: StepView }) {
  const groups = groupedEdits(step.edits)
  return (
    <section className="run-tight" aria-label={`Edits of step ${step.step}`}>
      <h5>Edits, as they were merged</h5>
      {groups.length === 0 && (
        <p className="muted">
          {step.outcome === undefined ? 'None have been merged yet.' : 'There were none.'}
        </p>
      )}
      {groups.map(({ title, edits }) => (
        <div key={title} className="run-tight">
          <h6>
            {title} <span className="muted figures">({edits.length})</span>
          </h6>
          <ul className="run-edits">
            {edits.map(edit => (
              <EditCard key={edit.id} run={run} step={step} edit={edit} />
            ))}
          </ul>
        </div>
      ))}
    </section>
  )
}
