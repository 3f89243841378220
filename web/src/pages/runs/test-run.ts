import type { RunSummary } from '../../../../src/dashboard/contract/runs.js'

/** A finished training as test data, with the given overrides. */
export function testRun(given: Partial<RunSummary> & Pick<RunSummary, 'id'>): RunSummary {
  return {
    name: given.id,
    directory: `runs/${given.id}`,
    state: 'finished',
    kind: 'train',
    simulated: false,
    environment: 'tasks',
    models: {},
    startedAt: 1,
    lastAt: 2,
    activeMs: 1000,
    epoch: 1,
    epochs: 1,
    step: 4,
    steps: 4,
    calls: 10,
    tokens: 500,
    unknownUsage: 0,
    cost: 0.5,
    unknownCost: 0,
    spark: [],
    ...given,
  }
}
