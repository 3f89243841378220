import { normalCdf } from '../../../core/statistics/intervals.js'
import type { Measured } from './estimate.js'

/** Probabilities that an edit helps, does nothing, or does harm. */
export interface Belief {
  readonly helps: number
  readonly harms: number
  /** Likelihood ratio of helping against not helping, without the prior. */
  readonly ratio: number
  /** Probability that the edit lowers the score on tasks that it does not concern. */
  readonly harmsElsewhere: number
  /** Expected effect on the score; only for edits for all tasks. */
  readonly effect?: number
}

/** Likelihoods of the trials of an edit for some tasks. Only their ratios matter. */
export interface Likelihoods {
  readonly edit: string
  /** If the edit helps: one likelihood for each effect size. */
  readonly helps: readonly number[]
  readonly nothing: number
  readonly harms: number
  readonly elsewhere: Measured
}

/** Hyperparameters: which share of the optimizer's proposals helps, and how much. */
interface Habits {
  /** Share of the proposals that help. Of the others, half do nothing. */
  readonly share: number
  /** Probability of each effect size for an edit that helps. */
  readonly sizes: readonly number[]
}

/** Prior knowledge about the optimizer, in pseudo-counts of edits. */
const imagined = { helpful: 1.2, other: 3.6, sizes: 3 }
const rounds = 12

/**
 * Beliefs about the edits for some tasks. The share of helpful proposals and their effect sizes are learned from all edits
 * together (empirical Bayes): if good edits lift a task from failing to passing, two or three trials decide;
 * if effects are small, many are needed.
 */
export function beliefs(all: readonly Likelihoods[]): ReadonlyMap<string, Belief> {
  let habits = startingHabits(all)
  for (let round = 0; round < rounds; round++) habits = learnHabits(all, habits)
  return new Map(
    all.map(one => {
      const { helps, harms, total } = weigh(one, habits)
      const harmsElsewhere = harmElsewhere(one.elsewhere)
      const ratio = (helps / (total - helps)) * ((1 - habits.share) / habits.share)
      return [one.edit, { helps: helps / total, harms: harms / total, ratio, harmsElsewhere }]
    }),
  )
}

function startingHabits(all: readonly Likelihoods[]): Habits {
  const length = all[0]?.helps.length ?? 1
  return {
    share: imagined.helpful / (imagined.helpful + imagined.other),
    sizes: Array.from({ length }, () => 1 / length),
  }
}

function learnHabits(all: readonly Likelihoods[], habits: Habits): Habits {
  let helpful = imagined.helpful
  const sizes = habits.sizes.map((_, __, { length }) => imagined.sizes / length)
  for (const one of all) {
    const { helps, total, bySize } = weigh(one, habits)
    helpful += helps / total
    for (const [index, value] of bySize.entries()) sizes[index] = (sizes[index] ?? 0) + value / total
  }
  const sum = sizes.reduce((total, value) => total + value, 0)
  return {
    share: helpful / (imagined.helpful + imagined.other + all.length),
    sizes: sizes.map(value => value / sum),
  }
}

function weigh(one: Likelihoods, { share, sizes }: Habits) {
  const bySize = one.helps.map((value, index) => share * value * (sizes[index] ?? 0))
  const helps = bySize.reduce((sum, value) => sum + value, 0)
  const harms = ((1 - share) / 2) * one.harms
  const nothing = ((1 - share) / 2) * one.nothing
  return { helps, harms, bySize, total: helps + harms + nothing + 1e-300 }
}

/** Density of the measured mean, if the effect is half-normal on one side of zero. */
function halfNormal({ mean, sd }: Measured, scale: number, side: 1 | -1): number {
  const spread = Math.sqrt(sd * sd + scale * scale)
  return 2 * density(mean, spread) * normalCdf((side * mean * scale) / (sd * spread))
}

function density(value: number, sd: number): number {
  return Math.exp(-0.5 * (value / sd) ** 2) / (sd * Math.sqrt(2 * Math.PI))
}

/** Prior for tasks that an edit does not concern: most edits change nothing there, one in eight harms. */
const harmShare = 0.125
const harmScale = 0.12

function harmElsewhere(elsewhere: Measured): number {
  const harms = harmShare * halfNormal(elsewhere, harmScale, -1)
  const rest = (1 - harmShare) * density(elsewhere.mean, elsewhere.sd)
  return harms / (harms + rest + 1e-300)
}
