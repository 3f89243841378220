import { stageNames } from '../../../../src/core/log/stage-names.js'
import type { RunView, Spending, StepView } from '../../../../src/core/view/run-view.js'
import type { ChartSeries } from '../../parts/chart.js'
import { count, money, plural } from '../../parts/format.js'
import type { Cap } from './caps.js'

/** The spending between two points in time. Undefined if the second has not been reached. */
export function spentBetween(from: Spending, to: Spending | undefined): Spending | undefined {
  if (to === undefined) return undefined
  const difference = (name: Exclude<keyof Spending, 'perhaps'>) => to[name] - from[name]
  return {
    calls: difference('calls'),
    tries: difference('tries'),
    failedTries: difference('failedTries'),
    input: difference('input'),
    output: difference('output'),
    cachedInput: difference('cachedInput'),
    unknownUsage: difference('unknownUsage'),
    cost: difference('cost'),
    unknownCost: difference('unknownCost'),
    perhaps: {
      input: to.perhaps.input - from.perhaps.input,
      output: to.perhaps.output - from.perhaps.output,
      cost: to.perhaps.cost - from.perhaps.cost,
    },
  }
}

export interface SpentRow {
  readonly name: string
  readonly spending: Spending
  /** Share of the tokens of all rows, from 0 to 1. Undefined if the tokens are unknown. */
  readonly share: number | undefined
}

/** Spending by stage, in the order of the training loop. */
export function spentByStage({ stages, total }: RunView['spending']): readonly SpentRow[] {
  return rowsOf(
    stageNames.flatMap(name => (stages[name] === undefined ? [] : [[name, stages[name]] as const])),
    total,
  )
}

export function spentByRole({ roles, total }: RunView['spending']): readonly SpentRow[] {
  const order = ['target', 'optimizer', 'judge'] as const
  return rowsOf(
    order.flatMap(name => (roles[name] === undefined ? [] : [[name, roles[name]] as const])),
    total,
  )
}

function rowsOf(spent: readonly (readonly [string, Spending])[], total: Spending): readonly SpentRow[] {
  const all = total.input + total.output
  return spent.map(([name, spending]) => ({
    name,
    spending,
    share:
      all === 0 || (spending.calls > 0 && spending.unknownUsage === spending.calls)
        ? undefined
        : (spending.input + spending.output) / all,
  }))
}

/** Text that says how much of a cap is left. */
export function leftOf({ used, limit, text }: Cap): string {
  return used >= limit ? 'nothing' : text(limit - used)
}

/** Notes on calls and costs that the totals leave out. */
export function notesOf(
  view: Pick<RunView, 'spending' | 'attempts' | 'callsLost' | 'callsInFlight' | 'outcome'>,
): readonly string[] {
  const { total } = view.spending
  const { perhaps } = total
  const lost = view.callsLost + (view.outcome === 'running' ? 0 : view.callsInFlight)
  return [
    ...(view.attempts.cached === 0
      ? []
      : [`${plural(view.attempts.cached, 'attempt')} came from other runs, at no cost.`]),
    ...(total.unknownUsage === 0
      ? []
      : [
          `${plural(total.unknownUsage, 'call')} without usage: the provider did not report it, so sums of tokens are at least what they say.`,
        ]),
    ...(perhaps.input + perhaps.output + perhaps.cost === 0
      ? []
      : [
          `Tries without a reply may have been charged: up to ${count(perhaps.input + perhaps.output)} tokens${perhaps.cost === 0 ? '' : `, ${money(perhaps.cost)}`}. Caps count them as spent.`,
        ]),
    ...(lost === 0
      ? []
      : [`${plural(lost, 'call')} under way when a session ended: perhaps charged, and not recorded.`]),
  ]
}

/** Spending of each completed step, in cost if the price is known, else in tokens. */
export function spentBySteps(steps: readonly StepView[], isFree: boolean): readonly ChartSeries[] {
  const spent = steps.flatMap(({ step, spentFrom, spentTo }) => {
    const spending = spentBetween(spentFrom, spentTo)
    return spending === undefined ? [] : [{ step, spending }]
  })
  const isPriced = !isFree && spent.some(({ spending }) => spending.cost > 0)
  if (isPriced) {
    return [
      {
        name: 'cost',
        tone: 'test',
        points: spent.map(({ step, spending }) => ({ x: step, y: spending.cost })),
      },
    ]
  }
  const of = (name: 'input' | 'output') => spent.map(({ step, spending }) => ({ x: step, y: spending[name] }))
  return [
    { name: 'tokens in', tone: 'validation', points: of('input') },
    { name: 'tokens out', tone: 'best', points: of('output') },
  ]
}
