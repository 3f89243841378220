import { fileURLToPath } from 'node:url'

/**
 * Stryker settings for `npm run bench:mutation`; docs/measured.md explains what counts and what is excluded.
 */
export default {
  mutate: ['src/{core,trainer/gates,trainer/stages}/**/*.ts', '!src/**/*.test.ts'],
  testRunner: 'vitest',
  vitest: { configFile: 'bench/mutation/vitest.config.mjs', related: false },
  plugins: [
    '@stryker-mutator/vitest-runner',
    fileURLToPath(new URL('./ignore-descriptions.mjs', import.meta.url)),
  ],
  ignorers: ['descriptions'],
  coverageAnalysis: 'perTest',
  reporters: ['progress', 'html'],
  htmlReporter: { fileName: 'bench-results/mutation.html' },
  tempDirName: 'bench-results/stryker',
  ignorePatterns: ['bench-results', 'dist', 'docs', 'runs', 'coverage'],
}
