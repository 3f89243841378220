import { setFlagsFromString } from 'node:v8'

/**
 * Garbage is collected once the heap is twice what is in use, not four times as V8 would have it. A run mostly waits for
 * models, so that this costs nothing that can be seen, and 100,000 attempts take no more memory than a thousand do.
 */
export function keepHeapSmall(): void {
  setFlagsFromString('--heap-growing-percent=100')
}
