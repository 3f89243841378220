import type { Place } from '../core/event.js'
import { contentHash } from '../core/hash.js'
import type { Run } from '../core/ports.js'
import { inLanes } from '../stages/concurrency.js'
import { type MinedTask, type MiningOptions, mineTask, miningKey } from '../stages/mine.js'
import { clusterText, type MiningCluster } from '../stages/mining-cluster.js'
import type { Forecast } from './forecast.js'
import { forecastAsking } from './forecast-asking.js'
import type { Setup } from './setup.js'

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
