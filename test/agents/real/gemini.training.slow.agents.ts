import { testAgent } from '../test-agent.js'

await testAgent('gemini', 'training', 'night', 'environments')
