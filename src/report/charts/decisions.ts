import type { Decision } from '../../core/view/gate-decisions.js'
import type { LegendEntry, Tone } from '../blocks/blocks.js'
import { element, type Markup } from '../blocks/markup.js'
import type { Point } from './frame.js'

export const decisionTones: Readonly<Record<Decision, Tone>> = {
  accepted: 'good',
  rejected: 'bad',
  underpowered: 'calm',
  abstained: 'unsure',
}

/** Draws the mark of a decision. Each has its own shape, since not everyone can tell the colours apart. */
export function mark(decision: Decision, { x, y }: Point, size: number): Markup {
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
  return all.filter(name => used.has(name)).map(name => ({ name, mark: mark(name, { x: 8, y: 6 }, 4) }))
}
