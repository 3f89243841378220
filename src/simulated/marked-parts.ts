/**
 * Extracts the marked parts of a prompt by name. The two marker lines of a part repeat the same mark, so that
 * a part's text cannot end it.
 */
export function partsIn(text: string): Partial<Record<string, string>> {
  const marked = /^\[begin (\w+) (\w+)\]\n([\s\S]*?)\n\[end \1 \2\]$/gm
  return Object.fromEntries([...text.matchAll(marked)].map(([, name, , part]) => [name, part]))
}
