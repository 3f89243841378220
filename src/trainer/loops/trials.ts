import type { Run } from '../../core/ports/run.js'
import { seedDocument } from '../../core/skill/document.js'
import { skillHash } from '../../core/skill/skill.js'
import { allEpochs } from '../../core/view/stop-reason.js'
import { testAtEnd } from './evaluation.js'
import type { Setup } from './setup.js'
import { testBaselines } from './training.js'
import { checkpoint } from './trials/checkpoint.js'
import { finalTest, prune, type Shipped } from './trials/finish.js'
import { judgeEdits } from './trials/judge.js'
import { lookBack } from './trials/look-back.js'
import { admitEdits, noProposals, type Proposals, startReflection } from './trials/propose.js'
import { recordVersion } from './trials/record-version.js'
import { observe, startRound } from './trials/round.js'
import { stopReason } from './trials/stop.js'
import { prepareTrials, type TrialTraining } from './trials/training.js'
import { initialTrialState, type TrialState } from './trials/trial-state.js'

/**
 * Trains the skill by trials: every attempt includes some of the pending edits, and each edit is judged by
 * the attempts with and without it. Everything is read from or written to the run's log, so this is also how
 * a run is resumed.
 */
export async function trainByTrials(run: Run, setup: Setup): Promise<Shipped> {
  const training = await prepareTrials(run, setup, seedDocument(setup.skill))
  // If training stops by its gain per dollar, the baseline tests wait for the end, so that only training has
  // spent.
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

  // Two rounds run at a time, so a round is designed with the verdicts of the round before the previous one.
  let running = await startRound(training, state, { round: 1 })
  for (let round = 1; end === undefined; round++) {
    const next =
      round < training.rounds ? await startRound(training, state, { round: round + 1, running }) : undefined
    const observed = await observe(training, running)
    state = await judgeEdits(training, state, { ...observed, round })
    const { edits, concerned } = await reflecting
    const joining = { proposed: [...edits, ...state.guidance], concerned, round: round + 1 }
    state = await admitEdits(training, state, joining)
    state = { ...state, guidance: [] }
    // After the last round no edits are proposed, since no round would try them.
    if (next !== undefined) {
      const { unexplained, asked, proposed } = startReflection(training, state, { ...observed, round })
      state = { ...state, unexplained, asked }
      reflecting = proposed
    }
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

/** Tests the skills named in the config. The best skill ships; the others show how much training gained. */
async function testAll(training: TrialTraining, state: TrialState, shipped: Shipped): Promise<void> {
  const texts = { none: '', initial: training.seed.text, best: shipped.text, last: state.current.text }
  const { test } = training.setup.config.evaluation
  await testAtEnd(training, test, texts)
}
