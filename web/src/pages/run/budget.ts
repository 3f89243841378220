import { budgetAt, type Schedule } from '../../../../src/core/config/edit-budget.js'
import { valueAt } from '../../../../src/core/config/paths.js'
import { editCounts } from '../../../../src/core/view/edit-counts.js'
import type { RunView, StepView } from '../../../../src/core/view/run-view.js'
import type { ChartPoint, ChartSeries } from '../../parts/chart.js'

type Planned = Pick<RunView, 'config' | 'epochs' | 'stepsPerEpoch' | 'steps' | 'outcome'>

/** The edit budget of each step: the scheduled one, the actual one and how much was used. */
export function budgetSeries(view: Planned): readonly ChartSeries[] {
  const planned = plannedBudget(view)
  const budgets = view.steps.flatMap(({ step, budget }) =>
    budget === undefined ? [] : [{ x: step, y: budget }],
  )
  const counted = view.steps
    .filter(({ edits }) => edits.length > 0)
    .map(step => ({ x: step.step, counts: editCounts(step) }))
  return [
    { name: 'schedule', tone: 'eighth', step: true, points: planned },
    ...(isAsPlanned(budgets, planned)
      ? []
      : [{ name: 'budget', tone: 'sixth', step: true, points: budgets } as const]),
    {
      name: 'selected',
      tone: 'validation',
      points: counted.map(({ x, counts }) => ({ x, y: counts.selected })),
    },
    { name: 'applied', tone: 'best', points: counted.map(({ x, counts }) => ({ x, y: counts.applied })) },
  ]
}

/**
 * The scheduled budget of each step. A completed step counts by its position in its epoch, because an epoch
 * that skips solved tasks is shorter than planned. For the remaining epochs the maximum length is assumed.
 */
export function plannedBudget({
  config,
  epochs,
  stepsPerEpoch,
  steps,
  outcome,
}: Planned): readonly ChartPoint[] {
  const schedule = scheduleOf(config, epochs * stepsPerEpoch)
  if (schedule === undefined || stepsPerEpoch === 0) return []
  const places = placesOf(steps, stepsPerEpoch)
  const last = places.at(-1)
  const [after, place] = last === undefined ? [0, 0] : [last.step, last.place]
  const toCome = outcome === 'finished' ? 0 : Math.max(0, epochs * stepsPerEpoch - place)
  const further = Array.from({ length: toCome }, (_, index) => ({
    step: after + index + 1,
    place: place + index + 1,
  }))
  return [...places, ...further].map(each => ({ x: each.step, y: budgetAt(schedule, each.place) }))
}

/** Each step's number and its 1-based position in the schedule. */
function placesOf(steps: readonly StepView[], stepsPerEpoch: number) {
  const inEpoch = new Map<number, number>()
  return steps.map(({ step, epoch }) => {
    const index = inEpoch.get(epoch) ?? 0
    inEpoch.set(epoch, index + 1)
    return { step, place: (epoch - 1) * stepsPerEpoch + index + 1 }
  })
}

/** The schedule of the edit budget. Undefined if there is none, or in an imported run. */
function scheduleOf(config: unknown, steps: number): Schedule | undefined {
  const of = (name: string) => valueAt(config, ['optimizer', name])
  const isByTrials = valueAt(config, ['train', 'loop']) === 'trials'
  const mode = of('schedule') ?? (isByTrials ? 'constant' : 'cosine')
  const [max, min] = [of('learningRate'), of('minLearningRate')]
  if (of('control') === 'none' || of('mode') === 'full_rewrite_minibatch') return undefined
  if (mode !== 'constant' && mode !== 'linear' && mode !== 'cosine') return undefined
  if (typeof max !== 'number' || typeof min !== 'number') return undefined
  return { mode, max, min: Math.min(min, max), steps }
}

function isAsPlanned(budgets: readonly ChartPoint[], planned: readonly ChartPoint[]): boolean {
  const byStep = new Map(planned.map(({ x, y }) => [x, y]))
  return budgets.every(({ x, y }) => byStep.get(x) === y)
}
