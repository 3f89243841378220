/**
 * Removes all blocks `<name>…</name>` with these names. It searches for each end once instead of using one
 * pattern, because on some pasted texts a pattern could take forever.
 */
export function withoutBlocks(text: string, names: readonly string[]): string {
  const opening = new RegExp(`<(${names.join('|')})>`, 'g')
  const endless = new Set<string>()
  const kept: string[] = []
  let from = 0
  for (const { 0: tag, 1: name = '', index } of text.matchAll(opening)) {
    if (index < from || endless.has(name)) continue
    const closing = `</${name}>`
    const end = text.indexOf(closing, index + tag.length)
    if (end === -1) {
      endless.add(name)
      continue
    }
    kept.push(text.slice(from, index))
    from = end + closing.length
  }
  return [...kept, text.slice(from)].join(' ')
}
