import { describe } from 'vitest'
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
type Part = 'work' | 'faults' | 'training' | 'night' | 'roles' | 'environments'

/** Runs tests with the real program of one agent. */
export async function testAgent(id: string, ...parts: readonly Part[]): Promise<void> {
  const [kit, program] = [await kitOf(id), await programOf(id)]
  const canRunPrograms = await sandboxWorks(`Attempts of ${kit.agent.title} at spreadsheets`)
  describe.skipIf(program === undefined)(kit.agent.title, { timeout: timeLimit(180_000) }, () => {
    const actor = { kit, program: program ?? '' }
    const has = (part: Part): boolean => parts.includes(part)
    if (has('work')) agentSuite(actor)
    if (has('faults')) faultSuite(actor)
    if (has('training')) trainingSuite(actor)
    if (has('training') && kit.limit !== undefined) limitsSuite(actor, kit.limit)
    if (has('night')) nightSuite(actor)
    if (has('roles')) rolesSuite(actor)
    if (has('environments')) environmentSuite(actor, canRunPrograms)
  })
}
