/** Keeps the end of a text that arrives in chunks. */
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
      // Cut only now and then, because every cut copies the rest.
      if (kept.length > 2 * limit) kept = kept.slice(-limit)
    },
    text: () => (kept.length > limit ? kept.slice(-limit) : kept),
    isCut: () => cut,
  }
}
