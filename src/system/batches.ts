/** Enough to keep the file system threads busy; each waiting operation takes memory. */
const atOnce = 64

/**
 * Applies an operation to many files, several at once, because each is mostly waiting. Results are in item
 * order.
 */
export async function inBatches<T, R>(
  items: readonly T[],
  work: (item: T) => Promise<R>,
): Promise<readonly R[]> {
  const results: R[] = []
  for (let start = 0; start < items.length; start += atOnce) {
    // The whole batch has ended before it fails, so that nothing is still running during the caller's
    // cleanup.
    const ended = await Promise.allSettled(items.slice(start, start + atOnce).map(work))
    for (const one of ended) {
      if (one.status === 'rejected') throw one.reason
      results.push(one.value)
    }
  }
  return results
}
