import { testAgent } from '../test-agent.js'

await testAgent('claude-code', 'work', 'training', 'night')
