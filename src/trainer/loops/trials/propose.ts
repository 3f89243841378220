import type { Place, RecordedEdit } from '../../../core/log/event.js'
import { applyEdits, type Edit } from '../../../core/skill/edit.js'
import type { Attempt } from '../../../core/task/task.js'
import { startEarly } from '../../stages/concurrency.js'
import type { Memory } from '../../stages/memory.js'
import { reflect } from '../../stages/reflect.js'
import { isSuccess } from '../../stages/render.js'
import { admit } from './admit.js'
import { classifyProposals } from './classification.js'
import type { ConcernedByCause } from './concern.js'
import { constants } from './constants.js'
import { causeOf, isViable, openSlots, type Pool, pendingIn } from './pool.js'
import type { TrialTraining } from './training.js'
import type { TrialState } from './trial-state.js'
import { isGlobal } from './types.js'

/** Maximum analyst calls at a time. */
const mostBatches = 3

/** Number of dropped edits, the latest ones, that the optimizer is reminded of. */
const remembered = 40

export interface Proposals {
  readonly edits: readonly RecordedEdit[]
  /** The tasks that the optimizer named for each cause, if it was asked. */
  readonly concerned: ConcernedByCause
}

export const noProposals: Proposals = { edits: [], concerned: new Map() }

/** A running reflection, and the failures left for a later one. */
export interface Reflecting {
  readonly proposed: Promise<Proposals>
  readonly unexplained: readonly Attempt[]
  readonly asked: TrialState['asked']
}

/**
 * Analysts read failures that no edit on trial addresses, and propose remedies. They are not called while
 * there is no room for another cause, or while edits are on trial and the failures do not fill a minibatch.
 */
export function startReflection(
  training: TrialTraining,
  state: TrialState,
  { round, attempts }: { readonly round: number; readonly attempts: readonly Attempt[] },
): Reflecting {
  const { run, setup, epochOf, budgetOf } = training
  const { config, prompts, limit, frame } = setup
  const pending = pendingIn(state.pool)
  const local = pending.filter(
    one => !isGlobal(one, setup.tasks.train.length) && isViable(state.pool, one, config.trials),
  )
  const isCovered = (task: string) =>
    local.some(({ edit, concerned }) => concerned.has(task) || edit.tasks.includes(task))
  const unexplained = latestFailures([...state.unexplained, ...attempts])
  const accepted = state.pool.edits.filter(
    one => one.status === 'accepted' && !isGlobal(one, setup.tasks.train.length),
  )
  const isServed = (task: string) => accepted.some(({ concerned }) => concerned.has(task))
  // If an accepted remedy concerns the task, a single failure is more likely noise than a cause. The latest
  // failures come first, since the skill may have changed and fixed older ones.
  const open = unexplained
    .filter(({ task }) => !isCovered(task) && (!isServed(task) || hasFailedTwice(state, task)))
    .reverse()
  const { local: slots, global } = openSlots(state.pool, {
    ...config.trials,
    tasks: setup.tasks.train.length,
  })
  const room = global < constants.globalPerSlot * config.trials.slots ? config.trials.slots - slots : 0
  const { minibatchSize } = config.reflect
  const viable = pending.filter(one => isViable(state.pool, one, config.trials)).length
  const isStarved = viable < constants.supply * config.trials.round
  const { asked } = state
  // If analysts had nothing new, they are asked again later and later, one at a time.
  const isDue = isStarved || round - asked.round > asked.inVain
  const isWorthIt = room > 0 && isDue && (open.length >= minibatchSize || (open.length > 0 && isStarved))
  if (!isWorthIt) return { proposed: Promise.resolve(noProposals), unexplained, asked }

  const batches = Math.max(
    1,
    Math.min(
      asked.inVain > 0 && !isStarved ? 1 : mostBatches,
      Math.ceil(open.length / minibatchSize),
      Math.ceil(room / budgetOf(round)),
    ),
  )
  const shown = open.slice(0, batches * minibatchSize)
  const place: Place = { stage: 'reflect', epoch: epochOf(round), step: round }
  const analyses = minibatches(shown, minibatchSize).map((minibatch, index) => {
    const isRelevant = relevance(state.pool, minibatch, setup.tasks.train.length)
    const memory: Memory = {
      steps: state.dropped.filter(({ edits }) => edits.some(isRelevant)).slice(-remembered),
      metaSkill: state.metaSkill,
      earlier: setup.carried?.steps ?? [],
    }
    const { whole } = reflect(
      run,
      {
        skill: state.current.text,
        attempts: minibatch.map(attempt => Promise.resolve(attempt)),
        memory,
        place,
      },
      {
        ...config.reflect,
        prompts,
        mode: 'patch',
        limit,
        samples: 1,
        around: frame?.around,
        round: index,
        failureOnly: true,
        editLimit: budgetOf(round),
        alternatives: config.trials.alternatives,
        pending: pending.map(({ edit }) => edit).filter(isRelevant),
      },
    )
    return whole
  })
  const proposed = Promise.all(analyses).then(async all => {
    const edits = all.flatMap(({ patches }) => patches.flatMap(patch => patch.edits))
    return { edits, concerned: await classifyProposals(training, state, { proposed: edits, place }) }
  })
  // Failures shown to analysts are queued for later too, so that they come up again if no remedy is found.
  // The queue is read from its end, so they are put first.
  const later = unexplained.filter(one => !shown.includes(one))
  return {
    proposed: startEarly(proposed),
    unexplained: [...shown, ...later],
    asked: { round, inVain: asked.inVain + 1 },
  }
}

function minibatches(attempts: readonly Attempt[], size: number): (readonly Attempt[])[] {
  return Array.from({ length: Math.ceil(attempts.length / size) }, (_, index) =>
    attempts.slice(index * size, (index + 1) * size),
  )
}

/**
 * Whether an analyst must know of an edit, because it concerns a task of the minibatch or all tasks. Other
 * edits would only lengthen the prompt.
 */
export function relevance(
  { edits }: Pool,
  minibatch: readonly Pick<Attempt, 'task'>[],
  tasks: number,
): (edit: Pick<Edit, 'id'>) => boolean {
  const shown = minibatch.map(({ task }) => task)
  const known = new Map(edits.map(one => [one.edit.id, one]))
  return ({ id }) => {
    const own = known.get(id)
    if (own === undefined || isGlobal(own, tasks)) return true
    return shown.some(task => own.concerned.has(task) || own.edit.tasks.includes(task))
  }
}

function hasFailedTwice({ trials }: TrialState, task: string): boolean {
  const last = trials.filter(trial => trial.task === task).slice(-2)
  return last.length === 2 && last.every(({ score }) => score < 0.5)
}

/** The last attempt at each task, if it failed; a task that has been solved since needs no remedy. */
function latestFailures(attempts: readonly Attempt[]): readonly Attempt[] {
  const latest = new Map<string, Attempt>()
  for (const attempt of attempts) {
    if (attempt.outcome.status !== 'scored') continue
    latest.delete(attempt.task)
    latest.set(attempt.task, attempt)
  }
  return [...latest.values()].filter(attempt => !isSuccess(attempt))
}

interface Joining {
  readonly proposed: readonly RecordedEdit[]
  readonly concerned?: ConcernedByCause
  readonly round: number
}

/** Admits proposals to the pool before the given round. */
export async function admitEdits(
  training: TrialTraining,
  state: TrialState,
  { proposed, concerned, round }: Joining,
): Promise<TrialState> {
  if (proposed.length === 0) return state
  const { run, setup } = training
  const classified = new Map([...state.classified, ...(concerned ?? [])])
  const reports = new Map(
    proposed.map(edit => [edit, applyEdits(state.current, [edit], setup.limit?.objection).reports[0]]),
  )
  // A cause that has an accepted remedy is admitted again only if its tasks keep failing.
  const solved = new Set(
    state.pool.edits.filter(({ status }) => status === 'accepted').map(({ edit }) => causeOf(edit)),
  )
  const isOpen = (edit: RecordedEdit) =>
    edit.cause === undefined ||
    !solved.has(causeOf(edit)) ||
    edit.tasks.some(task => hasFailedTwice(state, task))
  const usable = proposed.filter(edit => reports.get(edit)?.status === 'applied' && isOpen(edit))
  const refused = [...reports.values()].flatMap(report =>
    report?.status === 'refused' ? [{ edit: report.edit, reason: report.reason }] : [],
  )
  const { pool, admitted, known, full } = admit(state.pool, usable, {
    round,
    settings: setup.config.trials,
    tasks: setup.tasks.train.length,
    concern: edit => training.concern(edit, classified.get(causeOf(edit))),
  })
  const edits = admitted.map(one => ({ ...one.edit, slot: one.slot, concerned: one.concerned.size }))
  const unusable = proposed.length - usable.length
  const body = { epoch: training.epochOf(round), step: round, edits, known, full, unusable, refused }
  await run.emit('trials.admitted', body, `round ${round}`)
  if (admitted.length === 0) return { ...state, pool, classified }
  return { ...state, pool, classified, asked: { ...state.asked, inVain: 0 }, lastChange: round }
}
