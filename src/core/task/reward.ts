import type { Config } from '../config/config.js'
import { PausedError } from '../errors/errors.js'
import type { Attempt } from './task.js'

/** What an attempt took, as far as whoever answered said so. */
export interface Taken {
  /** In and out, over all calls of the target. */
  readonly tokens?: number
  /** From asking to the reply, over all calls of the target. */
  readonly ms?: number
}

type Evaluation = Pick<Config['evaluation'], 'metric' | 'reward' | 'floors'>
type Weights = Evaluation['reward']

const figures = ['tokens', 'ms'] as const
type Figure = (typeof figures)[number]

/** The weighted mean of being right, of being sparing and of being fast; each of them is in 0..1, and so is this. */
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

/** What the settings ask of each attempt besides its score. */
function countedFigures({ metric, reward, floors }: Evaluation): readonly Figure[] {
  const isRewarded = { tokens: reward.tokens > 0, ms: reward.latency > 0 }
  const hasFloor = { tokens: floors.tokens !== undefined, ms: floors.seconds !== undefined }
  return figures.filter(figure => (metric === 'reward' && isRewarded[figure]) || hasFloor[figure])
}

/**
 * An attempt as a run counts it: with its reward, where that is the metric, and with what it took, where a weight or a
 * floor is set on it. `unknown` is what nobody said of it: a guess is no figure, so that it cannot be counted.
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
    unsaid: 'how many tokens it took',
    settings: '`evaluation.reward.tokens` to 0 and take `evaluation.floors.tokens` out',
  },
  ms: {
    unsaid: 'how long it took',
    settings: '`evaluation.reward.latency` to 0 and take `evaluation.floors.seconds` out',
  },
} as const satisfies Record<Figure, object>

/** For an attempt that was made just now: without the figure it is nobody's score. */
export function pauseForUnknown(task: string, unknown: Figure): PausedError {
  const { unsaid, settings } = words[unknown]
  return new PausedError(
    `The target did not say ${unsaid} for the task "${task}", and the settings count it. Nothing was scored for this.`,
    { hint: `Take a target that says it; or set ${settings}, and start another run with --new.` },
  )
}
