import { stageNames } from '../../core/log/event.js'
import {
  cachedTokens,
  count,
  knownCost,
  knownTokens,
  money,
  plural,
  shortCount,
} from '../../core/text/format.js'
import type { RunView, Spending } from '../../core/view/fold.js'
import { isFree } from '../../core/view/simulated-mark.js'
import type { Block, Section } from '../blocks/blocks.js'
import type { ReportSource } from '../blocks/source.js'
import { type BarRow, barChart } from '../charts/bars.js'

/** Cost of the run by stage and by model role. */
export function costSection({ view }: ReportSource): Section[] {
  const { stages, roles, total } = view.spending
  if (total.calls + total.failedTries === 0) return []
  const order: readonly string[] = stageNames
  const byStage = Object.entries(stages).sort(([a], [b]) => order.indexOf(a) - order.indexOf(b))
  const byRole = Object.entries(roles)
  const blocks: Block[] = [
    ...tokenChart('Tokens by stage', byStage),
    ...tokenChart('Tokens by model', byRole),
    ...moneyChart(view, 'Cost by stage', byStage),
    ...moneyChart(view, 'Cost by model', byRole),
    spendingTable('stage', byStage, view),
    spendingTable('model', [...byRole, ['total', total]], view),
    ...notes(view),
  ]
  return [{ id: 'cost', title: 'Cost', blocks }]
}

function spendingTable(of: 'stage' | 'model', spent: Named, view: RunView): Block {
  return {
    kind: 'table',
    caption: `Calls, tokens and cost by ${of}`,
    head: [of, 'calls', 'tokens in', 'of these cached', 'tokens out', 'cost'],
    rows: spent.map(([name, spending]) => [name, ...cells(spending, view)]),
    right: [1, 2, 3, 4, 5],
  }
}

function cells(spending: Spending, view: RunView): string[] {
  const { input, cachedInput, output } = spending
  return [
    count(spending.calls),
    knownTokens(input, spending),
    cachedTokens(cachedInput, spending, view),
    knownTokens(output, spending),
    isFree(view) ? 'none' : knownCost(spending),
  ]
}

type Named = readonly (readonly [string, Spending])[]

function tokenChart(title: string, spent: Named): Block[] {
  const rows: BarRow[] = spent
    .filter(([, { input, output }]) => input + output > 0)
    .map(([name, { input, cachedInput, output }]) => ({
      name,
      parts: [
        { part: 'cached', value: Math.min(input, cachedInput) },
        { part: 'input', value: Math.max(0, input - cachedInput) },
        { part: 'output', value: output },
      ],
      text: shortCount(input + output),
    }))
  if (rows.length === 0) return []
  const parts = [
    { part: 'cached', name: 'input from a cache' },
    { part: 'input', name: 'other input' },
    { part: 'output', name: 'output' },
  ]
  return [barChart(rows, { title, description: `Tokens used, in and out: ${list(rows)}.`, parts })]
}

function moneyChart(view: RunView, title: string, spent: Named): Block[] {
  if (isFree(view)) return []
  const rows: BarRow[] = spent
    .filter(([, { cost }]) => cost > 0)
    .map(([name, { cost }]) => ({ name, parts: [{ part: 'cost', value: cost }], text: money(cost) }))
  if (rows.length === 0) return []
  return [
    barChart(rows, {
      title,
      description: `US dollars spent: ${list(rows)}.`,
      parts: [{ part: 'cost', name: 'cost' }],
    }),
  ]
}

const list = (rows: readonly BarRow[]) => rows.map(({ name, text }) => `${name} ${text}`).join(', ')

/** Notes about costs that the totals do not include. */
function notes(view: RunView): Block[] {
  const { total } = view.spending
  const perhaps = total.perhaps.input + total.perhaps.output
  const lost = view.callsLost + (view.outcome === 'running' ? 0 : view.callsInFlight)
  const lines = [
    isFree(view) ? 'All models were simulated: no money was spent.' : '',
    view.attempts.cached > 0
      ? `${plural(view.attempts.cached, 'attempt')} reused from other evaluations at no cost.`
      : '',
    total.unknownUsage > 0
      ? `${plural(total.unknownUsage, 'call')} without usage: the provider did not report it.`
      : '',
    perhaps > 0 ? `Tries without a reply may have been charged: up to ${count(perhaps)} tokens.` : '',
    lost > 0
      ? `${plural(lost, 'call')} in flight when a session ended may have been charged; not recorded.`
      : '',
  ]
  return lines.filter(text => text !== '').map(text => ({ kind: 'text', text }))
}
