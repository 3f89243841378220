import { plural } from '../../core/text/format.js'
import type { RunView } from '../../core/view/fold.js'
import type { NightOutcome, NightPlan, TargetOutcome } from '../model/night-record.js'
import { isAdoptable, resultsOf, type TargetResult, type TargetRun } from './target-result.js'
import { verdictOf, verdictText } from './verdict.js'

export type NightSpending = NightOutcome['spent']

/** Adds up the usage of these runs. */
export function spentOf(views: readonly RunView[]): NightSpending {
  const total = { calls: 0, tokens: 0, cost: 0, unknownUsage: 0, unknownCost: 0, activeMs: 0 }
  for (const { spending, activeMs } of views) {
    const { calls, input, output, cost, unknownCost, unknownUsage } = spending.total
    total.calls += calls
    total.tokens += input + output
    total.cost += cost
    total.unknownUsage += unknownUsage
    total.unknownCost += unknownCost
    total.activeMs += activeMs
  }
  return total
}

/** Describes the outcome of a finished night. */
export function outcomeOf(
  plan: Pick<NightPlan, 'targets'>,
  runs: readonly TargetRun[],
): Pick<NightOutcome, 'outcome' | 'reason' | 'targets'> {
  const results = resultsOf(runs)
  const targets = plan.targets.map(({ name }) => targetOutcome(name, results))
  const good = results.filter(isAdoptable)
  if (good.length === 0) {
    const reasons = targets.map(({ name, reason }) => (targets.length === 1 ? reason : `${name}: ${reason}`))
    return { outcome: 'nothing-learned', reason: reasons.join(' '), targets }
  }
  const changes = good.reduce((sum, { edits }) => sum + edits.length, 0)
  const what = changes === 0 ? 'A new text' : plural(changes, 'change')
  const names = good.map(({ name }) => name).join(', ')
  const waits = `${what} of ${names} ${changes > 1 ? 'wait' : 'waits'} for review.`
  return { outcome: 'proposed', reason: `${waits} ${verdictOf(good).reason}`, targets }
}

function targetOutcome(name: string, results: readonly TargetResult[]): TargetOutcome {
  const result = results.find(one => one.name === name)
  if (result === undefined) return { name, status: 'skipped', reason: 'The night did not come to it.' }
  const { isNew, test, run } = result
  return {
    name,
    status: isAdoptable(result) ? 'learned' : 'nothing-learned',
    reason: isNew ? verdictText(result) : nothingNew(run.log.view),
    ...(test === undefined ? {} : { test: { before: test.before, after: test.after, tasks: test.tasks } }),
  }
}

/** Explains in a sentence why a training left the text unchanged. */
export function nothingNew(view: RunView): string {
  const { steps, because, epochEnds } = view
  const gates = steps.flatMap(({ gate }) => gate ?? [])
  const tried = [...gates, ...epochEnds.flatMap(({ slowUpdateGate }) => slowUpdateGate ?? [])]
  const rejected = tried.filter(({ action }) => action === 'reject')
  const last = tried.at(-1)
  if (rejected.length > 0) {
    const [what, whom] =
      rejected.length === 1 ? ['One change was', 'it'] : [`${rejected.length} changes were`, 'them all']
    return `${what} tried, and the gate rejected ${whom}: ${rejected.at(-1)?.verdict.reason ?? ''}`
  }
  if (last?.action === 'abstain') return `What was tried could not be judged: ${last.verdict.reason}`
  if (last !== undefined) return 'What was tried is no better than what was there.'
  if (view.outcome === 'cap') return 'Nothing could be judged before the cap was reached.'
  const has = (outcome: string) => steps.some(step => step.outcome === outcome)
  if (has('optimizer-failed')) return 'The replies of the optimizer could not be used.'
  if (has('nothing-applied')) return 'No change that was proposed could be made.'
  if (because === 'no failures left') return 'Every task to learn from was solved already.'
  return steps.length === 0 ? 'Nothing was tried.' : 'There was nothing to change.'
}
