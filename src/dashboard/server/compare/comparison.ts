import type { Point, RunView, Spending, StepView } from '../../../core/view/run-view.js'
import { settingsOf } from '../../../core/view/settings-list.js'
import type { CurvePoint, SettingDifference } from '../../contract/compare.js'

/** The score after each step, with the tokens, cost and time used by then. */
export function curveOf({ steps, series, spending, activeMs }: RunView): readonly CurvePoint[] {
  const [first] = steps
  const start = pointAt(0, first?.activeFrom ?? activeMs, first?.spentFrom ?? spending.total, series)
  const points = steps.filter(isEnded).map(step => pointAt(step.step, step.activeTo, step.spentTo, series))
  return [start, ...points].filter(({ best, validation }) => best !== undefined || validation !== undefined)
}

type EndedStep = StepView & { readonly activeTo: number; readonly spentTo: Spending }

function isEnded(step: StepView): step is EndedStep {
  return step.activeTo !== undefined && step.spentTo !== undefined
}

function pointAt(step: number, activeMs: number, spent: Spending, series: RunView['series']): CurvePoint {
  const validation = series.validation.find(point => point.step === step)?.value
  const best = lastUntil(series.best, step)
  return {
    step,
    activeMs,
    tokens: spent.input + spent.output,
    cost: spent.cost,
    ...(validation === undefined ? {} : { validation }),
    ...(best === undefined ? {} : { best }),
  }
}

function lastUntil(points: readonly Point[], step: number): number | undefined {
  return points.findLast(point => point.step <= step)?.value
}

/** The settings that differ between runs, in the order of the first run that has them. */
export function differencesOf(
  views: readonly Pick<RunView, 'config' | 'sources'>[],
): readonly SettingDifference[] {
  const settings = views.map(view => new Map(settingsOf(view).map(({ path, value }) => [path, value])))
  const paths = new Set(settings.flatMap(values => [...values.keys()]))
  return [...paths]
    .map(path => ({ path, values: settings.map(values => values.get(path) ?? null) }))
    .filter(({ values }) => new Set(values).size > 1)
}
