import { testAgent } from '../test-agent.js'

await testAgent('pi', 'training', 'night', 'roles', 'environments')
