import type { Place } from '../../core/log/event.js'
import type { Run } from '../../core/ports/run.js'
import { contentHash } from '../../core/text/hash.js'
import { forecastAsking } from '../../trainer/forecast/asking.js'
import type { Forecast } from '../../trainer/forecast/forecast.js'
import type { Setup } from '../../trainer/loops/setup.js'
import { inLanes } from '../../trainer/stages/concurrency.js'
import { type MinedTask, type MiningOptions, mineTask, miningKey } from './mine.js'
import { clusterText, type MiningCluster } from './mining-cluster.js'

const place: Place = { stage: 'mine', epoch: 0, step: 0 }

/** Has the optimizer write a task for each cluster, and says what came of each, in their order. */
export async function mineTasks(
  run: Run,
  clusters: readonly MiningCluster[],
  options: MiningOptions & {
    readonly lanes: number
    /** Told of each as it is known: what is paid for is not lost where a cap ends it. */
    readonly onMined?: (cluster: MiningCluster, task: MinedTask) => void
  },
): Promise<readonly MinedTask[]> {
  const all = contentHash(clusters.map(miningKey).join('\n'))
  await run.emit('stage.started', { ...place, total: clusters.length }, `mine ${all}`)
  const mined = await inLanes(clusters, options.lanes, async cluster => {
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
  return forecastAsking(setup, 'mine', clusters.map(clusterText))
}
