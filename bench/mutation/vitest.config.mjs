import { defineConfig } from 'vitest/config'
import { BaseSequencer } from 'vitest/node'

/** Most mutants are killed by a short test of their own file, so the long tests then need not run. */
class ShortestFirst extends BaseSequencer {
  async sort(files) {
    return (await super.sort(files)).reverse()
  }
}

// A subset of tests if the run's mutants concern only some: see bench/mutation.ts.
const { include, exclude } = JSON.parse(process.env.MUTATION_TESTS ?? '{}')

/** The tests beside the mutated files, and the suite that every gate must pass. */
export default defineConfig({
  test: {
    include: include ?? [
      'src/{core,trainer/gates,trainer/stages}/**/*.test.ts',
      'test/conformance/gate.test.ts',
    ],
    exclude: exclude ?? [],
    setupFiles: ['test/setup.ts'],
    testTimeout: 30_000,
    // Most mutants that property tests catch are caught by one of the first cases, and every run is repeated
    // per mutant.
    env: { FAST_CHECK_RUNS: '20' },
    isolate: false,
    sequence: { sequencer: ShortestFirst },
  },
})
