import { randomUUID } from 'node:crypto'
import type { Model } from '../core/ports/model.js'
import { canonicalJson, contentHash } from '../core/text/hash.js'
import { product } from '../system/version.js'
import type { Setup } from '../trainer/loops/setup.js'

type Parts = Pick<Setup, 'environment' | 'harness' | 'models' | 'config'>

/** Everything besides skill, task and sample that an attempt's result depends on. */
export function attemptIdentity({ environment, harness, models, config }: Parts): string {
  const { target, judge } = models
  const judged = judge === undefined ? [] : [judge.id, judge.parameters]
  return contentHash(
    canonicalJson([environment.id, config.environment, harness.id, target.id, target.parameters, ...judged]),
  )
}

/** Fingerprints that no attempt depends on, or that are part of the attempt's own key. */
const ofNoAttempt = new Set(['skill', 'train', 'val', 'test', 'prompts', 'gate', 'provider of the optimizer'])

/**
 * What two runs must additionally have in common to share attempts. Within a run this cannot differ, because
 * a run is not resumed with other content; the version covers the harnesses, scorers and environments of the
 * package.
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
    // Another version of an agent is another agent; attempts of an agent with an unknown version cannot be
    // shared.
    agent: versionOf(models.target),
    content: Object.fromEntries(content),
    // Included again, because a fingerprint that an environment names "train" is not the hash of a split.
    environment: environment.fingerprints ?? {},
  }
}

function versionOf({ agent }: Model): string | null {
  return agent === undefined ? null : (agent.version ?? randomUUID())
}
