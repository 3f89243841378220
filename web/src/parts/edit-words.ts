import type { EditView, StepView } from '../../../src/core/run-view.js'
import type { EditOutcome } from '../../../src/core/state-candidates.js'
import { outcomeOfEdit } from '../../../src/core/state-candidates.js'
import type { BadgeTone } from './badge.js'

export interface Word {
  readonly tone: BadgeTone
  readonly text: string
}

/** What became of a step, a candidate or an edit, as it is said on every page. */
export const outcomeWords: Readonly<Record<EditOutcome, Word>> = {
  accepted: { tone: 'good', text: 'accepted' },
  rejected: { tone: 'bad', text: 'rejected' },
  abstained: { tone: 'warn', text: 'not decided' },
  'no-edits': { tone: 'plain', text: 'no edits' },
  'nothing-applied': { tone: 'plain', text: 'nothing applied' },
  'optimizer-failed': { tone: 'warn', text: 'optimizer failed' },
  'screened-out': { tone: 'bad', text: 'screened out' },
  untried: { tone: 'plain', text: 'not tried' },
  'carried-nothing': { tone: 'warn', text: 'carried nothing' },
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

const fateWords: Readonly<Record<EditView['fate'], Word>> = {
  merged: { tone: 'plain', text: 'merged' },
  dropped: { tone: 'plain', text: 'not selected' },
  selected: { tone: 'info', text: 'selected' },
  applied: { tone: 'info', text: 'applied' },
  unmatched: { tone: 'warn', text: 'unmatched' },
  refused: { tone: 'warn', text: 'refused' },
  empty: { tone: 'plain', text: 'empty' },
}

/** An applied edit shares the fate of its candidate, once that is known. */
export function fateWord(step: StepView, edit: EditView): Word {
  if (edit.fate !== 'applied') return fateWords[edit.fate]
  const outcome = outcomeOfEdit(step, edit)
  return outcome === undefined ? fateWords.applied : outcomeWords[outcome]
}
