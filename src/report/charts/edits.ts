import { plural } from '../../core/text/format.js'
import { type EditCounts, editCounts } from '../../core/view/edit-counts.js'
import type { RunView, StepView } from '../../core/view/fold.js'
import type { Chart } from '../blocks/blocks.js'
import { element, fragment, type Markup } from '../blocks/markup.js'
import { line, type Plot, plotOf, stairs, stepAxis, ticks, valueAxis } from './frame.js'

const layers = ['proposed', 'merged', 'selected', 'applied'] as const

/** Funnel of edits at each step, with the budget that limits it. */
export function editChart(view: RunView): Chart | undefined {
  const { steps } = view
  if (steps.length === 0) return undefined
  const counts = steps.map(step => ({ step, counts: editCounts(step) }))
  const highest = Math.max(
    1,
    ...counts.map(each => Math.max(each.counts.proposed, each.counts.merged)),
    ...steps.map(({ budget }) => budget ?? 0),
  )
  const lost = counts.some(each => each.counts.unmatched + each.counts.refused > 0)
  const last = steps.at(-1)?.step ?? 1
  return {
    kind: 'chart',
    title: 'Edits by step',
    description: `For each step how many edits were proposed, how many were left after merging, how many the budget let through, and how many were applied. In all ${total(counts, 'proposed')} proposed, ${total(counts, 'applied')} applied, ${total(counts, 'unmatched')} unmatched.`,
    legend: [
      ...layers.map(name => ({ name, mark: swatch(name) })),
      ...(lost ? [{ name: 'unmatched or refused', mark: swatch('lost') }] : []),
      { name: 'edit budget', mark: line({ x1: 0, y1: 6, x2: 16, y2: 6 }, 'budget') },
    ],
    draw: width => {
      const height = width < 500 ? 200 : 240
      const plot = plotOf({ width, height }, { x: [0.5, last + 0.5], y: [0, highest * 1.08] })
      const room = (plot.right - plot.left) / last
      const budget = steps.flatMap(({ step, budget }) =>
        budget === undefined ? [] : [[plot.x(step - 0.5), plot.y(budget)] as const],
      )
      const content = fragment(
        valueAxis(plot, ticks([0, highest * 1.08], 4, 1), String),
        counts.map(each => bars(each, plot, room)),
        stairs(budget, plot.x(last + 0.5), 'budget'),
        stepAxis(plot, [1, last], 'step'),
      )
      return { width, height, content }
    },
  }
}

function bars(
  { step: { step, budget }, counts }: { readonly step: StepView; readonly counts: EditCounts },
  plot: Plot,
  room: number,
): Markup {
  const width = Math.min(30, Math.max(1, room * 0.66))
  const x = plot.x(step) - width / 2
  const upTo = (from: number, to: number, className: string) =>
    to <= from
      ? undefined
      : element('rect', { x, y: plot.y(to), width, height: plot.y(from) - plot.y(to), class: className })
  const lost = counts.unmatched + counts.refused
  const words = [...layers, 'unmatched' as const].map(name => `${counts[name]} ${name}`)
  const limit = budget === undefined ? '' : `; budget ${plural(budget, 'edit')}`
  return element(
    'g',
    {},
    element('title', {}, `Step ${step}: ${words.join(', ')}${limit}`),
    layers.map(name => upTo(0, counts[name], `edit ${name}`)),
    upTo(counts.applied, counts.applied + lost, 'edit lost'),
  )
}

function swatch(name: string): Markup {
  return element('rect', { x: 2, y: 0, width: 12, height: 12, class: `edit ${name}` })
}

function total(counts: readonly { readonly counts: EditCounts }[], name: keyof EditCounts): number {
  return counts.reduce((sum, each) => sum + each.counts[name], 0)
}
