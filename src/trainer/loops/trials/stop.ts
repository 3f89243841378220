import type { EventBody } from '../../../core/log/event.js'
import { money } from '../../../core/view/figures.js'
import { isFree } from '../setup.js'
import { isShelved, type Pool, pendingIn } from './pool.js'
import type { TrialTraining } from './training.js'
import type { TrialState } from './trial-state.js'

/**
 * Returns why training ends after a round, if it does: nothing is left to try, or the gain is not worth the
 * cost.
 */
export async function stopReason(
  training: TrialTraining,
  state: TrialState,
  round: number,
): Promise<string | undefined> {
  const { roundsPerEpoch, setup } = training
  if (round % roundsPerEpoch === 0) {
    const reason = await tooLittleGain(training, state, round)
    if (reason !== undefined) return reason
  }
  if (pendingIn(state.pool).some(edit => !isShelved(state.pool, edit))) return undefined
  const idle = round - state.lastChange
  const isSolved = setup.config.train.stopWhenSolved && state.unexplained.length === 0
  if (isSolved && idle >= roundsPerEpoch) return 'no failures left'
  return idle >= 2 * roundsPerEpoch ? `nothing new in ${idle} rounds` : undefined
}

/** With fewer attempts, the prediction of the next gain is too poor to stop by. */
const leastAttempts = 100

/**
 * Returns a reason to stop if the next attempts would gain too little. The prediction uses the last epochs
 * with at least 100 attempts: the edits accepted in them, and the expected gain of those still on trial. The
 * first such window is exempt, since edits must be tried first.
 */
async function tooLittleGain(
  training: TrialTraining,
  state: TrialState,
  round: number,
): Promise<string | undefined> {
  const { setup, roundsPerEpoch } = training
  const { leastGain, leastGainPerDollar, round: planned } = setup.config.trials
  if (leastGain === 0 && leastGainPerDollar === 0) return undefined
  const perEpoch = roundsPerEpoch * Math.min(planned, setup.tasks.train.length)
  const window = roundsPerEpoch * Math.ceil(leastAttempts / perEpoch)
  const since = Math.max(0, round - window)
  const measured = await measureGain(training, state, { since, round })
  if (round < 2 * window) return undefined
  const { gain, attempts, spent } = measured
  const before = (await measureGain(training, state, { since: 0, round: since })).spent
  const points = 100 * gain
  const what = `the last ${attempts} attempts gained ${points.toFixed(1)} points`
  if (spent !== undefined && before !== undefined) {
    const perDollar = points / (spent - before)
    const least = 100 * leastGainPerDollar
    if (perDollar >= least) return undefined
    return `${what} for ${money(spent - before)}: ${perDollar.toFixed(1)} per dollar, less than ${shown(least)}`
  }
  const perHundred = (100 * points) / attempts
  const least = 100 * leastGain
  if (perHundred >= least) return undefined
  return `${what}: ${perHundred.toFixed(1)} per 100 attempts, less than ${shown(least)}`
}

const shown = (value: number): string => String(Number(value.toFixed(2)))

/**
 * The measured gain is logged: the spending so far depends on when it is read, and a resumed run must decide
 * the same.
 */
function measureGain(
  { run, setup, epochOf }: TrialTraining,
  { pool, trials }: TrialState,
  { since, round }: { readonly since: number; readonly round: number },
): Promise<EventBody<'gain.measured'>> {
  const { models, tasks } = setup
  return run.once('gain.measured', `round ${round}`, async () => {
    const isPriced = Object.values(models).every(({ price }) => price !== undefined) && !isFree(models)
    return {
      epoch: epochOf(round),
      step: round,
      from: since + 1,
      gain: expectedGain(pool, { since, tasks: tasks.train.length }),
      attempts: trials.filter(trial => trial.round > since).length,
      ...(isPriced ? { spent: run.spent() } : {}),
    }
  })
}

/**
 * Expected gain in score over all train tasks, from edits accepted since a round and from the best remedy on
 * trial for each cause.
 */
export function expectedGain(
  pool: Pool,
  { since, tasks }: { readonly since: number; readonly tasks: number },
): number {
  let accepted = 0
  const onTrial = new Map<string, number>()
  for (const { edit, slot, concerned, status, decided = 0 } of pool.edits) {
    const helps = pool.beliefs.get(edit.id)?.helps ?? 0
    const effect = pool.estimates.get(edit.id)?.effect.mean ?? 0
    const gain = helps * effect * (concerned.size / Math.max(1, tasks))
    if (status === 'accepted' && decided > since) accepted += gain
    if (status === 'pending') onTrial.set(slot, Math.max(gain, onTrial.get(slot) ?? 0))
  }
  return [...onTrial.values()].reduce((sum, gain) => sum + gain, accepted)
}
