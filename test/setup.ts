import { rm } from 'node:fs/promises'
import fc from 'fast-check'
import { afterAll } from 'vitest'
import { testHome } from './support/test-home.js'

// The same cases every time, so that a red run is red again; FAST_CHECK_SEED looks for others, FAST_CHECK_RUNS for more.
fc.configureGlobal({
  seed: Number(process.env.FAST_CHECK_SEED ?? 20_260_601),
  numRuns: Number(process.env.FAST_CHECK_RUNS ?? 200),
})

afterAll(() => rm(testHome, { recursive: true, force: true }))
