import { everywhere, testAgent } from '../test-agent.js'

await testAgent('qwen-code', 'training', ...everywhere)
