/** As many as keep the threads of the file system busy; each that waits for one takes memory. */
const atOnce = 64

/** Does the same to many files, several at once, since each alone is mostly waiting. Results in the order of the items. */
export async function inBatches<T, R>(
  items: readonly T[],
  work: (item: T) => Promise<R>,
): Promise<readonly R[]> {
  const results: R[] = []
  for (let start = 0; start < items.length; start += atOnce) {
    // All of a batch have ended before it fails: nothing goes on behind the back of whoever cleans up then.
    const ended = await Promise.allSettled(items.slice(start, start + atOnce).map(work))
    for (const one of ended) {
      if (one.status === 'rejected') throw one.reason
      results.push(one.value)
    }
  }
  return results
}
