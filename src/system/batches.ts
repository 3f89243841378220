/** Number of operations at a time. It keeps the file system threads busy; more would only take memory. */
const atOnce = 64

/**
 * Applies an operation to many files, several at a time, because each operation mostly waits. Results are in
 * item order.
 */
export async function inBatches<T, R>(
  items: readonly T[],
  work: (item: T) => Promise<R>,
): Promise<readonly R[]> {
  const results: R[] = []
  for (let start = 0; start < items.length; start += atOnce) {
    // The whole batch ends before an error is thrown, so that nothing is still running when the caller cleans
    // up.
    const ended = await Promise.allSettled(items.slice(start, start + atOnce).map(work))
    for (const one of ended) {
      if (one.status === 'rejected') throw one.reason
      results.push(one.value)
    }
  }
  return results
}
