import type { RunSummary } from '../../../../src/dashboard/contract/runs.js'

/** Signature of all data that a comparison depends on. While it stays the same, the curves are current. */
export function signatureOf(summaries: readonly (RunSummary | undefined)[]): string {
  return JSON.stringify(
    summaries.map(
      run => run && [run.id, run.state, run.step, run.initial, run.best, run.test, run.reading === undefined],
    ),
  )
}
