import {
  isAccepted,
  isTrialEdit,
  trialCountsText,
  trialFateWords,
} from '../../../src/core/view/edit-evidence.js'
import type {
  EditView,
  StepOutcome,
  StepView,
  TrialEditView,
  TrialFate,
} from '../../../src/core/view/run-view.js'
import type { BadgeTone } from './badge.js'

export interface Word {
  readonly tone: BadgeTone
  readonly text: string
}

/** Labels of the outcomes of steps, candidates and edits, shared by all pages. */
export const outcomeWords: Readonly<Record<StepOutcome, Word>> = {
  accepted: { tone: 'good', text: 'accepted' },
  rejected: { tone: 'bad', text: 'rejected' },
  abstained: { tone: 'warn', text: 'not decided' },
  'no-edits': { tone: 'plain', text: 'no edits' },
  'nothing-applied': { tone: 'plain', text: 'nothing applied' },
  'optimizer-failed': { tone: 'warn', text: 'optimizer failed' },
}

export const editVerbs: Readonly<Record<EditView['op'], string>> = {
  append: 'Added at the end',
  insert_after: 'Added after a passage',
  replace: 'In place of a passage',
  delete: 'A passage was deleted',
  rewrite: 'The skill was rewritten',
  suggest: 'Suggested',
  remind: 'A reminder in the appendix',
}

const trialTones: Readonly<Record<TrialFate, BadgeTone>> = {
  'on-trial': 'info',
  accepted: 'good',
  kept: 'good',
  dropped: 'bad',
  'taken-back': 'bad',
  pruned: 'bad',
  undecided: 'plain',
}

/** Label for the fate of an edit on trial. */
export function trialWord({ fate }: Pick<TrialEditView, 'fate'>): Word {
  return { tone: trialTones[fate], text: trialFateWords[fate] }
}

/** Label for the outcome of a step. For a round of trials it counts the edits that were decided. */
export function stepWord(step: StepView): Word | undefined {
  if (step.outcome === undefined) return undefined
  if (step.round === undefined) return outcomeWords[step.outcome]
  const edits = step.edits.filter(isTrialEdit)
  if (edits.length === 0) return { tone: 'plain', text: 'nothing decided' }
  return { tone: edits.some(isAccepted) ? 'good' : 'plain', text: trialCountsText(edits) }
}

type StepFate = Exclude<EditView['fate'], TrialFate> | 'dropped'

const fateWords: Readonly<Record<StepFate, Word>> = {
  merged: { tone: 'plain', text: 'merged' },
  dropped: { tone: 'plain', text: 'not selected' },
  selected: { tone: 'info', text: 'selected' },
  applied: { tone: 'info', text: 'applied' },
  unmatched: { tone: 'warn', text: 'unmatched' },
  refused: { tone: 'warn', text: 'refused' },
  empty: { tone: 'plain', text: 'empty' },
}

/** Label for the fate of an edit. An applied edit has the outcome of its candidate, once that is known. */
export function fateWord(step: StepView, edit: EditView): Word {
  if (isTrialEdit(edit)) return trialWord(edit)
  if (edit.fate !== 'applied') return fateWords[edit.fate as StepFate]
  return step.outcome === undefined ? fateWords.applied : outcomeWords[step.outcome]
}
