import { duration, oneLine, points, signedPoints } from '../../core/text/format.js'
import { editCounts } from '../../core/view/edit-counts.js'
import { editText } from '../../core/view/edit-text.js'
import type { EditView, RunView, StepOutcome, StepView } from '../../core/view/fold.js'
import { type Judged, verdictsOf } from '../../core/view/gate-decisions.js'
import { gateChange, gateChangeText, gateScoreText } from '../../core/view/gate-estimate.js'
import type { Block, Cell, Section, Tone } from '../blocks/blocks.js'
import type { ReportSource } from '../blocks/source.js'
import { decisionTones } from '../charts/decisions.js'
import { editChart } from '../charts/edits.js'
import { gateChart, tally } from '../charts/gate.js'
import { scoreChart } from '../charts/scores.js'
import { additionBlocks } from './additions.js'
import { roundTable, trialEditSection } from './trials.js'

export function scoreSection({ view }: ReportSource): Section[] {
  if (view.kind !== 'train') return []
  const chart = scoreChart(view)
  const blocks: Block[] = [
    ...(chart ? [chart] : []),
    ...(view.steps.length === 0
      ? [{ kind: 'text', text: 'No steps yet.' } as const]
      : view.loop === 'trials'
        ? [folded(`All rounds (${view.steps.length})`, roundTable(view))]
        : [folded(`All steps (${view.steps.length})`, stepTable(view))]),
  ]
  return [{ id: 'scores', title: 'Training', blocks }]
}

function stepTable(view: RunView): Block {
  const rows = view.steps.map(step => {
    const counts = editCounts(step)
    return [
      String(step.step),
      String(step.epoch),
      { text: outcomeOf(step), tone: outcomeTone(step.outcome) },
      step.rollout && step.rollout.scored > 0 ? points(step.rollout.hard) : '–',
      step.gate ? gateScoreText(step.gate) : '–',
      String(counts.proposed),
      String(counts.merged),
      String(counts.selected),
      String(counts.applied),
      String(counts.unmatched),
      step.budget === undefined ? '–' : String(step.budget),
      step.activeTo === undefined ? '–' : duration(step.activeTo - step.activeFrom),
    ]
  })
  const head = [
    'step',
    'epoch',
    'outcome',
    'train',
    'validation',
    'proposed',
    'merged',
    'selected',
    'applied',
    'unmatched',
    'budget',
    'time',
  ]
  return { kind: 'table', caption: 'Steps', head, rows, right: [0, 1, 3, 4, 5, 6, 7, 8, 9, 10, 11] }
}

const outcomeOf = ({ outcome }: StepView) => outcome?.replaceAll('-', ' ') ?? 'in progress'

function outcomeTone(outcome: StepOutcome | undefined): Tone {
  if (outcome === 'accepted') return 'good'
  if (outcome === 'rejected') return 'bad'
  return outcome === undefined ? 'calm' : 'unsure'
}

export function gateSection({ view }: ReportSource): Section[] {
  const verdicts = verdictsOf(view)
  const chart = gateChart(view)
  if (!chart) return []
  const blocks: Block[] = [
    { kind: 'text', text: gateSentence(verdicts) },
    chart,
    folded(`All decisions (${verdicts.length})`, {
      kind: 'table',
      caption: 'Gate decisions and their reasons',
      head: ['candidate', 'decision', 'was', 'now', 'points', '95% interval', 'reason'],
      rows: verdicts.map(verdictCells),
      right: [2, 3, 4, 5],
    }),
  ]
  return [{ id: 'gate', title: 'The gate', blocks }]
}

function verdictCells({ name, decision, gate }: Judged): Cell[] {
  const { effect, reason } = gate.verdict
  return [
    name,
    {
      text: gate.action === 'accept_new_best' ? 'accepted, new best' : decision,
      tone: decisionTones[decision],
    },
    points(gate.current),
    gateScoreText(gate),
    gateChangeText(gate),
    effect ? `${signedPoints(effect.low)} to ${signedPoints(effect.high)}` : '–',
    oneLine(reason),
  ]
}

/** Shows what the gate prevented: the rejected candidate with the largest loss on validation. */
function gateSentence(verdicts: readonly Judged[]): string {
  const change = ({ gate }: Judged) => gateChange(gate) ?? 0
  const harmful = verdicts.filter(each => each.decision !== 'accepted' && change(each) < 0)
  const [worst] = harmful.toSorted((a, b) => change(a) - change(b))
  const counted = `${verdicts.length === 1 ? 'One candidate' : `${verdicts.length} candidates`}: ${tally(verdicts)}.`
  if (worst === undefined) return counted
  return `${counted} The gate rejected ${harmful.length} that did worse on validation, the worst by ${worst.gate.verdict.complete ? '' : 'about '}${signedPoints(change(worst))} points (${worst.name}).`
}

export function editSection({ view, seed }: ReportSource): Section[] {
  if (view.loop === 'trials') return trialEditSection(view, seed)
  const chart = editChart(view)
  if (!chart) return []
  const edits = view.steps.flatMap(step => step.edits.map(edit => ({ step, edit })))
  const blocks: Block[] = [
    chart,
    ...(edits.length === 0
      ? [{ kind: 'text', text: 'No merged edits yet.' } as const]
      : [
          folded(`All merged edits (${edits.length})`, {
            kind: 'table',
            caption: 'Edits, their outcome and their reason',
            head: ['step', 'edit', 'fate', 'support', 'why', 'tasks'],
            rows: edits.map(({ step, edit }) => editCells(step, edit)),
            right: [0, 3],
          }),
        ]),
    ...additionBlocks(
      edits.map(({ edit }) => edit),
      seed,
    ),
    ...epochBlocks(view),
  ]
  return [{ id: 'edits', title: 'Edits', blocks }]
}

function editCells(step: StepView, edit: EditView): Cell[] {
  const reason = edit.reason !== undefined && edit.fate !== 'applied' ? `: ${oneLine(edit.reason)}` : ''
  return [
    String(step.step),
    editText(edit),
    { text: `${fateOf(step, edit)}${reason}`, tone: fateTone(step, edit) },
    edit.support === 0 ? '–' : String(edit.support),
    oneLine(edit.why ?? ''),
    tasksText(edit),
  ]
}

export function tasksText({ tasks, taskCount }: EditView): string {
  const more = taskCount > tasks.length ? ` and ${taskCount - tasks.length} more` : ''
  return `${oneLine(tasks.join(', '))}${more}`
}

/** Outcome of an edit. An applied edit has the outcome of its candidate. */
function fateOf(step: StepView, edit: EditView): string {
  return edit.fate === 'applied' && step.outcome !== undefined
    ? `applied, ${step.outcome.replaceAll('-', ' ')}`
    : edit.fate
}

function fateTone(step: StepView, edit: EditView): Tone {
  const { fate } = edit
  if (fate === 'applied') return outcomeTone(step.outcome)
  return fate === 'unmatched' || fate === 'refused' || fate === 'empty' ? 'unsure' : 'calm'
}

/** Outcomes of the epoch ends. */
function epochBlocks({ epochEnds }: RunView): Block[] {
  if (epochEnds.length === 0) return []
  const rows = epochEnds.map(({ epoch, slowUpdate, metaSkill }) => {
    const pairs = slowUpdate?.pairs
    return [
      String(epoch),
      slowUpdate?.outcome ?? '–',
      pairs ? `${pairs.improved} / ${pairs.regressed} / ${pairs.persistent} / ${pairs.stable}` : '–',
      oneLine(slowUpdate?.guidance ?? ''),
      metaSkill === undefined ? '–' : oneLine(metaSkill.content ?? 'failed'),
    ]
  })
  const head = [
    'epoch',
    'slow update',
    'improved / regressed / still failing / still right',
    'guidance',
    'meta skill',
  ]
  return [
    folded('Ends of epochs', {
      kind: 'table',
      caption: 'Slow update and meta skill',
      head,
      rows,
      right: [0],
    }),
  ]
}

const folded = (title: string, block: Block): Block => ({ kind: 'folded', title, blocks: [block] })
