import { hashSeed } from '../../../core/statistics/random.js'
import { beliefs } from './belief.js'
import { constants } from './constants.js'
import { estimateEffects, noiseOf } from './estimate.js'
import { jointBeliefs } from './joint.js'
import { localEvidence, type Others } from './local.js'
import { causeOf, isViable, onProbation, type Pool, type PoolSettings, pendingIn } from './pool.js'
import { smallEffects } from './small-effects.js'
import { isGlobal, type Trial, type TrialEdit } from './types.js'

/**
 * Lower bound on the likelihood ratio from an edit's own tasks. Some tasks fail under any skill, so these
 * tasks alone never refute an edit.
 */
const leastOrigin = 0.3

/** Estimates all undecided edits anew from all trials so far. */
export function measure(
  pool: Pool,
  trials: readonly Trial[],
  settings: PoolSettings & { tasks: number },
): Pool {
  const isForAll = (one: TrialEdit) => isGlobal(one, settings.tasks)
  const asked = [...pendingIn(pool), ...onProbation(pool, settings)].filter(one => !isForAll(one))
  const used = new Set(trials.flatMap(({ edits }) => edits))
  const global = pool.edits.filter(one => isForAll(one) && used.has(one.edit.id))
  const { byEdit: effects, everywhere } = estimateEffects(trials, pool.edits, {
    local: asked.filter(one => one.status === 'accepted' || isViable(pool, one, settings)),
    global,
  })
  const estimates = new Map([...pool.estimates, ...effects])
  const seed = hashSeed(`${trials.length}`)
  const sampling = { seed, burnIn: constants.burnIn, sweeps: constants.sweeps }
  const small = smallEffects(everywhere, {
    ...sampling,
    before: global.map(({ edit }) => pool.beliefs.get(edit.id)?.effect ?? 0),
  })
  const likelihoods = new Map(pool.likelihoods)
  const others = othersIn(pool, trials)
  const isComparable = comparison(pool, settings.tasks)
  for (const subject of asked) {
    const { id } = subject.edit
    const estimate = effects.get(id) ?? pool.estimates.get(id)
    if (estimate === undefined) continue
    // Attempts that include a later remedy for the same cause are no evidence about an earlier one, so they
    // are skipped.
    const slotEdits = new Set(
      pool.edits
        .filter(
          one =>
            one.slot === subject.slot ||
            (one.since > subject.since && causeOf(one.edit) === causeOf(subject.edit)),
        )
        .map(({ edit }) => edit.id),
    )
    const found = localEvidence(
      trials.filter(trial => isComparable(trial, id)),
      subject,
      { slotEdits, others },
    )
    const { mean, sd, trials: count, tasks } = found
    const earlier = pool.estimates.get(id)
    // If all attempts with the edit now include a later remedy, the earlier estimate is kept.
    if (count > 0 || earlier === undefined || earlier.trials === 0)
      estimates.set(id, { ...estimate, effect: { mean, sd }, trials: count, tasks })
    // The tasks that an edit was proposed from can only count against it, since a memorized answer works
    // there too.
    const helps = found.byLift.map(
      (value, index) => value * Math.min(1, Math.max(leastOrigin, found.originByLift[index] ?? 1)),
    )
    const { nothing, harms } = found
    likelihoods.set(id, { edit: id, helps, nothing, harms, elsewhere: estimate.elsewhere })
  }
  const believed = new Map(beliefs([...likelihoods.values()]))
  for (const [index, { edit }] of global.entries()) {
    const belief = small[index]
    if (belief !== undefined) believed.set(edit.id, { ...belief, harmsElsewhere: 0 })
  }
  const expected = (id: string) => believed.get(id)?.effect ?? 0
  const local = pool.edits.filter(one => !isForAll(one))
  const joint = jointBeliefs(trials, local, {
    ...sampling,
    before: id => pool.beliefs.get(id),
    offset: ({ edits }) => bounded(edits.reduce((sum, id) => sum + expected(id), 0)),
  })
  for (const [id, one] of joint)
    believed.set(id, { harmsElsewhere: believed.get(id)?.harmsElsewhere ?? 0, ...one })
  return { ...pool, estimates, likelihoods, beliefs: believed }
}

/** Limits an expected effect on an attempt's score to a plausible size. */
const bounded = (effect: number): number => Math.max(-0.6, Math.min(0.6, effect))

/**
 * Whether an attempt included all accepted edits that now concern its task. Attempts from before a remedy was
 * accepted had another baseline. Mixed with later ones, they would credit the remedy's effect to edits tried
 * since.
 */
function comparison(pool: Pool, tasks: number): (trial: Trial, subject: string) => boolean {
  const accepted = pool.edits.filter(one => one.status === 'accepted' && !isGlobal(one, tasks))
  const slots = new Map(pool.edits.map(({ edit, slot }) => [edit.id, slot]))
  const known = new Map<Trial, readonly string[]>()
  /** Slots of accepted edits that concern the attempt's task but were not in its skill. */
  const missing = (trial: Trial): readonly string[] => {
    const found =
      known.get(trial) ??
      accepted
        .filter(({ concerned, edit }) => concerned.has(trial.task) && !trial.edits.includes(edit.id))
        .map(({ slot }) => slot)
    known.set(trial, found)
    return found
  }
  return (trial, subject) => missing(trial).every(slot => slot === slots.get(subject))
}

/**
 * Headroom of an edit: the estimated number of tasks that it concerns and that fail under the current skill.
 * A task already served by an accepted edit has little headroom left.
 */
export function headroom(pool: Pool, trials: readonly Trial[], tasks: number): (edit: TrialEdit) => number {
  const isComparable = comparison(pool, tasks)
  const others = othersIn(pool, trials)
  const accepted = pool.accepted
  const seen = new Map<string, { count: number; score: number }>()
  for (const trial of trials) {
    if (!isComparable(trial, '')) continue
    const one = seen.get(trial.task) ?? { count: 0, score: 0 }
    seen.set(trial.task, { count: one.count + 1, score: one.score + trial.score })
  }
  const passRate = (task: string): number => {
    const { count, score } = seen.get(task) ?? { count: 0, score: 0 }
    const served = others.offset({ round: 0, task, score: 0, edits: accepted }, '')
    const expected = Math.max(0.02, Math.min(0.98, others.mean + constants.servedFactor * served))
    return (score + constants.expectation * expected) / (count + constants.expectation)
  }
  const rates = new Map<string, number>()
  return ({ concerned }) => {
    let sum = 0
    for (const task of concerned) {
      const rate = rates.get(task) ?? passRate(task)
      rates.set(task, rate)
      sum += 1 - rate
    }
    return sum
  }
}

/** Beliefs about all edits so far, as the expected effect of each on a single attempt. */
function othersIn(pool: Pool, trials: readonly Trial[]): Others {
  const noise = noiseOf(trials)
  const byId = new Map(pool.edits.map(one => [one.edit.id, one]))
  const bare = trials.filter(trial => !trial.edits.some(id => byId.get(id)?.concerned.has(trial.task)))
  const mean = (bare.reduce((sum, { score }) => sum + score, 0) + 4 * noise.mean) / (bare.length + 4)
  const known = new Map<Trial, readonly { readonly slot: string; readonly change: number }[]>()
  const changesIn = (trial: Trial) => {
    const found =
      known.get(trial) ??
      trial.edits.flatMap(id => {
        const one = byId.get(id)
        const belief = pool.beliefs.get(id)
        const estimate = pool.estimates.get(id)
        if (one === undefined || belief === undefined || estimate === undefined) return []
        const isNear = one.concerned.has(trial.task) || one.edit.tasks.includes(trial.task)
        const change = isNear
          ? (belief.effect ?? (belief.helps + belief.harms) * estimate.effect.mean)
          : belief.harmsElsewhere * Math.min(0, estimate.elsewhere.mean)
        return [{ slot: one.slot, change }]
      })
    known.set(trial, found)
    return found
  }
  return {
    mean,
    correlation: noise.between / (noise.within + noise.between),
    offset(trial, slot) {
      let sum = 0
      for (const one of changesIn(trial)) if (one.slot !== slot) sum += one.change
      return bounded(sum)
    },
  }
}
