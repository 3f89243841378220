import { describe } from 'vitest'
import { sandboxWorks } from '../support/real-sandbox.js'
import { environmentSuite } from './environments.js'
import { faultSuite } from './faults.js'
import { limitsSuite } from './limits.js'
import { kitOf, programOf } from './programs.js'
import { rolesSuite } from './roles.js'
import { agentSuite } from './suite.js'
import { trainingSuite } from './training.js'

const short = ['codex', 'claude-code']
/** Every role and environment in every agent as well, and nothing left to `npm test`: some twenty minutes on two cores. */
const isAll = process.env.SKILLOPT_TEST_ALL !== undefined

/** The tests with the real program of one agent: `npm test` takes the short ones, `npm run test:agents` all. */
export async function testAgent(id: string, extent: 'short' | 'whole'): Promise<void> {
  const [kit, program] = [await kitOf(id), await programOf(id)]
  const canRunPrograms = await sandboxWorks(`Attempts of ${kit.agent.title} at spreadsheets`)
  describe.skipIf(program === undefined)(kit.agent.title, { timeout: 180_000 }, () => {
    const actor = { kit, program: program ?? '' }
    agentSuite(actor)
    if (extent === 'whole') faultSuite(actor)
    // `npm test` has these of its two agents already.
    if (extent === 'short' || isAll || !short.includes(id)) {
      trainingSuite(actor)
      if (kit.limit !== undefined) limitsSuite(actor, kit.limit)
      else if (isAll && kit.agent.chats) rolesSuite(actor)
    }
    // What environments need of an agent is much the same for all, so that the quickest one will do.
    if (isAll || (extent === 'short' && id === 'codex')) environmentSuite(actor, canRunPrograms)
  })
}
