import type { RunView } from './run-view.js'

/** The stop reason of a training that made all planned steps. */
export const allEpochs = 'all epochs'

/** Why a training ended before its last planned step; undefined if it made all steps. */
export function earlyEnd({ because }: Pick<RunView, 'because'>): string | undefined {
  return because === allEpochs ? undefined : because
}
