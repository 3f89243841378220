import type { EventBody } from '../../../core/log/event.js'
import type { RunView } from '../../../core/view/run-view.js'
import type { GateName } from '../../contract/details.js'
import { NotFoundError } from '../not-found.js'

type Decided = EventBody<'gate.decided'>

/** The name of a gate decision in URLs. */
function gateName(decided: Decided): GateName {
  if (decided.what === 'last' || decided.what === 'final') return decided.what
  if (decided.what === 'slow-update') return `epoch-${decided.epoch}`
  return String(decided.step)
}

export function findDecision<T extends { readonly body: Decided }>(
  view: RunView,
  decisions: readonly T[],
  named: GateName,
): { readonly found: T; readonly index: number; readonly names: readonly GateName[] } {
  const names = decisions.map(({ body }) => gateName(body))
  const index = names.indexOf(named)
  const found = decisions[index]
  if (found !== undefined) return { found, index, names }
  throw new NotFoundError(`The gate of the run ${view.run} has made no decision of this name.`, {
    hint:
      names.length === 0
        ? 'It has not decided anything yet.'
        : 'A decision is named by its step, such as 3, or by the epoch of a slow update, such as epoch-2.',
  })
}
