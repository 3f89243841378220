import { duration, oneLine, plural, points } from '../../core/text/format.js'
import {
  inEvidenceOrder,
  isAccepted,
  isTrialEdit,
  pointsText,
  rangeText,
  trialCounts,
  trialCountsText,
  trialFateWords,
} from '../../core/view/edit-evidence.js'
import { editText } from '../../core/view/edit-text.js'
import type { RunView, TrialEditView } from '../../core/view/fold.js'
import { gateScoreText } from '../../core/view/gate-estimate.js'
import type { Block, Cell, Section, Table, Tone } from '../blocks/blocks.js'
import { additionBlocks } from './additions.js'

/** Every edit in training by trials, with the evidence for or against it. */
export function trialEditSection({ trialEdits }: RunView, seed: string): Section[] {
  const blocks: Block[] =
    trialEdits.length === 0
      ? [{ kind: 'text', text: 'No edits proposed.' }]
      : [
          {
            kind: 'text',
            text: `${plural(trialEdits.length, 'edit')} tried: ${trialCountsText(trialEdits)}.`,
          },
          editTable(trialEdits),
          ...additionBlocks(trialEdits, seed),
        ]
  return [{ id: 'edits', title: 'Edits', blocks }]
}

function editTable(edits: readonly TrialEditView[]): Table {
  return {
    kind: 'table',
    caption: 'Edits, their effect on the tasks they concern, and the decision',
    head: ['edit', 'cause', 'effect', '95% interval', 'trials', 'tasks', 'decision', 'reason'],
    rows: inEvidenceOrder(edits).map(editCells),
    right: [2, 3, 4, 5],
  }
}

function editCells(edit: TrialEditView): Cell[] {
  const { fate, trial, reason } = edit
  const { evidence } = trial
  const effect = evidence?.effect
  return [
    editText(edit),
    trial.cause === '' ? '–' : oneLine(trial.cause),
    effect === undefined ? '–' : pointsText(effect.mean),
    effect === undefined ? '–' : rangeText(effect),
    evidence === undefined ? '–' : String(evidence.trials),
    evidence === undefined ? '–' : String(evidence.tasks),
    {
      text: `${trialFateWords[fate]}, round ${trial.decided ?? trial.admitted}`,
      tone: toneOf(edit),
    },
    oneLine(reason ?? ''),
  ]
}

function toneOf(edit: TrialEditView): Tone {
  if (isAccepted(edit)) return 'good'
  return edit.fate === 'on-trial' || edit.fate === 'undecided' ? 'calm' : 'bad'
}

/** Table of the steps in training by trials. */
export function roundTable({ steps }: RunView): Table {
  const rows = steps.map(({ step, epoch, round, edits, gate, activeFrom, activeTo }) => {
    const { accepted, dropped, takenBack } = trialCounts(edits.filter(isTrialEdit))
    return [
      String(step),
      String(epoch),
      String(round?.attempts ?? 0),
      String(round?.variants ?? 0),
      String(round?.admitted.length ?? 0),
      String(accepted),
      String(dropped),
      String(takenBack),
      gate === undefined ? '–' : `${points(gate.current)} to ${gateScoreText(gate)}`,
      activeTo === undefined ? '–' : duration(activeTo - activeFrom),
    ]
  })
  const head = ['round', 'epoch', 'attempts', 'variants', 'joined', 'accepted', 'dropped', 'taken back']
  const right = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]
  return { kind: 'table', caption: 'Rounds', head: [...head, 'checkpoint', 'time'], rows, right }
}
