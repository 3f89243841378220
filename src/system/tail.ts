/** Keeps the end of a text that comes in pieces, whatever its length. */
export function createTail(limit: number): {
  add(chunk: string): void
  text(): string
  isCut(): boolean
} {
  let kept = ''
  let cut = false
  return {
    add(chunk) {
      kept += chunk
      if (kept.length <= limit) return
      cut = true
      // Cut in large steps, since every cut copies what stays.
      if (kept.length > 2 * limit) kept = kept.slice(-limit)
    },
    text: () => (kept.length > limit ? kept.slice(-limit) : kept),
    isCut: () => cut,
  }
}
