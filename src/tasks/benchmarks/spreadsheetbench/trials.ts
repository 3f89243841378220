import type { SessionContext } from '../../../core/ports/environment.js'
import { contentHash } from '../../../core/text/hash.js'
import { type ExecutionSettings, withExecution } from './execution.js'
import type { CasePaths, SpreadsheetTask } from './items.js'
import { type CaseResult, checkCase } from './score.js'

/** Runs a program on a case in the sandbox and compares its output. */
export type Trial = (
  program: string,
  task: SpreadsheetTask,
  paths: CasePaths,
  context: SessionContext,
) => Promise<CaseResult>

/** Maximum number of wrong cells kept in memory for all trials. */
const mostCells = 100_000

/**
 * Caches results of programs. The last program of an attempt runs while the agent works and is scored
 * afterwards, so its result would otherwise be computed twice. External failures are not cached.
 */
export function createTrials(settings: ExecutionSettings & { readonly recalculate: boolean }): Trial {
  const known = new Map<string, Promise<CaseResult>>()
  const sizes = new Map<string, number>()
  let cells = 0
  const forget = (key: string) => {
    known.delete(key)
    cells -= sizes.get(key) ?? 0
    sizes.delete(key)
  }
  const keep = (key: string, result: CaseResult) => {
    const size = 100 + ('problem' in result ? 0 : result.wrong.length)
    sizes.set(key, size)
    cells += size
    for (const oldest of sizes.keys()) {
      if (cells <= mostCells) break
      forget(oldest)
    }
  }
  return (program, task, paths, context) => {
    const key = contentHash([task.id, paths.number, program].join('\n'))
    const before = known.get(key)
    if (before !== undefined) return before
    const comparing = { ...context, recalculate: settings.recalculate }
    const trial = withExecution(program, paths.input, settings, context, made =>
      checkCase(task, paths, made, comparing),
    )
    known.set(key, trial)
    trial.then(
      result => keep(key, result),
      () => forget(key),
    )
    return trial
  }
}
