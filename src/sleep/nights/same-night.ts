import type { Config } from '../../core/config/config.js'
import type { NightOutcome } from '../model/night-record.js'
import type { Night } from './nights.js'

type Limits = Config['limits']

/**
 * Returns a sentence with the reason why another night would only pay again for the same chance, or
 * undefined. `limits` are tonight's.
 */
export function nothingNew(
  earlier: readonly Night[],
  fingerprint: string,
  limits: Limits,
): string | undefined {
  const last = earlier.findLast(({ plan, outcome }) => plan !== undefined && outcome !== undefined)
  if (last?.outcome === undefined || last.plan?.fingerprint !== fingerprint) return undefined
  const { outcome, proposal, number } = last
  const since = `Tasks, documents and models are those of night ${number}`
  if (outcome.capped !== undefined) {
    // The part of the cap that mining used last time is now available for training.
    if (last.plan.mining !== undefined || isRaised(outcome.capped, limits)) return undefined
    return `${since}, which its cap ended: with the same cap another one would come no further.`
  }
  switch (outcome.outcome) {
    case 'proposed':
      return proposal === undefined ? undefined : `${since}, whose proposal waits: \`skillopt sleep review\`.`
    case 'nothing-learned':
      return `${since}, which found nothing better: another one would ask the same again.`
    default:
      // The night did not finish, or not with a result that could be proposed.
      return undefined
  }
}

function isRaised({ cap, limit }: NonNullable<NightOutcome['capped']>, limits: Limits): boolean {
  const now = limits[cap]
  return now === undefined || now > limit
}
