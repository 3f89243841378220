import { describe, it } from 'vitest'
import { isAll } from '../support/all.js'
import { sandboxWorks } from '../support/real-sandbox.js'
import { timeLimit } from '../support/time-limit.js'
import { environmentSuite } from './environments.js'
import { faultSuite } from './faults.js'
import { limitsSuite } from './limits.js'
import { nightSuite } from './night.js'
import { kitOf, programOf } from './programs.js'
import { rolesSuite } from './roles.js'
import { agentSuite } from './suite.js'
import { trainingSuite } from './training.js'

/** Test parts of an agent. A file may run several; files run in parallel. */
type Part = 'work' | 'faults' | 'training' | 'environments'

/**
 * Parts that run only with SKILLOPT_TEST_ALL=1, by agent: other agents cover the same code paths, and each
 * start of these takes most of a minute when others run in parallel. Their recordings still run through the
 * suites.
 */
const tooSlow: Readonly<Record<string, readonly (Part | 'transcripts')[]>> = {
  opencode: ['work', 'faults', 'training', 'transcripts'],
  'qwen-code': ['work', 'faults', 'training', 'transcripts'],
  gemini: ['faults', 'training'],
  pi: ['faults', 'training'],
}

/** True if this run includes the part of the agent; prints a message if not. */
export function isTested(id: string, part: Part | 'transcripts'): boolean {
  if (isAll || tooSlow[id]?.includes(part) !== true) return true
  it.skip(`${part}, which takes this one minutes: SKILLOPT_TEST_ALL=1 has it`)
  return false
}

/** Runs tests with the real program of one agent. */
export async function testAgent(id: string, ...parts: readonly Part[]): Promise<void> {
  const [kit, program] = [await kitOf(id), await programOf(id)]
  const canRunPrograms = await sandboxWorks(`Attempts of ${kit.agent.title} at spreadsheets`)
  describe.skipIf(program === undefined)(kit.agent.title, { timeout: timeLimit(180_000) }, () => {
    const actor = { kit, program: program ?? '' }
    const has = (part: Part): boolean => parts.includes(part) && isTested(id, part)
    if (has('work')) agentSuite(actor)
    if (has('faults')) faultSuite(actor)
    if (has('training')) trainingSuite(actor)
    if (parts.includes('training')) {
      // Copies and their scoring are the same for all agents, so one suffices.
      if (isAll || id === 'claude-code') nightSuite(actor)
      if (kit.limit !== undefined) limitsSuite(actor, kit.limit)
      else if (isAll && kit.agent.chats) rolesSuite(actor)
    }
    if (has('environments')) environmentSuite(actor, canRunPrograms)
  })
}

/** Environments need much the same of every agent, so the fastest agent, in `npm test`, suffices. */
export const everywhere: readonly Part[] = isAll ? ['environments'] : []
