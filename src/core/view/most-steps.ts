import type { RunView } from './run-view.js'

/** How many steps a run makes at the most. Epochs that leave out what was solved are shorter, so it falls with time. */
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
