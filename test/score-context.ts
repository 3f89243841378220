import type { ScoreContext } from '../src/core/ports.js'

/** For scorers that ask no judge: asking one fails. */
export const scoreContext: ScoreContext = {
  signal: new AbortController().signal,
  judge: async () => {
    throw new Error('This scorer should not ask a judge.')
  },
}
