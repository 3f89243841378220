import { testAgent } from '../test-agent.js'

await testAgent('pi', 'faults')
