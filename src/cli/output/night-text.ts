import type { IntendedNight } from '../../app/index.js'
import { occasionCounts } from '../../sleep/model/occasions.js'
import { renderForecast } from './forecast-text.js'
import { type Colors, clean, plural, shownPath } from './text.js'

/** Sentences on what a night would do and cost. */
export function intendedText(
  { plan, parts }: IntendedNight,
  { colors, cwd }: { readonly colors: Colors; readonly cwd: string },
): string {
  const { train, val, test } = occasionCounts(plan.tasks)
  const tasks = `${plural(train, 'occasion')} to train on, ${val} for validation, ${test} for the test.`
  const models = Object.entries(plan.models).map(([role, model]) => `${role} ${clean(model)}`)
  const documents = plan.targets.map(({ name, path }) => `  ${clean(name)} (${shownPath(path, cwd)})`)
  const forecasts = parts.map(({ name, forecast }) => `${clean(name)}:\n${renderForecast(forecast, colors)}`)
  return [tasks, `With ${models.join(', ')}.`, 'May update:', ...documents, '', ...forecasts].join('\n')
}
