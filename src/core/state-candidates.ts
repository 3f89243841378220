import type { EventBody } from './event.js'
import type { CandidateView, EditView, GateView, ScreenView, StepView } from './run-view.js'

/** The candidates of a step, from their making to what became of them. */

export function candidatesOfUpdate(
  before: readonly CandidateView[],
  { candidate: number = 1, skill, text }: EventBody<'update.finished'>,
): readonly CandidateView[] {
  return [...before, { number, skill, text, screen: undefined, gate: undefined, isUntried: false }]
}

export function candidatesOfScreen(
  before: readonly CandidateView[],
  { candidate, tried, gained, lost, verdict, reason }: EventBody<'screen.finished'>,
): readonly CandidateView[] {
  const screen: ScreenView = { tried: tried.length, gained, lost, verdict, reason }
  return changed(before, candidate, { screen })
}

export function candidatesOfGate(before: readonly CandidateView[], gate: GateView): readonly CandidateView[] {
  return changed(before, gate.candidate, { gate })
}

/** What the step is about from now on. */
export function candidateAtGate(step: StepView, hash: string): StepView['candidate'] {
  const found = step.candidates.find(({ skill }) => skill === hash)
  return found === undefined ? step.candidate : { skill: found.skill, text: found.text }
}

export function candidatesOfEnd(
  before: readonly CandidateView[],
  { untried = [] }: EventBody<'step.finished'>,
): readonly CandidateView[] {
  return untried.reduce((candidates, skill) => changed(candidates, skill, { isUntried: true }), before)
}

/** Candidates of the same text are one: the first of them was judged. */
function changed(
  before: readonly CandidateView[],
  skill: string,
  change: Partial<CandidateView>,
): readonly CandidateView[] {
  const index = before.findIndex(candidate => candidate.skill === skill)
  const known = before[index]
  return known === undefined ? before : before.with(index, { ...known, ...change })
}

export type CandidateOutcome = NonNullable<StepView['outcome']> | 'screened-out' | 'untried'

/** What became of one of several candidates; of a single one the step says it. */
export function outcomeOfCandidate(
  { outcome }: StepView,
  { screen, gate, isUntried }: CandidateView,
): CandidateOutcome | undefined {
  if (isUntried) return 'untried'
  if (screen?.verdict === 'killed') return 'screened-out'
  if (gate === undefined) return outcome === 'accepted' ? 'nothing-applied' : outcome
  if (gate.action === 'reject') return 'rejected'
  return gate.action === 'abstain' ? 'abstained' : 'accepted'
}

export type EditOutcome = CandidateOutcome | 'carried-nothing'

/** An applied edit shares the fate of its candidate, once that is known, unless it was dropped from it afterwards. */
export function outcomeOfEdit(step: StepView, edit: EditView): EditOutcome | undefined {
  if (edit.attribution?.fate === 'dropped') return 'carried-nothing'
  const own = step.candidates.find(({ number }) => number === edit.candidate)
  return own === undefined || step.outcome === undefined ? step.outcome : outcomeOfCandidate(step, own)
}
