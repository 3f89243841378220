import { Link } from 'wouter'
import { gateScoreText } from '../../../../src/core/view/gate-estimate.js'
import type { GateView } from '../../../../src/core/view/run-view.js'
import type { GateName } from '../../../../src/dashboard/contract/details.js'
import { points, signedPoints, visibleLine } from '../../parts/format.js'

/** The gate's decision on the candidate that introduced a line. */
export function GateWord({
  run,
  name,
  gate,
}: {
  readonly run: string
  /** The decision's name in URLs. */
  readonly name: GateName
  readonly gate: GateView
}) {
  const { action, current, verdict } = gate
  const { effect } = verdict
  return (
    <div>
      <h4>At the gate</h4>
      <p>
        {action.replaceAll('_', ' ')}: validation {points(current)} → {gateScoreText(gate)}
        {effect !== undefined &&
          `, ${signedPoints(effect.mean)} points (${signedPoints(effect.low)} to ${signedPoints(effect.high)})`}
      </p>
      <p className="small muted">{visibleLine(verdict.reason)}</p>
      <p className="small">
        <Link href={`~/runs/${encodeURIComponent(run)}/gate/${name}`}>The decision and its evidence</Link>
      </p>
    </div>
  )
}
