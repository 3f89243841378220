/**
 * Runs `work` over the items with bounded concurrency, with results in the items' order. Starting 100,000
 * promises at once would cost more memory than the work itself.
 */
export async function mapConcurrently<T, R>(
  items: readonly T[],
  concurrency: number,
  work: (item: T, index: number) => Promise<R>,
): Promise<R[]> {
  const results = new Array<R>(items.length)
  let next = 0
  let stopped = false
  const lane = async () => {
    while (!stopped && next < items.length) {
      const index = next++
      try {
        results[index] = await work(items[index] as T, index)
      } catch (error) {
        stopped = true
        throw error
      }
    }
  }
  await Promise.all(Array.from({ length: Math.min(concurrency, items.length) }, lane))
  return results
}

/**
 * For work that starts now and is awaited later. If it fails before that, Node reports no unhandled
 * rejection, and the later `await` throws the error.
 */
export function startEarly<T>(promise: Promise<T>): Promise<T> {
  void Promise.allSettled([promise])
  return promise
}
