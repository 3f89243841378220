import { editAdditions, sensitiveText } from '../../core/redaction/sensitive.js'
import {
  editEvidence,
  inEvidenceOrder,
  isAccepted,
  pointsText,
  trialCountsText,
  trialFateWords,
} from '../../core/view/edit-evidence.js'
import { editText } from '../../core/view/edit-text.js'
import type { EditView, RunView, StepView, TrialEditView } from '../../core/view/fold.js'
import type { EditDecision } from './progress.js'
import { type Colors, oneLine, plural } from './text.js'

/** One line of the live view about an edit on trial, with its result. */
export function trialDecision(edit: TrialEditView, colors: Colors): EditDecision {
  const { fate, trial } = edit
  const effect = trial.evidence?.effect
  const figures = isAccepted(edit) && effect !== undefined ? ` ${pointsText(effect.mean)}` : ''
  const note = `${trialFateWords[fate]}${figures} · round ${trial.decided ?? trial.admitted}`
  return { ...signOf(edit, colors), text: editText(edit), note }
}

function signOf(edit: TrialEditView, colors: Colors): Pick<EditDecision, 'sign' | 'paint'> {
  if (isAccepted(edit)) return { sign: '+', paint: colors.green }
  const isOpen = edit.fate === 'on-trial' || edit.fate === 'undecided'
  return isOpen ? { sign: '·', paint: colors.cyan } : { sign: '−', paint: colors.red }
}

/** Two lines about an edit on trial: its text, and the evidence for or against it. */
function trialEditLines(edit: TrialEditView, colors: Colors, seed: string): string[] {
  const { sign, paint } = signOf(edit, colors)
  return [
    `  ${paint(sign)} ${colors.dim(edit.id)} ${editText(edit)}`,
    `      ${oneLine(editEvidence(edit))}`,
    ...additionLines(edit, seed, colors),
    ...(edit.trial.cause === '' ? [] : [`      ${colors.dim(`cause: ${oneLine(edit.trial.cause)}`)}`]),
  ]
}

/** One line that warns about sensitive text in an edit; empty if there is none. */
export function additionLines(edit: EditView, seed: string, colors: Colors): string[] {
  const text = sensitiveText(editAdditions(edit, seed))
  return text === undefined ? [] : [`      ${colors.red('adds:')} ${oneLine(text)}`]
}

/** All edits of a trials run with their evidence, accepted edits first. */
export function trialEditsBlock({ loop, trialEdits }: RunView, colors: Colors, seed: string): string {
  if (loop !== 'trials') return ''
  if (trialEdits.length === 0) return 'No edits proposed yet.'
  return [
    `${colors.bold('edits')}  ${trialCountsText(trialEdits)}`,
    ...inEvidenceOrder(trialEdits).flatMap(edit => trialEditLines(edit, colors, seed)),
  ].join('\n')
}

/** The edits that became part of the skill. The report at the end of a run shows them first. */
export function acceptedEditsBlock({ loop, trialEdits }: RunView, colors: Colors, seed: string): string {
  const accepted = loop === 'trials' ? trialEdits.filter(isAccepted) : []
  return accepted
    .flatMap(edit => {
      const { sign, paint } = signOf(edit, colors)
      return [
        `${paint(sign)} ${editText(edit)}`,
        `    ${oneLine(editEvidence(edit))}`,
        ...additionLines(edit, seed, colors),
      ]
    })
    .join('\n')
}

/** Describes the result of a round of trials in one clause. */
export function roundText({ round }: Pick<StepView, 'round'>): string {
  if (round === undefined) return ''
  const { variants, attempts, admitted, known, full } = round
  const outside = [
    ...(known === 0 ? [] : [`${known} already tried`]),
    ...(full === 0 ? [] : [`${full} left out: too many on trial`]),
  ]
  const joined = admitted.length + known + full === 0 ? '' : `; ${plural(admitted.length, 'edit')} joined`
  return `${plural(attempts, 'attempt')} with ${plural(variants, 'variant')} of the skill${joined}${outside.length === 0 ? '' : ` (${outside.join(', ')})`}`
}
