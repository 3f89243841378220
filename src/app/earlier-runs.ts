import { lastingSettings } from '../core/config/difference.js'
import { InputError } from '../core/errors/errors.js'
import { canonicalJson } from '../core/text/hash.js'
import type { RunView } from '../core/view/fold.js'
import { runsOf, viewRun } from '../store/run-directories.js'
import { type EarlierRun, historyOf, type RunHistory } from '../trainer/forecast/history.js'
import type { Setup } from '../trainer/loops/setup.js'

/** Maximum number of runs to read, newest first. Older runs predict less, and logs may be long. */
const most = { trainings: 3, others: 10 }

/** The project's newest runs in the runs folder: trainings in any state, and runs of other kinds. */
export async function earlierRuns(name: string, cwd: string): Promise<readonly RunView[]> {
  const { trainings, others } = await runsOf(name, cwd)
  return [...(await views(trainings, most.trainings)), ...(await views(others, most.others))]
}

async function views(directories: readonly string[], most: number): Promise<RunView[]> {
  const found: RunView[] = []
  for (const directory of directories) {
    if (found.length === most) break
    try {
      found.push(await viewRun(directory))
    } catch (error) {
      // A forecast does not need the damaged log. Commands that read that log itself report the damage.
      if (!(error instanceof InputError)) throw error
    }
  }
  return found
}

/**
 * The settings that each kind of figure depends on. A figure from an earlier run is used only if these
 * settings are the same.
 */
const decisive: Record<keyof EarlierRun['comparable'], RegExp> = {
  target: /^(models\.(target|judge)|environment)\b/,
  optimizer: /^(models|environment|prompts|reflect\.minibatchSize|train\.samples|optimizer\.mode)\b/,
  reflection:
    /^(models|environment|prompts|reflect|train\.(batchSize|accumulation|samples)|optimizer\.(mode|control))\b/,
  gate: /^(models|environment|evaluation\.(gate|earlyStop|falseAccepts|smallestGain|noRegression|floors|metric|reward))\b/,
  plan: /^train\.(epochs|batchSize|accumulation|patience|stopWhenSolved)\b/,
}

/** Figures from earlier runs that are valid for a training with these settings. */
export function measuredFor(
  { config, tasks }: Pick<Setup, 'config' | 'tasks'>,
  runs: readonly RunView[],
): RunHistory | undefined {
  const now = lastingSettings(config)
  return historyOf(
    runs.map(view => {
      const before = lastingSettings(view.config)
      const same = (which: RegExp) => partOf(before, which) === partOf(now, which)
      const comparable = {
        target: same(decisive.target),
        optimizer: same(decisive.optimizer),
        reflection: same(decisive.reflection),
        gate: same(decisive.gate),
        plan: same(decisive.plan) && view.tasks.train === tasks.train.length,
      }
      return { view, comparable }
    }),
  )
}

function partOf(settings: Record<string, unknown>, which: RegExp): string {
  return canonicalJson(Object.entries(settings).filter(([path]) => which.test(path)))
}
