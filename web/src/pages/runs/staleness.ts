import type { RunSummary } from '../../../../src/dashboard/contract/runs.js'

/** What a comparison depends on of its runs: while it is the same, the curves are. */
export function signatureOf(summaries: readonly (RunSummary | undefined)[]): string {
  return JSON.stringify(
    summaries.map(
      run => run && [run.id, run.state, run.step, run.initial, run.best, run.test, run.reading === undefined],
    ),
  )
}
