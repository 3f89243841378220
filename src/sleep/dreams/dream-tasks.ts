import type { Place } from '../../core/log/event.js'
import type { Run } from '../../core/ports/run.js'
import { contentHash } from '../../core/text/hash.js'
import type { Forecast } from '../../trainer/forecast/forecast.js'
import { forecastQuestions } from '../../trainer/forecast/questions.js'
import type { Setup } from '../../trainer/loops/setup.js'
import { mapConcurrently } from '../../trainer/stages/concurrency.js'
import type { SleepTask } from '../model/sleep-task.js'
import { type DreamedTask, type DreamOptions, dreamKey, dreamOf, dreamText } from './dream.js'
import { cannotVary, dreamTask } from './variants.js'

const place: Place = { stage: 'dream', epoch: 0, step: 0 }

export interface Dreams {
  /** Variants for training, used in addition to the tasks from which they were derived. */
  readonly tasks: readonly SleepTask[]
  /** What came of each source task, in order. */
  readonly dreamed: readonly DreamedTask[]
}

/** Asks the optimizer for variants of each task. A variant is never varied again. */
export async function dreamTasks(
  run: Run,
  tasks: readonly SleepTask[],
  options: DreamOptions & { readonly lanes: number; readonly writtenBy: string },
): Promise<Dreams> {
  const { variants, guard, lanes, writtenBy } = options
  const sources = tasks.filter(mayDream)
  const all = contentHash([...sources.map(task => dreamKey(task, variants)), guard.key].join('\n'))
  await run.emit('stage.started', { ...place, total: sources.length }, `dream ${all}`)
  const dreamed = await mapConcurrently(sources, lanes, source => dreamOf(run, source, options, place))
  const written = dreamed.filter(one => one.status === 'written')
  const counts = {
    written: written.reduce((sum, one) => sum + one.variants.length, 0),
    skipped: written.reduce((sum, one) => sum + one.dropped.length, 0),
    failed: dreamed.filter(({ status }) => status === 'failed').length,
  }
  await run.emit('mining.finished', counts, all)
  return { tasks: sources.flatMap((source, index) => madeOf(source, dreamed[index], writtenBy)), dreamed }
}

/** Only train tasks get variants, because a variant of a held-out task would leak it. */
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
  return forecastQuestions(
    setup,
    'dream',
    asked.map(task => dreamText(task, variants)),
  )
}
