import type { Dice } from '../random.js'
import { type Assignment, type ConventionId, conventions } from '../world/conventions.js'
import { phraseRule } from '../world/phrasing.js'
import { examineFailure, overlooks } from './evidence.js'

const wrongRuleRate = 0.15

interface Failure {
  readonly question: string
  readonly reply: string
  readonly feedback: string
}

/**
 * Writes a line for each convention that failed attempts point to. The value is usually the one that explains
 * them best, occasionally a random one.
 */
export function rulesBehind(
  failures: readonly Failure[],
  assumed: Assignment,
  dice: Dice,
): ReadonlyMap<ConventionId, string> {
  const weights = new Map<ConventionId, Map<string, number>>()
  for (const failure of failures) {
    const finding = examineFailure(failure, assumed)
    if (overlooks(finding, dice)) continue
    for (const { id, value, weight } of finding.rules) {
      const values = weights.get(id) ?? new Map<string, number>()
      values.set(value, (values.get(value) ?? 0) + weight)
      weights.set(id, values)
    }
  }
  const rules = new Map<ConventionId, string>()
  for (const [id, values] of weights) {
    const [best] = [...values].sort((one, other) => other[1] - one[1])
    if (best === undefined) continue
    const value = dice.chance(wrongRuleRate) ? dice.pick(conventions[id].alternatives) : best[0]
    rules.set(id, `- ${phraseRule(id, value, dice)}`)
  }
  return rules
}
