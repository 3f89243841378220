/** Maximum length of a piece, because tokenizing an unbroken run of letters takes quadratic time. */
const longestPiece = 4000

/**
 * Approximate number of tokens, using OpenAI's o200k_base. Other providers count differently, so it is shown
 * as "about". The tables are loaded on first use: that takes a quarter of a second, and most commands count
 * nothing.
 */
export async function countTokens(text: string): Promise<number> {
  return (await loadTokenCounter())(text)
}

/** A synchronous counter, for callers that count often. */
export async function loadTokenCounter(): Promise<(text: string) => number> {
  const { countTokens: count } = await import('gpt-tokenizer/encoding/o200k_base')
  // A skill may mention <|endoftext|>, which is ordinary text there.
  const asText = { disallowedSpecial: new Set<string>() }
  return text => pieces(text).reduce((sum, piece) => sum + count(piece, asText), 0)
}

/** Cuts after a line end where one is near enough, because a cut inside a word would count it twice. */
function pieces(text: string): readonly string[] {
  const piece = new RegExp(`[\\s\\S]{1,${longestPiece}}(?:\\n|$)|[\\s\\S]{1,${longestPiece}}`, 'g')
  return text.match(piece) ?? []
}
