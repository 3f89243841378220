/** The first `limit` characters, counted in code points as in Python. */
export function firstCharacters(text: string, limit: number): string {
  if (text.length <= limit) return text
  let end = 0
  let count = 0
  for (const character of text) {
    if (count === limit) break
    count += 1
    end += character.length
  }
  return text.slice(0, end)
}
