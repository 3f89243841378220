import { defineConfig } from 'vitest/config'
import { BaseSequencer } from 'vitest/node'

/** Most mutants die in a short test of their own file, and then the long ones need not run. */
class ShortestFirst extends BaseSequencer {
  async sort(files) {
    return (await super.sort(files)).reverse()
  }
}

// Only some, where the mutants of a run concern only some: see bench/mutation.ts.
const { include, exclude } = JSON.parse(process.env.MUTATION_TESTS ?? '{}')

/** The tests beside what is mutated, and the suite that every gate must pass. */
export default defineConfig({
  test: {
    include: include ?? [
      'src/{core,trainer/gates,trainer/stages}/**/*.test.ts',
      'test/conformance/gate.test.ts',
    ],
    exclude: exclude ?? [],
    setupFiles: ['test/setup.ts'],
    testTimeout: 30_000,
    // A mutant that some case reveals is mostly revealed by one of the first, and every run is repeated per mutant.
    env: { FAST_CHECK_RUNS: '20' },
    isolate: false,
    sequence: { sequencer: ShortestFirst },
  },
})
