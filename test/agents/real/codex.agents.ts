import { testAgent } from '../test-agent.js'

await testAgent('codex', 'work', 'training', 'environments')
