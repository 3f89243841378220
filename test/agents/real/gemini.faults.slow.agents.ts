import { testAgent } from '../test-agent.js'

await testAgent('gemini', 'faults')
