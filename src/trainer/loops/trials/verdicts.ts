import { constants } from './constants.js'
import {
  type EditVerdict,
  onProbation,
  type Pool,
  type PoolSettings,
  pendingIn,
  seemsHelpful,
} from './pool.js'
import { reasonAgainst, reasonFor, reasonToTakeBack } from './reasons.js'
import { isGlobal, type TrialEdit } from './types.js'

export const superseded = 'Another remedy for the same cause was accepted.'

/** Verdicts on all edits for which the evidence suffices. */
export function verdicts(
  pool: Pool,
  settings: PoolSettings & { readonly tasks: number },
): readonly EditVerdict[] {
  const found: EditVerdict[] = []
  const doubted = onProbation(pool, settings).filter(edit => {
    const belief = pool.beliefs.get(edit.edit.id)
    if (belief === undefined) return false
    return isGlobal(edit, settings.tasks)
      ? (belief.effect ?? 0) < constants.globalTakeBack
      : belief.helps < constants.takeBack && !seemsHelpful(pool, edit)
  })
  const isLocal = (edit: TrialEdit) => !isGlobal(edit, settings.tasks)
  // Edits that depend on each other become doubtful together, so only the weakest is taken back and the
  // others are judged again.
  const weakest = doubted.filter(isLocal).toSorted((one, other) => helps(pool, one) - helps(pool, other))
  for (const edit of [...doubted.filter(one => !isLocal(one)), ...weakest.slice(0, 1)])
    found.push({
      edit,
      decision: 'taken-back',
      reason: reasonToTakeBack(pool, edit),
      isOnTrialAgain: true,
    })
  const pending = pendingIn(pool)
  for (const slot of new Set(pending.map(one => one.slot))) {
    const incumbent = pool.edits.find(one => one.slot === slot && one.status === 'accepted')
    const alternatives = pending
      .filter(one => one.slot === slot)
      .toSorted((one, other) => helps(pool, other) - helps(pool, one))
    const [best] = alternatives
    // Alternatives stay in the pool behind an accepted remedy, since the accepted one may turn out to be
    // wrong.
    if (incumbent !== undefined) {
      if (best === undefined || !isProven(pool, best, settings)) continue
      if (helps(pool, best) < helps(pool, incumbent) + constants.overtakes) continue
      found.push({
        edit: incumbent,
        decision: 'taken-back',
        reason: 'Another remedy for the same cause does better.',
        isOnTrialAgain: true,
      })
    }
    if (best !== undefined && isProven(pool, best, settings)) {
      found.push({ edit: best, decision: 'accepted', reason: reasonFor(pool, best) })
      continue
    }
    for (const edit of alternatives) {
      const reason = objection(pool, edit, settings)
      if (reason !== undefined) found.push({ edit, decision: 'dropped', reason })
    }
  }
  return found
}

function trialsOf(pool: Pool, { edit }: TrialEdit): number {
  return pool.estimates.get(edit.id)?.trials ?? 0
}

function helps(pool: Pool, { edit }: TrialEdit): number {
  return pool.beliefs.get(edit.id)?.helps ?? 0
}

/**
 * Whether the evidence suffices to accept an edit. One lucky task is no proof, and neither is a gain on few
 * tasks at the expense of others. Small effects on all tasks never become certain within a training's budget,
 * so such an edit is accepted if a gain is expected.
 */
function isProven(
  pool: Pool,
  subject: TrialEdit,
  { accept, tasks }: PoolSettings & { readonly tasks: number },
): boolean {
  const { edit, concerned } = subject
  const belief = pool.beliefs.get(edit.id)
  const estimate = pool.estimates.get(edit.id)
  if (belief === undefined || estimate === undefined) return false
  if (isGlobal(subject, tasks))
    return estimate.trials >= constants.globalLeastTrials && (belief.effect ?? 0) >= constants.globalAccept
  const fresh = [...concerned].filter(task => !edit.tasks.includes(task)).length
  return (
    belief.helps >= accept &&
    estimate.effect.mean > 0 &&
    belief.harmsElsewhere < constants.acceptElsewhere &&
    estimate.tasks >= Math.min(2, fresh)
  )
}

function objection(
  pool: Pool,
  edit: TrialEdit,
  settings: PoolSettings & { readonly tasks: number },
): string | undefined {
  const belief = pool.beliefs.get(edit.edit.id)
  if (belief === undefined) return undefined
  if (isGlobal(edit, settings.tasks)) {
    if (trialsOf(pool, edit) < constants.globalLeastTrials || belief.ratio > constants.globalDrop)
      return undefined
    return reasonAgainst(pool, edit)
  }
  if (belief.ratio <= constants.refuted && !seemsHelpful(pool, edit)) return reasonAgainst(pool, edit)
  if (belief.harmsElsewhere > constants.dropElsewhere)
    return 'Probably harmful on tasks that it does not concern.'
  return undefined
}
