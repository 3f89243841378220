import type { GateView, RunView } from '../core/state.js'
import type { LegendEntry, Tone } from './blocks.js'
import { element, type Markup } from './markup.js'

/** What the gate did with a candidate, in the words of the report. */
export type Decision = 'accepted' | 'rejected' | 'underpowered' | 'abstained'

export const decisionTones: Readonly<Record<Decision, Tone>> = {
  accepted: 'good',
  rejected: 'bad',
  underpowered: 'calm',
  abstained: 'unsure',
}

export function decisionOf({ action, verdict }: GateView): Decision {
  if (action === 'abstain') return 'abstained'
  if (action !== 'reject') return 'accepted'
  return verdict.decision === 'underpowered' ? 'underpowered' : 'rejected'
}

export interface Judged {
  readonly name: string
  /** Its step, or half a step after the one that it came after. */
  readonly at: number
  readonly gate: GateView
  readonly decision: Decision
}

/** Every verdict of the gate in order: steps, then the slow update of the epoch that they end, then the last skill. */
export function verdictsOf(view: RunView): readonly Judged[] {
  const steps = view.steps.flatMap(({ step, candidates }) =>
    candidates.flatMap(({ number, gate }, index) =>
      gate ? [judged(nameOf(step, number), step + beside * index, gate)] : [],
    ),
  )
  const epochs = view.epochEnds.flatMap(({ epoch, slowUpdateGate }) =>
    slowUpdateGate
      ? [judged(`slow update, epoch ${epoch}`, lastStepOf(view, epoch) + 0.5, slowUpdateGate)]
      : [],
  )
  const last = view.lastVerdict
    ? [judged('last skill', (view.steps.at(-1)?.step ?? 0) + 0.5, view.lastVerdict)]
    : []
  return [...steps, ...epochs, ...last].sort((a, b) => a.at - b.at)
}

/** How far from each other the candidates of a step stand in a plot, in steps. */
const beside = 0.12

export function nameOf(step: number, candidate: number): string {
  return candidate === 1 ? `step ${step}` : `step ${step}, candidate ${candidate}`
}

function judged(name: string, at: number, gate: GateView): Judged {
  return { name, at, gate, decision: decisionOf(gate) }
}

function lastStepOf(view: RunView, epoch: number): number {
  return view.steps.findLast(step => step.epoch === epoch)?.step ?? epoch * view.stepsPerEpoch
}

/** A mark of its own for each decision: colour alone would leave some readers out. */
export function mark(decision: Decision, x: number, y: number, size: number): Markup {
  const className = `mark ${decisionTones[decision]}`
  switch (decision) {
    case 'accepted':
      return element('circle', { cx: x, cy: y, r: size, class: className })
    case 'rejected': {
      const d = `M${x - size} ${y - size}L${x + size} ${y + size}M${x - size} ${y + size}L${x + size} ${y - size}`
      return element('path', { d, class: `${className} stroked` })
    }
    case 'underpowered': {
      const d = `M${x} ${y - size}L${x + size} ${y + size}H${x - size}Z`
      return element('path', { d, class: `${className} hollow` })
    }
    case 'abstained': {
      const d = `M${x} ${y - size}L${x + size} ${y}L${x} ${y + size}L${x - size} ${y}Z`
      return element('path', { d, class: `${className} hollow` })
    }
  }
}

export function legendOf(decisions: Iterable<Decision>): LegendEntry[] {
  const used = new Set(decisions)
  const all = Object.keys(decisionTones) as Decision[]
  return all.filter(name => used.has(name)).map(name => ({ name, mark: mark(name, 8, 6, 4) }))
}
