import type { Config } from '../core/config.js'
import type { EventBody, Place } from '../core/event.js'
import type { Run } from '../core/ports.js'
import type { Task } from '../core/task.js'
import { rollout, rolloutScope } from '../stages/rollout.js'
import { endOf } from './end.js'
import type { PlannedStep } from './plan.js'
import type { StepTaken } from './step-taken.js'
import { isAccepted, isCapped, type Training } from './training.js'

/**
 * While a candidate is being decided on, the next step's rollouts begin with the skill that a rejection leaves, in lanes
 * that nobody else needs. They are the very effects that the next step asks for: after a rejection it finds them in the
 * log or under way. With the verdict, what has not been sent is dropped; whatever is needed after all is asked for
 * again, by the step itself and with its priority. So the guess changes when calls are made, and nothing else.
 */
export async function speculating<T>(
  training: Training,
  ifRejected: readonly StepTaken[],
  planned: PlannedStep | undefined,
  epoch: number,
  decide: (training: Training) => Promise<T>,
): Promise<T> {
  const next = nextIfRejected(training, ifRejected, planned, epoch)
  if (next === undefined) return decide(training)
  const { run, setup } = training
  const { reuse, samples } = setup.config.train
  const guess = new AbortController()
  const begin = () => {
    if (guess.signal.aborted || run.signal.aborted) return
    next.batches.forEach((batch, round) => {
      const scope = rolloutScope(reuse, next.place.step, round)
      // A failure is nobody's concern before the step that needs the attempt, and that one asks again.
      rollout(run, next.skill, batch, scope, next.place, { samples, guess: guess.signal })
    })
  }
  const stop = () => guess.abort()
  try {
    return await decide({ ...training, run: watched(run, begin, stop) })
  } finally {
    stop()
  }
}

/**
 * It begins with the first attempt that the decision asks for: one that is in the log asks for none. A turn later, so
 * that the decision's own calls are in the line before any guess. An accepted candidate may be looked at further, and
 * then it is known already that the guess was wrong.
 */
function watched(run: Run, begin: () => void, stop: () => void): Run {
  let begun = false
  return {
    ...run,
    perform(effect, place, how) {
      if (!begun) setImmediate(begin)
      begun = true
      return run.perform(effect, place, how)
    },
    async once(type, key, compute) {
      const body = await run.once(type, key, compute)
      if (type === 'gate.decided' && isAccepted(body as EventBody<'gate.decided'>)) stop()
      return body
    },
  }
}

interface NextStep {
  readonly skill: string
  readonly batches: readonly (readonly Task[])[]
  readonly place: Place
}

/** None where a rejection ends the training, or where something else may change the skill before the next step. */
function nextIfRejected(
  { setup, plan }: Training,
  ifRejected: readonly StepTaken[],
  planned: PlannedStep | undefined,
  epoch: number,
): NextStep | undefined {
  const { config, tasks } = setup
  const skill = ifRejected.at(-1)?.skill
  if (!speculates(config) || skill === undefined) return undefined
  const isLast = epoch === plan.epochs && planned === undefined
  if (endOf(ifRejected, skill, isLast, tasks.train.length, config.train) !== undefined) return undefined
  // Without an earlier run, the first epoch has nothing to compare with, so that it ends without a slow update.
  const looksBack = epoch > 1 || setup.carried?.previous !== undefined
  if (planned === undefined && looksBack && config.optimizer.slowUpdate.enabled) return undefined
  const [nextEpoch, next] =
    planned === undefined ? [epoch + 1, plan.steps(epoch + 1, ifRejected)[0]] : [epoch, planned]
  return (
    next && { skill, batches: next.batches, place: { stage: 'rollout', epoch: nextEpoch, step: next.step } }
  )
}

/** Under a cap every call may be the one that is missing at the end; and a gate that lets all in proves every guess wrong. */
export function speculates({ train, evaluation, limits }: Config): boolean {
  return train.speculate && !isCapped(limits) && evaluation.gate !== 'always'
}
