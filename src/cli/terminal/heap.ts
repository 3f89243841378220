import { setFlagsFromString } from 'node:v8'

/**
 * Collects garbage as soon as the heap is twice the size in use, instead of V8's default of four times. A run
 * mostly waits for models, so the cost is not noticeable. In return, 100,000 attempts take no more memory
 * than a thousand.
 */
export function keepHeapSmall(): void {
  setFlagsFromString('--heap-growing-percent=100')
}
