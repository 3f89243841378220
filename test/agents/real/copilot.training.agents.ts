import { everywhere, testAgent } from '../test-agent.js'

await testAgent('copilot', 'training', ...everywhere)
