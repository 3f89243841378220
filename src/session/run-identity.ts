import { randomUUID } from 'node:crypto'
import type { Model } from '../core/ports/model.js'
import { canonicalJson, contentHash } from '../core/text/hash.js'
import { product } from '../system/version.js'
import type { Setup } from '../trainer/loops/setup.js'

type Parts = Pick<Setup, 'environment' | 'harness' | 'models' | 'config'>

/**
 * Hash of everything that an attempt's result depends on, besides the skill, the task and the sample number.
 */
export function attemptIdentity({ environment, harness, models, config }: Parts): string {
  const { target, judge } = models
  const judged = judge === undefined ? [] : [judge.id, judge.parameters]
  return contentHash(
    canonicalJson([environment.id, config.environment, harness.id, target.id, target.parameters, ...judged]),
  )
}

/** Fingerprints that do not affect an attempt, or that the attempt's own key already contains. */
const ofNoAttempt = new Set(['skill', 'train', 'val', 'test', 'prompts', 'gate', 'provider of the optimizer'])

/**
 * What two runs must have in common, besides the attempt's identity, to share attempts. Within one run these
 * values cannot differ, because a run is not resumed with other content. The product version covers the
 * harnesses, scorers and environments of this package.
 */
export function cacheIdentity({
  environment,
  sandbox,
  fingerprints,
  models,
}: Pick<Setup, 'environment' | 'sandbox' | 'fingerprints' | 'models'>) {
  const content = Object.entries(fingerprints).filter(([name]) => !ofNoAttempt.has(name))
  return {
    product,
    sandbox: sandbox.id,
    // A new version of an agent may behave differently, so its attempts are kept apart. Attempts of an agent
    // with an unknown version are never shared.
    agent: versionOf(models.target),
    content: Object.fromEntries(content),
    // Included separately, because an environment may use a name such as "train" for a fingerprint of its
    // own.
    environment: environment.fingerprints ?? {},
  }
}

function versionOf({ agent }: Model): string | null {
  return agent === undefined ? null : (agent.version ?? randomUUID())
}
