import { plural } from '../../core/text/format.js'
import type { Proposal } from '../model/proposal.js'
import { meaningOf, measureText, type SplitMeasure, speaksAgainst } from './measures.js'
import type { TargetResult } from './target-result.js'

/** The proposal's verdict, from all targets shown: either all of them can be adopted or none. */
export function verdictOf(shown: readonly TargetResult[]): Proposal['verdict'] {
  const several = shown.length > 1
  const reasons = shown.map(result => `${several ? `${result.name}: ` : ''}${verdictText(result)}`)
  return {
    accepted: shown.every(({ objection }) => objection === undefined),
    reason: reasons.join(' '),
  }
}

/** States the verdict on one target in sentences with numbers. */
export function verdictText(result: TargetResult): string {
  const { objection, validation, test } = result
  const decided = decisionText(result)
  if (objection !== undefined) return decided
  const before = validation === undefined ? '' : ` Where it was decided: ${onTasks(validation)}.`
  const after =
    test === undefined ? ` ${untested(result)}` : ` On tasks that the night had not seen: ${meaningOf(test)}`
  return `${decided}${before}${after}`
}

function untested({ run }: TargetResult): string {
  return run.log.view.outcome === 'cap'
    ? 'The cap was reached before it could be tested afresh.'
    : 'No tasks were left to test it afresh.'
}

export function decisionText({ objection, isGated, test }: TargetResult): string {
  if (objection !== undefined) return objection
  if (isGated) return 'The gate accepted it.'
  const worse = speaksAgainst(test) ? ', and on tasks that the night had not seen it did worse' : ''
  return `Not gated: nothing was asked whether it helps${worse}.`
}

function onTasks(measure: SplitMeasure): string {
  return `${measureText(measure)} on ${plural(measure.tasks, 'task')}`
}
