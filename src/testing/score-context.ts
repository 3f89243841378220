import type { ScoreContext } from '../core/ports/environment.js'

/** A context for scorers without a judge or commands. Using either throws. */
export const scoreContext: ScoreContext = {
  signal: new AbortController().signal,
  judge: async () => {
    throw new Error('This scorer should not ask a judge.')
  },
  sandbox: {
    id: 'absent',
    check: async () => undefined,
    has: async () => false,
    run: async () => {
      throw new Error('This scorer should not run a command.')
    },
  },
}
