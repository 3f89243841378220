import type { RunSummary } from '../../../../src/dashboard/contract/runs.js'

/** Signature of everything a comparison depends on; the curves are current while it stays the same. */
export function signatureOf(summaries: readonly (RunSummary | undefined)[]): string {
  return JSON.stringify(
    summaries.map(
      run => run && [run.id, run.state, run.step, run.initial, run.best, run.test, run.reading === undefined],
    ),
  )
}
