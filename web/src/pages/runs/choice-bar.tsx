import { Link } from 'wouter'
import { comparedAtMost } from '../../../../src/dashboard/contract/compare.js'
import { listed, plural, visibleLine } from '../../parts/format.js'
import { withRuns } from './choice.js'

/** The selected runs and the compare button, which stay visible while scrolling. */
export function ChoiceBar({
  chosen,
  names,
  hidden,
  clear,
}: {
  readonly chosen: readonly string[]
  readonly names: readonly string[]
  /** Number of selected runs that the filters hide. */
  readonly hidden: number
  readonly clear: () => void
}) {
  return (
    <section className={`runs-choice${chosen.length > 0 ? ' runs-choice-made' : ''}`} aria-label="Comparison">
      <p role="status" className="small">
        {chosen.length === 0 ? (
          <span className="muted">Tick two or more runs to compare them.</span>
        ) : (
          <>
            <strong>{plural(chosen.length, 'run')} chosen</strong>
            {chosen.length === 1 && ', tick another one to compare'}
            {chosen.length >= comparedAtMost && ', as many as fit on one chart'}
            {hidden > 0 && ` (${hidden} hidden by the filters)`}
            <span className="muted runs-choice-names"> {listed(names.map(visibleLine))}</span>
          </>
        )}
      </p>
      {chosen.length > 0 && (
        <span className="row">
          <button type="button" className="quiet" onClick={clear}>
            Choose none
          </button>
          {chosen.length === 1 ? (
            <button type="button" disabled>
              Compare
            </button>
          ) : (
            <Link className="button primary" href={withRuns('~/compare', chosen)}>
              Compare {plural(chosen.length, 'run')}
            </Link>
          )}
        </span>
      )}
    </section>
  )
}
