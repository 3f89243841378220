import { isAll } from '../../support/all.js'
import { everywhere, testAgent } from '../test-agent.js'

// The other parts run in `npm test`.
await testAgent('claude-code', 'faults', ...(isAll ? (['work', 'training'] as const) : []), ...everywhere)
