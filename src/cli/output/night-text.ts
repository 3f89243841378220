import type { IntendedNight } from '../../app/index.js'
import type { Io } from '../terminal/io.js'
import { renderForecast } from './forecast-text.js'
import { clean, plural, shownPath } from './text.js'

/** Describes what a night would do and cost. */
export function intendedText(io: Io, { plan, parts }: IntendedNight): string {
  const inSplit = (split: string) => plan.tasks.filter(task => task.split === split).length
  const tasks = `${plural(inSplit('train'), 'task')} to learn from, ${inSplit('val')} to judge by, ${inSplit('test')} for a fresh test.`
  const models = Object.entries(plan.models).map(([role, model]) => `${role} ${clean(model)}`)
  const documents = plan.targets.map(({ name, path }) => `  ${clean(name)} (${shownPath(path, io.cwd)})`)
  const forecasts = parts.map(
    ({ name, forecast }) => `${clean(name)}:\n${renderForecast(forecast, io.colors)}`,
  )
  return [tasks, `With ${models.join(', ')}.`, 'It may teach:', ...documents, '', ...forecasts].join('\n')
}
