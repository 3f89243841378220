import { everywhere, isAll, testAgent } from '../test-agent.js'

// The rest is in `npm test`.
await testAgent('codex', 'faults', ...(isAll ? (['work', 'training'] as const) : []), ...everywhere)
