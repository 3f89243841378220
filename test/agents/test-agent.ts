import { describe } from 'vitest'
import { faultSuite } from './faults.js'
import { kitOf, programOf } from './programs.js'
import { agentSuite } from './suite.js'
import { trainingSuite } from './training.js'

/** The tests with the real program of one agent: `npm test` takes the short ones, `npm run test:agents` all. */
export async function testAgent(id: string, extent: 'short' | 'whole'): Promise<void> {
  const [kit, program] = [await kitOf(id), await programOf(id)]
  describe.skipIf(program === undefined)(kit.agent.title, { timeout: 180_000 }, () => {
    const actor = { kit, program: program ?? '' }
    agentSuite(actor)
    trainingSuite(actor)
    if (extent === 'whole') faultSuite(actor)
  })
}
