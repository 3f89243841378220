import type { Place } from '../core/event.js'
import { contentHash } from '../core/hash.js'
import type { Run } from '../core/ports.js'
import { loadTokenCounter } from '../core/tokens.js'
import { inLanes } from '../stages/concurrency.js'
import { type MinedTask, type MiningOptions, mineTask, miningKey } from '../stages/mine.js'
import { clusterText, type MiningCluster } from '../stages/mining-cluster.js'
import { unmeasured } from './call-tokens.js'
import { type Forecast, row } from './forecast.js'
import { exactly } from './range.js'
import type { Setup } from './setup.js'

const place: Place = { stage: 'mine', epoch: 0, step: 0 }

/** Has the optimizer write a task for each cluster, and says what came of each, in their order. */
export async function mineTasks(
  run: Run,
  clusters: readonly MiningCluster[],
  options: MiningOptions & { readonly lanes: number },
): Promise<readonly MinedTask[]> {
  const all = contentHash(clusters.map(miningKey).join('\n'))
  await run.emit('stage.started', { ...place, total: clusters.length }, `mine ${all}`)
  const mined = await inLanes(clusters, options.lanes, cluster => mineTask(run, cluster, options, place))
  const count = (status: MinedTask['status']) => mined.filter(task => task.status === status).length
  const counts = { written: count('written'), skipped: count('skipped'), failed: count('failed') }
  await run.emit('mining.finished', counts, all)
  return mined
}

/** What mining takes. The high end is what it takes at most: every reply as long as it may be, and each asked for twice. */
export async function forecastMining(
  { models, prompts }: Pick<Setup, 'models' | 'prompts'>,
  clusters: readonly MiningCluster[],
): Promise<Forecast> {
  const count = await loadTokenCounter()
  const shown = clusters.reduce((sum, cluster) => sum + count(clusterText(cluster)), 0)
  const asked = count(prompts.mine.text) + shown / Math.max(1, clusters.length)
  const { input, output, cached } = unmeasured({ models }, 'optimizer', exactly(asked))
  const most = models.optimizer.maxOutputTokens
  const perCall = {
    // The second time, the first reply is part of the question.
    input: { ...input, high: input.high + most },
    output: { ...output, high: most },
    cached,
  }
  const calls = { low: clusters.length, likely: clusters.length, high: 2 * clusters.length }
  const rows = [row({ models }, 'mine', 'optimizer', calls, perCall)].filter(({ calls }) => calls.high > 0)
  const nothing = { calls: exactly(0), tokens: exactly(0), cost: exactly(0) }
  const [only] = rows
  return {
    rows,
    total: only === undefined ? nothing : { calls: only.calls, tokens: only.tokens, cost: only.cost },
    onTop: [],
    measured: [],
    guessesLengths: true,
    assumptions: [
      'tokens as o200k counts them, no provider cache',
      `replies of ${output.likely} tokens, which may as well be ${output.low} or ${most}`,
      'one call for each; at the high end a second one, because the first reply could not be used',
      'no failed calls',
    ],
  }
}
