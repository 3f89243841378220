import type { GateName } from '../../core/dashboard/details.js'
import type { EventBody } from '../../core/event.js'
import type { RunView } from '../../core/run-view.js'
import { NotFoundError } from '../not-found.js'

type Decided = EventBody<'gate.decided'>

/** Which candidate of its step a decision is about, from 1. */
export function candidateOf({ steps }: Pick<RunView, 'steps'>, { step, candidate }: Decided): number {
  const candidates = steps.find(one => one.step === step)?.candidates ?? []
  return candidates.find(({ skill }) => skill === candidate)?.number ?? 1
}

/** What a decision is called in addresses. */
export function gateName(view: Pick<RunView, 'steps'>, decided: Decided): GateName {
  if (decided.what === 'last') return 'last'
  if (decided.what === 'slow-update') return `epoch-${decided.epoch}`
  const number = candidateOf(view, decided)
  return number === 1 ? String(decided.step) : `${decided.step}.${number}`
}

/** By its name; a step alone also stands for the last word on its candidates, if the first never came to the gate. */
export function findDecision<T extends { readonly body: Decided }>(
  view: RunView,
  decisions: readonly T[],
  named: GateName,
): { readonly found: T; readonly index: number; readonly names: readonly GateName[] } {
  const names = decisions.map(({ body }) => gateName(view, body))
  const exact = names.indexOf(named)
  const index =
    exact === -1
      ? decisions.findLastIndex(({ body }) => body.what === 'step' && String(body.step) === named)
      : exact
  const found = decisions[index]
  if (found !== undefined) return { found, index, names }
  throw new NotFoundError(`The gate of the run ${view.run} has made no decision of this name.`, {
    hint:
      names.length === 0
        ? 'It has not decided anything yet.'
        : 'A decision is named by its step, such as 3, or by the epoch of a slow update, such as epoch-2.',
  })
}
