import { configDefaults, defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { measureSlowdown, timeLimit } from './test/support/time-limit.js'

measureSlowdown()

/** Whole runs of the command line take minutes: begun last, one of them would keep a core waiting at the end. */
const long = [
  /\/test\/end-to-end\/(benchmarks|crash|dashboard-views)\.|\/test\/package\//,
  /\/test\/(end-to-end|agents)\//,
  /\/test\/(docs-commands|examples|conformance\/source)\.|\/solvers\/spreadsheetbench\.|\/src\/(cli|trainer\/loops|store)\//,
]

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => {
      const at = long.findIndex(names => names.test(moduleId))
      return at === -1 ? long.length : at
    }
    return (await super.sort(files)).toSorted((left, right) => rank(left) - rank(right))
  }
}

/**
 * Code that keeps nothing between two calls. Its tests share their modules, since to load them takes longer than most of
 * the tests; one that replaces a module, a timer or a variable, or starts a process, does not belong here.
 */
const pure = [
  'src/{compat,core,prepare,report}/**/*.test.ts',
  'src/project/**/!(agents).test.ts',
  'src/store/**/!(disk|lock|lock-namespaces).test.ts',
  'src/trainer/**/*.test.ts',
  'src/sleep/{book,dreams,model,nights,proposal,settings}/**/*.test.ts',
  'src/sleep/mining/**/!(assemble-mining).test.ts',
  'src/sleep/adopt/!(killed).test.ts',
  'src/sleep/replay/!(folder-state|project|replay|replay-work|work-done).test.ts',
  'src/simulated/{optimizer,protocols,solvers,world}/**/*.test.ts',
  'src/tasks/{loading,own}/**/*.test.ts',
  'src/tasks/scoring/!(command).test.ts',
  'src/tasks/benchmarks/!(spreadsheetbench)/**/*.test.ts',
  'src/agents/!(chat|cursor|registry|shared)/*.test.ts',
  'src/cli/output/!(forecast-text).test.ts',
  'src/models/wire/**/*.test.ts',
  'web/src/**/*.test.{ts,tsx}',
  'src/agents/shared/output/*.test.ts',
]

/** What `npm test` leaves to `npm run test:slow`. */
const slow = ['{src,test,bench}/**/*.slow.test.ts']

export default defineConfig({
  test: {
    projects: [
      {
        extends: true,
        test: {
          name: 'pure',
          include: pure,
          exclude: [...configDefaults.exclude, ...slow],
          isolate: false,
          setupFiles: ['test/setup-pure.ts'],
        },
      },
      {
        extends: true,
        test: {
          name: 'whole',
          include: ['{src,test,bench}/**/*.test.ts', 'web/src/**/*.test.{ts,tsx}'],
          exclude: [...configDefaults.exclude, ...pure, ...slow],
        },
      },
      { extends: true, test: { name: 'slow', include: slow } },
    ],
    setupFiles: ['test/setup.ts'],
    // Many tests wait for child processes; one worker fewer than there are cores would leave a core idle.
    maxWorkers: '100%',
    sequence: { sequencer: LongestFirst },
    // On a busy machine a child process may be starved. The summary lists every test that passed only on its second try.
    retry: process.env.CI === undefined ? 0 : 1,
    // A passing test never waits for these; one that hangs is to be told from one that is starved.
    testTimeout: timeLimit(120_000),
    hookTimeout: timeLimit(120_000),
    expect: { poll: { timeout: timeLimit(20_000) } },
  },
  resolve: {
    alias: {
      'skillopt/testing': new URL('./src/testing/index.ts', import.meta.url).pathname,
      skillopt: new URL('./src/app/index.ts', import.meta.url).pathname,
    },
  },
})
