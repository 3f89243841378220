import type {
  EditView,
  EpochEndView,
  GateView,
  RunView,
  StepView,
} from '../../../../src/core/view/run-view.js'
import type { GateName } from '../../../../src/dashboard/contract/details.js'

export interface ListedDecision {
  readonly name: GateName
  readonly gate: GateView
  readonly epoch: number
}

export type Decisions = Pick<RunView, 'steps' | 'epochEnds' | 'lastVerdict'> &
  Partial<Pick<RunView, 'finalTest'>>

/**
 * All gate decisions in the order of the loop: each step, then its slow update, then the last skill and the
 * final test.
 */
export function allDecisions({
  steps,
  epochEnds,
  lastVerdict,
  finalTest,
}: Decisions): readonly ListedDecision[] {
  const inEpochs = epochsOf(steps, epochEnds).flatMap(({ epoch, steps: own, end }) => [
    ...own.flatMap(({ step, gate }) => (gate === undefined ? [] : [{ name: String(step), gate, epoch }])),
    ...(end?.slowUpdateGate === undefined
      ? []
      : [{ name: `epoch-${epoch}`, gate: end.slowUpdateGate, epoch }]),
  ])
  const epoch = steps.at(-1)?.epoch ?? 0
  return [
    ...inEpochs,
    ...(lastVerdict === undefined ? [] : [{ name: 'last', gate: lastVerdict, epoch }]),
    ...(finalTest === undefined ? [] : [{ name: 'final', gate: finalTest, epoch }]),
  ]
}

export interface ListedEpoch {
  readonly epoch: number
  readonly steps: readonly StepView[]
  readonly end: EpochEndView | undefined
}

export function epochsOf(
  steps: readonly StepView[],
  epochEnds: readonly EpochEndView[],
): readonly ListedEpoch[] {
  const numbers = [...new Set([...steps, ...epochEnds].map(({ epoch }) => epoch))].sort((a, b) => a - b)
  return numbers.map(epoch => ({
    epoch,
    steps: steps.filter(step => step.epoch === epoch),
    end: epochEnds.find(end => end.epoch === epoch),
  }))
}

/** Filter of the list of steps. An empty string matches everything. */
export interface StepFilter {
  readonly words: string
  readonly outcome: string
}

/** Whether a step has the requested outcome and every search word occurs in one of its edits. */
export function matchesStep(step: StepView, { words, outcome }: StepFilter): boolean {
  if (outcome !== '' && (step.outcome ?? 'under-way') !== outcome) return false
  const wanted = words
    .toLowerCase()
    .split(/\s+/)
    .filter(word => word !== '')
  return wanted.length === 0 || step.edits.some(edit => hasWords(edit, wanted))
}

function hasWords({ id, title, target, content, why, tasks }: EditView, wanted: readonly string[]): boolean {
  const text = [id, title, target, content, why, ...tasks].join('\n').toLowerCase()
  return wanted.every(word => text.includes(word))
}

/** Number of applied edits whose candidate was not accepted. */
export function rejectedEdits({ outcome, edits }: StepView): number {
  if (outcome !== 'rejected' && outcome !== 'abstained') return 0
  return edits.filter(({ fate }) => fate === 'applied').length
}

export interface EditGroup {
  readonly title: string
  readonly edits: readonly EditView[]
}

const groups: readonly { readonly title: string; readonly fates: readonly EditView['fate'][] }[] = [
  { title: 'Accepted', fates: ['accepted', 'kept'] },
  { title: 'Taken back', fates: ['taken-back', 'pruned'] },
  { title: 'Applied', fates: ['applied'] },
  { title: 'Selected', fates: ['selected'] },
  { title: 'Unmatched', fates: ['unmatched'] },
  { title: 'Refused', fates: ['refused', 'empty'] },
  { title: 'Merged', fates: ['merged'] },
  { title: 'Not selected', fates: ['dropped'] },
]

/** Edits grouped by fate. */
export function groupedEdits(edits: readonly EditView[]): readonly EditGroup[] {
  const isByTrials = edits.some(({ trial }) => trial !== undefined)
  return groups
    .map(({ title, fates }) => ({
      title: isByTrials && title === 'Not selected' ? 'Dropped' : title,
      edits: edits.filter(({ fate }) => fates.includes(fate)),
    }))
    .filter(group => group.edits.length > 0)
}
