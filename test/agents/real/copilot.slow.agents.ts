import { testAgent } from '../test-agent.js'

await testAgent('copilot', 'night', 'roles', 'environments')
