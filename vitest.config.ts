import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Whole runs of the command line take minutes: begun last, one of them would keep a core waiting at the end. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const isLong = ({ moduleId }: TestSpecification) => /\/test\/(end-to-end|agents|package)\//.test(moduleId)
    return [...sorted.filter(isLong), ...sorted.filter(file => !isLong(file))]
  }
}

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    setupFiles: ['test/setup.ts'],
    // Many tests wait for child processes; one worker fewer than there are cores would leave a core idle.
    maxWorkers: '100%',
    sequence: { sequencer: LongestFirst },
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
  resolve: {
    alias: {
      'skillopt/testing': new URL('./src/testing.ts', import.meta.url).pathname,
      skillopt: new URL('./src/index.ts', import.meta.url).pathname,
    },
  },
})
