/**
 * Extracts the parts of a prompt between markers, by name. Both marker lines repeat the same mark, so a part
 * cannot close itself.
 */
export function partsIn(text: string): Partial<Record<string, string>> {
  const marked = /^\[begin (\w+) (\w+)\]\n([\s\S]*?)\n\[end \1 \2\]$/gm
  return Object.fromEntries([...text.matchAll(marked)].map(([, name, , part]) => [name, part]))
}
