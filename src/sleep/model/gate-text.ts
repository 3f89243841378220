import { points, signedPoints } from '../../core/view/figures.js'
import type { ProposalEdit } from './proposal.js'

/** Describes in a sentence how the gate judged the change that contained an edit. */
export function gateText({ before, after, difference, edits }: NonNullable<ProposalEdit['gate']>): string {
  const others =
    edits === 1 ? 'by itself' : edits === 2 ? 'with one other edit' : `with ${edits - 1} other edits`
  const scores = after === undefined ? `from ${points(before)}` : `${points(before)} → ${points(after)}`
  const gain =
    difference === undefined
      ? ''
      : `, ${signedPoints(difference.mean)} points (${signedPoints(difference.low)} to ${signedPoints(difference.high)})`
  return `At the gate, ${others}: ${scores}${gain}.`
}
