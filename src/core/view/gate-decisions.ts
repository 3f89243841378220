import type { GateView, RunView } from './run-view.js'

/** The gate's decision on a candidate, as named in the report. */
export type Decision = 'accepted' | 'rejected' | 'underpowered' | 'abstained'

export function decisionOf({ action, verdict }: GateView): Decision {
  if (action === 'abstain') return 'abstained'
  if (action !== 'reject') return 'accepted'
  return verdict.decision === 'underpowered' ? 'underpowered' : 'rejected'
}

export interface Judged {
  readonly name: string
  /** Step of the decision; half a step later for a decision that follows a step. */
  readonly at: number
  readonly gate: GateView
  readonly decision: Decision
}

/**
 * All gate verdicts in order: steps, each epoch's slow update after its last step, then the last skill or
 * the final test.
 */
export function verdictsOf(view: RunView): readonly Judged[] {
  const name = view.loop === 'trials' ? 'checkpoint, round' : 'step'
  const steps = view.steps.flatMap(({ step, gate }) => (gate ? [judged(`${name} ${step}`, step, gate)] : []))
  const epochs = view.epochEnds.flatMap(({ epoch, slowUpdateGate }) =>
    slowUpdateGate
      ? [judged(`slow update, epoch ${epoch}`, lastStepOf(view, epoch) + 0.5, slowUpdateGate)]
      : [],
  )
  const last = view.lastVerdict
    ? [judged('last skill', (view.steps.at(-1)?.step ?? 0) + 0.5, view.lastVerdict)]
    : []
  const final = view.finalTest
    ? [judged('final test', (view.steps.at(-1)?.step ?? 0) + 0.5, view.finalTest)]
    : []
  return [...steps, ...epochs, ...last, ...final].sort((a, b) => a.at - b.at)
}

function judged(name: string, at: number, gate: GateView): Judged {
  return { name, at, gate, decision: decisionOf(gate) }
}

function lastStepOf(view: RunView, epoch: number): number {
  return view.steps.findLast(step => step.epoch === epoch)?.step ?? epoch * view.stepsPerEpoch
}
