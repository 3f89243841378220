import { testAgent } from '../test-agent.js'

await testAgent('qwen-code', 'faults')
