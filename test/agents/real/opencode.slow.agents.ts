import { testAgent } from '../test-agent.js'

await testAgent('opencode', 'work')
