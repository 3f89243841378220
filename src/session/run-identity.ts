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
    canonicalJson([
      ...[environment.id, config.environment, harness.id, target.id, target.parameters],
      ...judged,
    ]),
  )
}

/** Content that a run is made of and that no attempt depends on, or that is in the attempt's own key. */
const ofNoAttempt = new Set(['skill', 'train', 'val', 'test', 'prompts', 'gate', 'provider of the optimizer'])

/**
 * What two runs must have in common besides, to share attempts. Within a run this cannot differ, since a run is not
 * resumed under other content; the version stands for harnesses, scorers and environments that come with the package.
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
    // Another version of an agent is another agent; of one that does not say its version, nothing can be shared.
    agent: versionOf(models.target),
    content: Object.fromEntries(content),
    // Once more: one that an environment calls "train" is not the hash of a split.
    environment: environment.fingerprints ?? {},
  }
}

function versionOf({ agent }: Model): string | null {
  return agent === undefined ? null : (agent.version ?? randomUUID())
}
