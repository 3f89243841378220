import type { EventBody } from '../../core/log/event.js'
import type { Run } from '../../core/ports/run.js'
import { seedDocument } from '../../core/skill/document.js'
import { skillHash } from '../../core/skill/skill.js'
import { money } from '../../core/view/figures.js'
import { allEpochs } from '../../core/view/stop-reason.js'
import { testSkill } from './evaluation.js'
import { isFree, type Setup } from './setup.js'
import { testBaselines } from './training.js'
import { checkpoint } from './trials/checkpoint.js'
import { finalTest, prune, type Shipped } from './trials/finish.js'
import { judgeEdits } from './trials/judge.js'
import { lookBack } from './trials/look-back.js'
import { isShelved, type Pool, pendingIn } from './trials/pool.js'
import { admitEdits, noProposals, type Proposals, startReflection } from './trials/propose.js'
import { recordVersion } from './trials/record-version.js'
import { observe, startRound } from './trials/round.js'
import { prepareTrials, type TrialTraining } from './trials/training.js'
import { initialTrialState, type TrialState } from './trials/trial-state.js'

/**
 * Trains the skill by trials: every attempt includes some of the pending edits, and each edit is judged by
 * the attempts with and without it. Everything is read from or written to the run's log, so this is also how
 * a run is resumed.
 */
export async function trainByTrials(run: Run, setup: Setup): Promise<Shipped> {
  const training = await prepareTrials(run, setup, seedDocument(setup.skill))
  // A gain per dollar is measured on what training alone has spent.
  const isThrifty = setup.config.trials.leastGainPerDollar > 0
  const [shipped] = await Promise.all([loop(training), isThrifty ? undefined : testBaselines(training)])
  return shipped
}

async function loop(training: TrialTraining): Promise<Shipped> {
  const { run, setup } = training
  let state = initialTrialState(training.seed, setup.carried?.metaSkill)
  let reflecting: Promise<Proposals> = Promise.resolve(noProposals)
  let end: string | undefined
  await recordVersion(run, state, 'the seed skill')

  // Two rounds run at a time, so the design of a round uses the verdicts up to the round before the last.
  let running = await startRound(training, state, { round: 1 })
  for (let round = 1; end === undefined; round++) {
    const next =
      round < training.rounds ? await startRound(training, state, { round: round + 1, running }) : undefined
    const observed = await observe(training, running)
    state = await judgeEdits(training, state, { ...observed, round })
    const { edits, concerned } = await reflecting
    const proposed = [...edits, ...state.guidance]
    state = await admitEdits(training, state, { proposed, concerned, round: round + 1 })
    const reflection = startReflection(training, state, { ...observed, round })
    const { unexplained, asked } = reflection
    state = { ...state, unexplained, asked, guidance: [] }
    reflecting = reflection.proposed
    const isEpochEnd = next === undefined || training.epochOf(round + 1) > training.epochOf(round)
    if (isEpochEnd) state = await checkpoint(training, state, round)
    if (isEpochEnd && next !== undefined) state = await lookBack(training, state, round)
    await finishRound(training, state, round)
    end = next === undefined ? allEpochs : await stopReason(training, state, round)
    if (next !== undefined) running = next
  }

  const last = training.rounds
  state = await prune(training, state, last)
  const shipped = await finalTest(training, state, last)
  await testAll(training, state, shipped)
  const finished = { best: shipped.version, last: state.version, score: shipped.score, because: end }
  await run.emit('run.finished', finished, 'run')
  return shipped
}

async function finishRound({ run, epochOf }: TrialTraining, state: TrialState, round: number): Promise<void> {
  const outcome = state.version === round ? 'accepted' : 'no-edits'
  const body = { epoch: epochOf(round), step: round, outcome, skill: skillHash(state.current.text) } as const
  await run.emit('step.finished', body, `step ${round}`)
}

/** The best skill ships; the others show what training was worth. */
async function testAll(training: TrialTraining, state: TrialState, shipped: Shipped): Promise<void> {
  const texts = { none: '', initial: training.seed.text, best: shipped.text, last: state.current.text }
  const { test } = training.setup.config.evaluation
  await Promise.all(test.map(which => testSkill(training, which, texts[which])))
}

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

/** Fewer attempts predict the next gain too poorly. */
const leastAttempts = 100

/**
 * Predicts the gain of the next attempts from the last epochs with at least 100 attempts: the edits accepted
 * in them, and the expected gain of those still on trial. The first such window is exempt, since edits have
 * to be tried first.
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
 * Recorded, because the spending so far depends on the time of reading, and a resumed run must decide the
 * same.
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
 * Expected gain in score over all train tasks, from the edits accepted after a round and the best remedy on
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
