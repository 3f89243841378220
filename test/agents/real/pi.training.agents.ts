import { everywhere, testAgent } from '../test-agent.js'

await testAgent('pi', 'training', ...everywhere)
