import type { RunView } from './run-view.js'

/** The reason of a training that made every step it had planned. */
export const allEpochs = 'all epochs'

/** Why a training ended before its last planned step, if it did. */
export function earlyEnd({ because }: Pick<RunView, 'because'>): string | undefined {
  return because === allEpochs ? undefined : because
}
