import { everywhere, testAgent } from '../test-agent.js'

await testAgent('gemini', 'training', ...everywhere)
