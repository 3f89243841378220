import { testAgent } from '../test-agent.js'

await testAgent('opencode', 'training', 'night', 'roles', 'environments')
