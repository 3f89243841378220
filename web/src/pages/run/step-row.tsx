import { memo } from 'react'
import { Link } from 'wouter'
import { editCounts } from '../../../../src/core/view/edit-counts.js'
import { gateChangeText, gateScoreText } from '../../../../src/core/view/gate-estimate.js'
import type { RoundView, StepView } from '../../../../src/core/view/run-view.js'
import { Badge } from '../../parts/badge.js'
import { outcomeWords, stepWord } from '../../parts/edit-words.js'
import { count, duration, knownTokens, plural, points, visible } from '../../parts/format.js'
import { attemptsHref, changesHref, gateHref } from './addresses.js'
import { Analysts } from './analysts.js'
import { EditCard } from './edit-card.js'
import { spentBetween } from './spent.js'
import { groupedEdits, rejectedEdits } from './steps-list.js'

interface Openable {
  readonly isOpen: boolean
  readonly toggle: (step: number, isOpen: boolean) => void
  /** Whether the analysts' reports are expanded. They are loaded only then. */
  readonly hasAnalysts: boolean
  readonly toggleAnalysts: (step: number, isOpen: boolean) => void
}

/** A step as one row. Opening it shows its details. */
export const StepRow = memo(function StepRow({
  run,
  step,
  isOpen,
  toggle,
  hasAnalysts,
  toggleAnalysts,
}: { readonly run: string; readonly step: StepView } & Openable) {
  const word = stepWord(step)
  return (
    <li className="run-step" id={`step-${step.step}`}>
      <h4 className="run-step-head">
        <button
          type="button"
          className="quiet run-step-toggle"
          aria-expanded={isOpen}
          onClick={() => toggle(step.step, !isOpen)}
        >
          <span aria-hidden="true">{isOpen ? '▾' : '▸'}</span> {step.round === undefined ? 'Step' : 'Round'}{' '}
          {step.step}
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
          <Candidate run={run} step={step} />
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
    ...(gate === undefined ? [] : [`validation ${points(gate.current)} → ${gateScoreText(gate)}`]),
  ].join(' · ')
}

/** Counts of the step's edits. Each number is part of the one before it. */
function editsText(step: StepView): string {
  if (step.round !== undefined) return roundText(step.round)
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

function roundText({ attempts, variants, admitted }: RoundView): string {
  const joined = admitted.length === 0 ? [] : [`${plural(admitted.length, 'edit')} joined`]
  return [`${plural(attempts, 'attempt')} with ${plural(variants, 'variant')} of the skill`, ...joined].join(
    ', ',
  )
}

function factsOf(step: StepView): string {
  const { taskCount, rollout, proposed, budget, optimizerFailures, activeFrom, activeTo } = step
  const spent = spentBetween(step.spentFrom, step.spentTo)
  return [
    `A batch of ${plural(taskCount, 'train task')}${rollout !== undefined && rollout.failed > 0 ? ` (${count(rollout.failed)} attempts failed)` : ''}`,
    `${count(proposed.failure)} proposals from failures and ${count(proposed.success)} from successes`,
    ...(step.round === undefined
      ? [`a budget of ${budget === undefined ? 'unknown size' : plural(budget, 'edit')}`]
      : []),
    ...(optimizerFailures === 0 ? [] : [`unusable replies of the optimizer: ${count(optimizerFailures)}`]),
    ...(activeTo === undefined ? [] : [`${duration(activeTo - activeFrom)} at work`]),
    ...(spent === undefined
      ? []
      : [
          `${plural(spent.calls, 'call')} with ${knownTokens(spent.input + spent.output, spent)} tokens while it lasted`,
        ]),
  ].join('; ')
}

function Candidate({ run, step }: { readonly run: string; readonly step: StepView }) {
  const { candidate, gate, outcome } = step
  if (candidate === undefined) return null
  return (
    <section className="run-tight" aria-label={`Candidate of step ${step.step}`}>
      <h5>The candidate</h5>
      <div className="row">
        {outcome !== undefined && (
          <Badge tone={outcomeWords[outcome].tone}>{outcomeWords[outcome].text}</Badge>
        )}
        {gate !== undefined && (
          <Link href={gateHref(run, String(step.step))}>The decision and its evidence</Link>
        )}
        <Link href={changesHref(run, step.skill, candidate.skill)}>What it changes</Link>
      </div>
      {gate !== undefined && (
        <p className="small run-words">
          At the gate: {gateChangeText(gate)} points. {visible(gate.verdict.reason)}
        </p>
      )}
    </section>
  )
}

function Edits({ run, step }: { readonly run: string; readonly step: StepView }) {
  const groups = groupedEdits(step.edits)
  return (
    <section className="run-tight" aria-label={`Edits of step ${step.step}`}>
      <h5>{step.round === undefined ? 'Edits, as they were merged' : 'Edits that it decided on'}</h5>
      {groups.length === 0 && (
        <p className="muted">
          {step.outcome !== undefined
            ? 'There were none.'
            : step.round === undefined
              ? 'None have been merged yet.'
              : 'None yet.'}
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
