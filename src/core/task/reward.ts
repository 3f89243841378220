import type { Config } from '../config/config.js'
import { PausedError } from '../errors/errors.js'
import type { Attempt } from './task.js'

/** Tokens and time that an attempt took, as far as they were reported. */
export interface Taken {
  /** Input and output tokens, over all calls of the target. */
  readonly tokens?: number
  /** Time from request to reply, over all calls of the target. */
  readonly ms?: number
}

type Evaluation = Pick<Config['evaluation'], 'metric' | 'reward' | 'floors'>
type Weights = Evaluation['reward']

const figures = ['tokens', 'ms'] as const
type Figure = (typeof figures)[number]

/** Weighted mean of correctness, token economy and speed, each in 0..1. */
export function rewardOf(attempt: { readonly hard: number } & Taken, weights: Weights): number {
  const { hard, tokens = 0, ms = 0 } = attempt
  const parts = [
    { weight: weights.accuracy, value: hard },
    { weight: weights.tokens, value: Math.max(0, 1 - tokens / weights.tokenScale) },
    { weight: weights.latency, value: Math.max(0, 1 - ms / 1000 / weights.secondsScale) },
  ]
  const total = parts.reduce((sum, { weight }) => sum + weight, 0)
  return parts.reduce((sum, { weight, value }) => sum + weight * value, 0) / total
}

/** The figures that the settings require of each attempt besides its score. */
function countedFigures({ metric, reward, floors }: Evaluation): readonly Figure[] {
  const isRewarded = { tokens: reward.tokens > 0, ms: reward.latency > 0 }
  const hasFloor = { tokens: floors.tokens !== undefined, ms: floors.seconds !== undefined }
  return figures.filter(figure => (metric === 'reward' && isRewarded[figure]) || hasFloor[figure])
}

/**
 * An attempt with its reward, if that is the metric, and with the tokens and time that have a weight or a
 * floor. `unknown` names a required figure that was not reported. It is never guessed, so the attempt cannot
 * count.
 */
type Rated = { readonly attempt: Attempt } | { readonly unknown: Figure }

export type Rate = (attempt: Attempt) => Rated

export function attemptRate(evaluation: Evaluation): Rate {
  const counted = countedFigures(evaluation)
  return ({ tokens, ms, reward: _, ...attempt }) => {
    const { outcome } = attempt
    if (outcome.status === 'failed') return { attempt }
    const taken = { tokens, ms }
    const unknown = counted.find(figure => taken[figure] === undefined)
    if (unknown !== undefined) return { unknown }
    const known: Taken = Object.fromEntries(counted.map(figure => [figure, taken[figure]]))
    if (evaluation.metric !== 'reward') return { attempt: { ...attempt, ...known } }
    const reward = rewardOf({ hard: outcome.score.hard, ...known }, evaluation.reward)
    return { attempt: { ...attempt, ...known, reward } }
  }
}

const words = {
  tokens: {
    missing: 'token usage',
    settings: 'set `evaluation.reward.tokens` to 0 and remove `evaluation.floors.tokens`',
  },
  ms: {
    missing: 'duration',
    settings: 'set `evaluation.reward.latency` to 0 and remove `evaluation.floors.seconds`',
  },
} as const satisfies Record<Figure, object>

/** Pauses a run because a required figure is unknown: a fresh attempt could not be scored either. */
export function pauseForUnknown(task: string, unknown: Figure): PausedError {
  const { missing, settings } = words[unknown]
  return new PausedError(
    `The target reported no ${missing} for task "${task}", which the settings require. The attempt was not scored.`,
    { hint: `Use a target that reports it; or ${settings}, then start a new run with --new.` },
  )
}
