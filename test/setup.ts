import { rm } from 'node:fs/promises'
import fc from 'fast-check'
import { afterAll } from 'vitest'
import { testHome } from './support/test-home.js'

// Deterministic cases, so that a failure can be reproduced; FAST_CHECK_SEED selects others, FAST_CHECK_RUNS
// more.
fc.configureGlobal({
  seed: Number(process.env.FAST_CHECK_SEED ?? 20_260_601),
  numRuns: Number(process.env.FAST_CHECK_RUNS ?? 200),
})

afterAll(() => rm(testHome, { recursive: true, force: true }))
