import { points } from '../../core/text/format.js'
import type { RunView } from '../../core/view/fold.js'
import { type Judged, verdictsOf } from '../../core/view/gate-decisions.js'
import { gateChange, gateChangeText, gateScoreText } from '../../core/view/gate-estimate.js'
import type { Chart } from '../blocks/blocks.js'
import { element, fragment, type Markup } from '../blocks/markup.js'
import { decisionTones, legendOf, mark } from './decisions.js'
import { line, type Plot, plotOf, stepAxis, ticks, valueAxis, whisker } from './frame.js'

/** The change in validation score by each candidate, with the gate's decision. */
export function gateChart(view: RunView): Chart | undefined {
  const verdicts = verdictsOf(view)
  if (verdicts.length === 0) return undefined
  const changes = verdicts.flatMap(({ gate }) => {
    const { effect } = gate.verdict
    return [gateChange(gate) ?? 0, ...(effect ? [effect.low, effect.high] : [])]
  })
  const lowest = Math.min(0, ...changes)
  const highest = Math.max(0, ...changes)
  const margin = Math.max(0.02, (highest - lowest) * 0.12)
  const [low, high] = [lowest - margin, highest + margin]
  const last = Math.max(...verdicts.map(({ at }) => at))
  return {
    kind: 'chart',
    title: 'Change of the validation score, in points',
    description: `The change of the validation score against the current skill for ${verdicts.length} candidates: ${tally(verdicts)}.`,
    legend: legendOf(verdicts.map(({ decision }) => decision)),
    draw: width => {
      const height = width < 500 ? 200 : 240
      const plot = plotOf({ width, height }, { x: [0.5, last + 0.5], y: [low, high] })
      // Slow updates are drawn between two steps.
      const room = (plot.right - plot.left) / (2 * last)
      const content = fragment(
        valueAxis(plot, ticks([low, high], 7), signed),
        line({ x1: plot.left, y1: plot.y(0), x2: plot.right, y2: plot.y(0) }, 'axis'),
        verdicts.map(verdict => bar(verdict, plot, room)),
        stepAxis(plot, [1, Math.floor(last)], 'step'),
      )
      return { width, height, content }
    },
  }
}

function bar({ name, at, gate, decision }: Judged, plot: Plot, room: number): Markup {
  const change = gateChange(gate) ?? 0
  const { effect } = gate.verdict
  const width = Math.min(26, Math.max(1, room * 0.8))
  const x = plot.x(at)
  const [zero, end] = [plot.y(0), plot.y(change)]
  const title = `${name}: ${decision}, ${points(gate.current)} to ${gateScoreText(gate)}, ${gateChangeText(gate)} points`
  return element(
    'g',
    {},
    element('title', {}, title),
    element('rect', {
      x: x - width / 2,
      y: Math.min(zero, end),
      width,
      height: Math.abs(end - zero),
      class: `bar ${decisionTones[decision]}${room < 4 ? ' dense' : ''}`,
    }),
    effect && room >= 4
      ? whisker({ x, low: plot.y(effect.low), high: plot.y(effect.high), half: width / 4 }, 'whisker')
      : undefined,
    room >= 4 ? mark(decision, { x, y: end }, Math.min(4, room / 3)) : undefined,
  )
}

export function tally(verdicts: readonly Judged[]): string {
  const counts = Object.keys(decisionTones).map(decision => ({
    decision,
    number: verdicts.filter(verdict => verdict.decision === decision).length,
  }))
  return counts.flatMap(({ decision, number }) => (number === 0 ? [] : [`${number} ${decision}`])).join(', ')
}

/** Formats whole points, because a gridline at +12.5 would suggest more precision than a plot has. */
function signed(value: number): string {
  const whole = Math.round(value * 100)
  return whole > 0 ? `+${whole}` : String(whole).replace('-', '−')
}
