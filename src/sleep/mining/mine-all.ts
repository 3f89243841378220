import type { Place } from '../../core/log/event.js'
import type { Run } from '../../core/ports/run.js'
import { contentHash } from '../../core/text/hash.js'
import type { Forecast } from '../../trainer/forecast/forecast.js'
import { forecastQuestions } from '../../trainer/forecast/questions.js'
import type { Setup } from '../../trainer/loops/setup.js'
import { mapConcurrently } from '../../trainer/stages/concurrency.js'
import { type MinedTask, type MiningOptions, mineTask, miningKey } from './mine.js'
import { clusterText, type MiningCluster } from './mining-cluster.js'

const place: Place = { stage: 'mine', epoch: 0, step: 0 }

/** Asks the optimizer to write a task for each cluster; returns the results in cluster order. */
export async function mineTasks(
  run: Run,
  clusters: readonly MiningCluster[],
  options: MiningOptions & {
    readonly lanes: number
    /** Called as soon as each task is written, so that paid results are not lost when a cap ends the run. */
    readonly onMined?: (cluster: MiningCluster, task: MinedTask) => void
  },
): Promise<readonly MinedTask[]> {
  const all = contentHash(clusters.map(miningKey).join('\n'))
  await run.emit('stage.started', { ...place, total: clusters.length }, `mine ${all}`)
  const mined = await mapConcurrently(clusters, options.lanes, async cluster => {
    const task = await mineTask(run, cluster, options, place)
    options.onMined?.(cluster, task)
    return task
  })
  const count = (status: MinedTask['status']) => mined.filter(task => task.status === status).length
  const counts = { written: count('written'), skipped: count('skipped'), failed: count('failed') }
  await run.emit('mining.finished', counts, all)
  return mined
}

export function forecastMining(
  setup: Pick<Setup, 'models' | 'prompts'>,
  clusters: readonly MiningCluster[],
): Promise<Forecast> {
  return forecastQuestions(setup, 'mine', clusters.map(clusterText))
}
