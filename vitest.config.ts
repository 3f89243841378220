import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    setupFiles: ['test/setup.ts'],
    // Many tests wait for child processes; one worker fewer than there are cores would leave a core idle.
    maxWorkers: '100%',
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
