import { testAgent } from '../test-agent.js'

await testAgent('qwen-code', 'training', 'night', 'environments')
