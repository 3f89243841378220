import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { RunView } from '../../core/view/fold.js'
import { hasRun, viewRun } from '../../store/run-directories.js'
import { inWords, isThere } from '../../system/private-file.js'
import type { Night } from '../nights/nights.js'
import { type NightSpending, spentOf } from '../proposal/outcome.js'

/**
 * Total usage of all runs of a night, from their logs: the reported usage, and the number of calls without a
 * report.
 */
export async function spentBy({ folder }: Pick<Night, 'folder'>): Promise<NightSpending> {
  const runs = join(folder, 'runs')
  const names = (await isThere(runs)) ? await inWords(runs, () => readdir(runs)) : []
  const views: RunView[] = []
  for (const directory of names.sort().map(name => join(runs, name))) {
    if (await hasRun(directory)) views.push(await viewRun(directory))
  }
  return spentOf(views)
}
