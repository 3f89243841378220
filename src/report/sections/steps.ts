import { type Judged, nameOf, verdictsOf } from '../../core/decisions.js'
import { editCounts } from '../../core/edit-counts.js'
import { editText } from '../../core/edit-text.js'
import { duration, oneLine, plural, points, signedPoints } from '../../core/format.js'
import type { EditView, RunView, StepView } from '../../core/state.js'
import { type EditOutcome, outcomeOfEdit } from '../../core/state-candidates.js'
import type { Block, Cell, Section, Tone } from '../blocks.js'
import { editChart } from '../charts/edits.js'
import { gateChart, tally } from '../charts/gate.js'
import { scoreChart } from '../charts/scores.js'
import { decisionTones } from '../decisions.js'
import type { ReportSource } from '../source.js'

export function scoreSection({ view }: ReportSource): Section[] {
  if (view.kind !== 'train') return []
  const chart = scoreChart(view)
  const blocks: Block[] = [
    ...(chart ? [chart] : []),
    ...(view.steps.length === 0
      ? [{ kind: 'text', text: 'No step has begun yet.' } as const]
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
      step.gate ? points(step.gate.score) : '–',
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

const outcomeOf = ({ outcome }: StepView) => outcome?.replaceAll('-', ' ') ?? 'under way'

function outcomeTone(outcome: EditOutcome | undefined): Tone {
  if (outcome === 'accepted') return 'good'
  if (outcome === 'rejected' || outcome === 'screened-out') return 'bad'
  return outcome === undefined || outcome === 'untried' || outcome === 'carried-nothing' ? 'calm' : 'unsure'
}

export function gateSection({ view }: ReportSource): Section[] {
  const verdicts = verdictsOf(view)
  const chart = gateChart(view)
  const screens = screenBlocks(view)
  if (!chart && screens.length === 0) return []
  const decisions: Block[] = chart
    ? [
        { kind: 'text', text: gateSentence(verdicts) },
        chart,
        folded(`All decisions (${verdicts.length})`, {
          kind: 'table',
          caption: 'Decisions of the gate, with their reasons',
          head: ['candidate', 'decision', 'was', 'now', 'points', '95% interval', 'reason'],
          rows: verdicts.map(verdictCells),
          right: [2, 3, 4, 5],
        }),
      ]
    : []
  return [{ id: 'gate', title: 'The gate', blocks: [...decisions, ...screens] }]
}

/** Which candidates were looked at before the gate, and which of them never got there. */
function screenBlocks(view: RunView): Block[] {
  const screened = view.steps.flatMap(({ step, candidates }) =>
    candidates.flatMap(({ number, screen }) => (screen ? [{ name: nameOf(step, number), screen }] : [])),
  )
  if (screened.length === 0) return []
  const killed = screened.filter(({ screen }) => screen.verdict === 'killed').length
  const attempts = screened.reduce((sum, { screen }) => sum + screen.tried, 0)
  const text = `The screen looked at ${plural(screened.length, 'candidate')} with ${plural(attempts, 'attempt')}, and ${killed === 0 ? 'let all of them through to the gate' : `kept ${killed} from the gate as clear losers`}.`
  const rows = screened.map(({ name, screen }): Cell[] => [
    name,
    screen.verdict === 'killed' ? { text: 'screened out', tone: 'bad' } : 'on to the gate',
    String(screen.tried),
    String(screen.gained),
    String(screen.lost),
    oneLine(screen.reason),
  ])
  const table: Block = {
    kind: 'table',
    caption: 'Candidates before the gate: attempts, and train tasks gained and lost',
    head: ['candidate', 'verdict', 'attempts', 'gained', 'lost', 'reason'],
    rows,
    right: [2, 3, 4],
  }
  return [{ kind: 'text', text }, folded(`All that was screened (${screened.length})`, table)]
}

function verdictCells({ name, decision, gate }: Judged): Cell[] {
  const { effect, complete, reason } = gate.verdict
  return [
    name,
    {
      text: gate.action === 'accept_new_best' ? 'accepted, new best' : decision,
      tone: decisionTones[decision],
    },
    points(gate.current),
    `${complete ? '' : '≤ '}${points(gate.score)}`,
    signedPoints(gate.score - gate.current),
    effect ? `${signedPoints(effect.low)} to ${signedPoints(effect.high)}` : '–',
    oneLine(reason),
  ]
}

/** What the gate was worth: the rejected candidate that would have done most harm, by what validation said of it. */
function gateSentence(verdicts: readonly Judged[]): string {
  const change = ({ gate }: Judged) => gate.score - gate.current
  const harmful = verdicts.filter(each => each.decision !== 'accepted' && change(each) < 0)
  const [worst] = harmful.toSorted((a, b) => change(a) - change(b))
  const counted = `${verdicts.length === 1 ? 'One candidate' : `${verdicts.length} candidates`}: ${tally(verdicts)}.`
  if (worst === undefined) return counted
  return `${counted} The gate kept out ${harmful.length} that did worse on validation, the worst by ${worst.gate.verdict.complete ? '' : 'at least '}${signedPoints(change(worst))} points (${worst.name}).`
}

export function editSection({ view }: ReportSource): Section[] {
  const chart = editChart(view)
  if (!chart) return []
  const edits = view.steps.flatMap(step => step.edits.map(edit => ({ step, edit })))
  const blocks: Block[] = [
    chart,
    ...(edits.length === 0
      ? [{ kind: 'text', text: 'No edit has been merged yet.' } as const]
      : [
          folded(`All merged edits (${edits.length})`, {
            kind: 'table',
            caption: 'Edits, what became of them and why they were made',
            head: ['step', 'edit', 'fate', 'support', 'why', 'tasks'],
            rows: edits.map(({ step, edit }) => editCells(step, edit)),
            right: [0, 3],
          }),
        ]),
    ...attributionBlocks(view),
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

/** An applied edit shares the fate of its candidate. */
function fateOf(step: StepView, edit: EditView): string {
  const outcome = outcomeOfEdit(step, edit)
  return edit.fate === 'applied' && outcome !== undefined
    ? `applied, ${outcome.replaceAll('-', ' ')}`
    : edit.fate
}

function fateTone(step: StepView, edit: EditView): Tone {
  const { fate } = edit
  if (fate === 'applied') return outcomeTone(outcomeOfEdit(step, edit))
  return fate === 'unmatched' || fate === 'refused' || fate === 'empty' ? 'unsure' : 'calm'
}

/** What the edits of accepted candidates carry, where that was looked for; those not told apart share a row. */
function attributionBlocks({ steps }: RunView): Block[] {
  const rows = steps.flatMap(({ step, edits }) =>
    [...new Set(edits.map(edit => edit.attribution))].flatMap(found => {
      if (found === undefined) return []
      const { contribution, fate, reason } = found
      const shared = edits.filter(edit => edit.attribution === found)
      return [
        [
          String(step),
          shared.map(editText).join('; '),
          { text: fate, tone: fate === 'kept' ? ('good' as const) : ('calm' as const) },
          contribution ? signedPoints(contribution.mean) : '–',
          contribution ? `${signedPoints(contribution.low)} to ${signedPoints(contribution.high)}` : '–',
          oneLine(reason),
        ],
      ]
    }),
  )
  if (rows.length === 0) return []
  const head = ['step', 'edit', 'fate', 'points', '95% interval', 'reason']
  const caption = 'Which edits carry the gain of accepted candidates'
  return [folded('What edits carry', { kind: 'table', caption, head, rows, right: [0, 3, 4] })]
}

/** What the end of each epoch brought. */
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
