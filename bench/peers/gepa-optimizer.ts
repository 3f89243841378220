import { attemptsIn, proposeLines } from '../worlds/proposals.js'
import { type Optimizer, unknownPrompt, usualLimit, withLines } from './optimizer.js'

/**
 * Simulated optimizer for GEPA: it has one kind of prompt, and the reply is the whole new instruction in a
 * fence.
 */
export const gepaOptimizer: Optimizer = (world, request) => {
  const { user: prompt, sample } = request
  const found = /```\n([\s\S]*?)\n```\s+The following are examples[^\n]*\n```\n([\s\S]*)\n```/.exec(prompt)
  const [, skill, examples] = found ?? []
  if (skill === undefined || examples === undefined) throw unknownPrompt('GEPA', request)
  const failures = attemptsIn(world, examples).flatMap(({ question, passed }) => (passed ? [] : [question]))
  const lines = proposeLines(world, { prompt, skill, failures, limit: usualLimit, sample })
  return `\`\`\`\n${withLines(skill, lines)}\n\`\`\``
}
