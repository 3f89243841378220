import type { WorldSpec } from '../worlds/spec.js'
import { createWorld } from '../worlds/world.js'
import { type Peer, type PeerRunOptions, runPeer } from './peers.js'
import { scoresAt } from './scores.js'

/** Metrics of one training run. */
export interface PeerRun {
  readonly world: string
  readonly trainer: string
  readonly seed: number
  readonly start: number
  readonly possible: number
  /** True score of the shipped skill. */
  readonly end: number
  readonly targetCalls: number
  readonly optimizerCalls: number
  readonly tokens: number
  /** The optimizer's share of the tokens. */
  readonly optimizerTokens: number
  readonly wallMs: number
  /** True score of the skill that would have shipped after 250, 500, 1,000 and 2,000 target calls. */
  readonly at: readonly number[]
  /** The same score after every change. */
  readonly curve: readonly { readonly calls: number; readonly score: number }[]
}

export interface FailedRun {
  readonly world: string
  readonly trainer: string
  readonly seed: number
  readonly failed: string
}

export async function measurePeer(
  peer: Peer,
  spec: WorldSpec,
  options: PeerRunOptions,
): Promise<PeerRun | FailedRun> {
  const { seed } = options
  const world = createWorld(spec, seed)
  const about = { world: spec.name, trainer: peer.name, seed }
  const outcome = await runPeer(peer, world, options)
  if (outcome.failed !== undefined) return { ...about, failed: outcome.failed }
  const { finalSkill, notes, target, optimizer, wallMs } = outcome
  const known = new Map<string, number>()
  const scoreOf = (skill: string): number => {
    const score = known.get(skill) ?? world.trueScore(skill)
    known.set(skill, score)
    return score
  }
  const shipped = [...notes, { calls: target.calls, skill: finalSkill }]
  const start = scoreOf(world.seedSkill)
  const optimizerTokens = optimizer.promptTokens + optimizer.completionTokens
  return {
    ...about,
    start,
    possible: world.possible,
    end: scoreOf(finalSkill),
    targetCalls: target.calls,
    optimizerCalls: optimizer.calls,
    tokens: target.promptTokens + target.completionTokens + optimizerTokens,
    optimizerTokens,
    wallMs,
    at: scoresAt(world, shipped),
    curve: [
      { calls: 0, score: start },
      ...shipped.map(({ calls, skill }) => ({ calls, score: scoreOf(skill) })),
    ],
  }
}
