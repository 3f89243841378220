import { everywhere, testAgent } from '../test-agent.js'

await testAgent('opencode', 'training', ...everywhere)
