import type { RunView } from './run-view.js'

/**
 * Maximum number of steps of a run. It may fall over time, because epochs that skip solved tasks are
 * shorter.
 */
export function mostSteps({
  epochs,
  stepsPerEpoch,
  steps,
  outcome,
}: Pick<RunView, 'epochs' | 'stepsPerEpoch' | 'outcome'> & {
  readonly steps: readonly { readonly epoch: number }[]
}): number {
  if (outcome === 'finished') return steps.length
  const epoch = Math.max(1, steps.at(-1)?.epoch ?? 1)
  const before = steps.filter(step => step.epoch < epoch).length
  return Math.max(steps.length, before + (epochs - epoch + 1) * stepsPerEpoch)
}
