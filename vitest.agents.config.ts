import { defineConfig } from 'vitest/config'
import base from './vitest.config.js'

/** `npm run test:agents`: every agent that can be installed, with all that can go wrong. */
export default defineConfig({
  ...base,
  test: {
    ...base.test,
    include: ['test/agents/real/*.agents.ts'],
    // Most of the time they wait, some for a minute between two tries; but each takes some hundred megabytes.
    maxWorkers: 4,
    maxConcurrency: 6,
  },
})
