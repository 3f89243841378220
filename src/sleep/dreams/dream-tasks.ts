import type { Place } from '../../core/log/event.js'
import type { Run } from '../../core/ports/run.js'
import { contentHash } from '../../core/text/hash.js'
import { forecastAsking } from '../../trainer/forecast/asking.js'
import type { Forecast } from '../../trainer/forecast/forecast.js'
import type { Setup } from '../../trainer/loops/setup.js'
import { inLanes } from '../../trainer/stages/concurrency.js'
import type { SleepTask } from '../model/sleep-task.js'
import { type DreamedTask, type DreamOptions, dreamKey, dreamOf, dreamText } from './dream.js'
import { cannotVary, dreamTask } from './variants.js'

const place: Place = { stage: 'dream', epoch: 0, step: 0 }

export interface Dreams {
  /** To learn from, beside those that they were made of. */
  readonly tasks: readonly SleepTask[]
  /** What came of each task, in their order. */
  readonly dreamed: readonly DreamedTask[]
}

/** Has the optimizer make up variants of each task. What was made up itself is no ground for more. */
export async function dreamTasks(
  run: Run,
  tasks: readonly SleepTask[],
  options: DreamOptions & { readonly lanes: number; readonly writtenBy: string },
): Promise<Dreams> {
  const { variants, guard, lanes, writtenBy } = options
  const sources = tasks.filter(mayDream)
  const all = contentHash([...sources.map(task => dreamKey(task, variants)), guard.key].join('\n'))
  await run.emit('stage.started', { ...place, total: sources.length }, `dream ${all}`)
  const dreamed = await inLanes(sources, lanes, source => dreamOf(run, source, options, place))
  const written = dreamed.filter(one => one.status === 'written')
  const counts = {
    written: written.reduce((sum, one) => sum + one.variants.length, 0),
    skipped: written.reduce((sum, one) => sum + one.dropped.length, 0),
    failed: dreamed.filter(({ status }) => status === 'failed').length,
  }
  await run.emit('mining.finished', counts, all)
  return { tasks: sources.flatMap((source, index) => madeOf(source, dreamed[index], writtenBy)), dreamed }
}

/** Only what teaches: a variant of what measures would give it away. */
const mayDream = ({ split, origin }: SleepTask): boolean => split === 'train' && origin !== 'dream'

function madeOf(source: SleepTask, dreamed: DreamedTask | undefined, writtenBy: string): SleepTask[] {
  if (dreamed?.status !== 'written') return []
  return dreamed.variants.map((text, index) => dreamTask(source, text, index + 1, writtenBy))
}

export function forecastDreams(
  setup: Pick<Setup, 'models' | 'prompts'>,
  tasks: readonly SleepTask[],
  variants: number,
): Promise<Forecast> {
  const asked = tasks.filter(task => mayDream(task) && cannotVary(task) === undefined)
  return forecastAsking(
    setup,
    'dream',
    asked.map(task => dreamText(task, variants)),
  )
}
