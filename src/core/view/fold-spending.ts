import type { EventOf } from '../log/event.js'
import { type Draft, noSpending, type Spending } from './run-view.js'

type CallEvent = EventOf<'call.started'> | EventOf<'call.failed'> | EventOf<'call.finished'>

/**
 * Adds usage and cost of calls: in total, by role and by stage. Unknown amounts are counted, never guessed.
 */
export function countSpending(view: Draft, event: CallEvent): void {
  const { role, stage } = event.body
  const { total, roles, stages } = view.spending
  view.spending = {
    total: add(total, event),
    roles: { ...roles, [role]: add(roles[role] ?? noSpending, event) },
    stages: { ...stages, [stage]: add(stages[stage] ?? noSpending, event) },
  }
  view.callsInFlight = Math.max(0, view.callsInFlight + (event.type === 'call.started' ? 1 : -1))
  if (event.type !== 'call.failed') return
  const { kind, message } = event.body
  view.failedTries = { ...view.failedTries, [kind]: (view.failedTries[kind] ?? 0) + 1 }
  view.lastFailure = { at: event.at, kind, message }
}

function add(spending: Spending, event: CallEvent): Spending {
  switch (event.type) {
    case 'call.started':
      return { ...spending, tries: spending.tries + 1 }
    case 'call.failed':
      return {
        ...spending,
        failedTries: spending.failedTries + 1,
        perhaps: addPerhaps(spending.perhaps, event),
      }
    case 'call.finished': {
      const { usage, cost } = event.body
      return {
        ...spending,
        calls: spending.calls + 1,
        input: spending.input + (usage.input ?? 0),
        output: spending.output + (usage.output ?? 0),
        cachedInput: spending.cachedInput + (usage.cachedInput ?? 0),
        unknownUsage:
          spending.unknownUsage + (usage.input === undefined || usage.output === undefined ? 1 : 0),
        cost: spending.cost + (cost ?? 0),
        unknownCost: spending.unknownCost + (cost === undefined ? 1 : 0),
      }
    }
  }
}

/** Adds calls of which only the total is known. Their cost is unknown. */
export function countSummed(view: Draft, { body }: EventOf<'calls.summed'>): Draft {
  const { role, stage, calls, input, output } = body
  const plus = (before: Spending = noSpending): Spending => ({
    ...before,
    calls: before.calls + calls,
    tries: before.tries + calls,
    input: before.input + (input ?? 0),
    output: before.output + (output ?? 0),
    unknownUsage: before.unknownUsage + (input === undefined || output === undefined ? calls : 0),
    unknownCost: before.unknownCost + calls,
  })
  const { total, roles, stages } = view.spending
  view.spending = {
    total: plus(total),
    roles: { ...roles, [role]: plus(roles[role]) },
    stages: { ...stages, [stage]: plus(stages[stage]) },
  }
  return view
}

function addPerhaps(perhaps: Spending['perhaps'], event: EventOf<'call.failed'>): Spending['perhaps'] {
  const charged = event.body.charged
  if (!charged) return perhaps
  return {
    input: perhaps.input + charged.input,
    output: perhaps.output + charged.output,
    cost: perhaps.cost + (charged.cost ?? 0),
  }
}
