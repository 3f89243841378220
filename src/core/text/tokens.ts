/** The time that one unbroken run of letters takes grows with its square, so no piece is longer than this. */
const longestPiece = 4000

/**
 * About how many tokens a text has, by OpenAI's o200k_base. Other providers count otherwise, so it is shown as "about".
 * The tables are loaded at the first count: they take a quarter of a second, and most commands count nothing.
 */
export async function countTokens(text: string): Promise<number> {
  return (await loadTokenCounter())(text)
}

/** For whoever counts often, and cannot wait each time. */
export async function loadTokenCounter(): Promise<(text: string) => number> {
  const { countTokens: count } = await import('gpt-tokenizer/encoding/o200k_base')
  // A skill may speak of <|endoftext|>; for whoever reads the skill that is text as any other.
  const asText = { disallowedSpecial: new Set<string>() }
  return text => pieces(text).reduce((sum, piece) => sum + count(piece, asText), 0)
}

/** Cut after a line end where one is near enough, because a cut inside of a word would count it twice. */
function pieces(text: string): readonly string[] {
  const piece = new RegExp(`[\\s\\S]{1,${longestPiece}}(?:\\n|$)|[\\s\\S]{1,${longestPiece}}`, 'g')
  return text.match(piece) ?? []
}
