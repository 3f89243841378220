import type { Config } from '../../core/config/config.js'
import type { NightOutcome } from '../model/night-record.js'
import type { Night } from './nights.js'

type Limits = Config['limits']

/**
 * Why a night over this would only pay again for the same chance, as a sentence; undefined where it would not. `limits`
 * are tonight's.
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
    // What reading sessions took of the cap then is there for learning now.
    if (last.plan.mining !== undefined || isRaised(outcome.capped, limits)) return undefined
    return `${since}, which its cap ended: with the same cap another one would come no further.`
  }
  switch (outcome.outcome) {
    case 'proposed':
      return proposal === undefined ? undefined : `${since}, whose proposal waits: \`skillopt sleep review\`.`
    case 'nothing-learned':
      return `${since}, which found nothing better: another one would ask the same again.`
    default:
      // It did not come to an end, or to none that could be put up for review.
      return undefined
  }
}

function isRaised({ cap, limit }: NonNullable<NightOutcome['capped']>, limits: Limits): boolean {
  const now = limits[cap]
  return now === undefined || now > limit
}
