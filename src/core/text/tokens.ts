import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'
import { gunzipSync } from 'node:zlib'

/** Maximum length to tokenize at once, because an unbroken run of letters takes quadratic time. */
const longestPiece = 4000

/**
 * Approximate number of tokens, using OpenAI's o200k_base. Other providers count differently, so it is shown
 * as "about". The vocabulary is loaded on first use: that takes a quarter of a second, and most commands
 * count nothing.
 */
export async function countTokens(text: string): Promise<number> {
  return (await loadTokenCounter())(text)
}

/** A synchronous counter, for callers that count often. */
export async function loadTokenCounter(): Promise<(text: string) => number> {
  const ranks = await loadRanks()
  const chunksOf = (piece: string): readonly string[] => piece.match(chunk) ?? []
  return text =>
    pieces(text)
      .flatMap(chunksOf)
      .reduce((sum, chunk) => sum + countChunk(chunk, ranks), 0)
}

/** Cuts a text into pieces, if possible after a line end, because a word cut in two counts as two. */
function pieces(text: string): readonly string[] {
  const piece = new RegExp(`[\\s\\S]{1,${longestPiece}}(?:\\n|$)|[\\s\\S]{1,${longestPiece}}`, 'g')
  return text.match(piece) ?? []
}

/** Rank of each token. A token is a string with one character per byte. */
type Ranks = ReadonlyMap<string, number>

let ranks: Promise<Ranks> | undefined

/**
 * Reads only the vocabulary of bpe-lite. Its code takes four times as long to load, keeps 60 MB more in
 * memory, and counts the text `<|endoftext|>` as one token.
 */
function loadRanks(): Promise<Ranks> {
  ranks ??= readRanks()
  return ranks
}

async function readRanks(): Promise<Ranks> {
  const library = pathToFileURL(createRequire(import.meta.url).resolve('bpe-lite'))
  const packed = await readFile(new URL('../vocabs/openai-o200k.json.gz', library))
  // A regular expression takes half the time of a JSON parser here.
  const entries = gunzipSync(packed)
    .toString('latin1')
    .matchAll(/"([\w+/=]+)":(\d+)/g)
  const ranks = new Map<string, number>()
  for (const [, token = '', rank] of entries) ranks.set(atob(token), Number(rank))
  return ranks
}

/** Splits a text into chunks as o200k_base does; no token spans two chunks. */
const chunk = (() => {
  const upper = String.raw`[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]`
  const lower = String.raw`[\p{Ll}\p{Lm}\p{Lo}\p{M}]`
  const contraction = "(?:'(?:[sdmtSDMT]|[lL][lL]|[vV][eE]|[rR][eE]))?"
  const word = String.raw`[^\r\n\p{L}\p{N}]?(?:${upper}*${lower}+|${upper}+${lower}*)${contraction}`
  const rest = String.raw`\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+`
  return new RegExp(`${word}|${rest}`, 'gu')
})()

const isAscii = /^[\0-\x7f]*$/

/** Merges the adjacent pair with the lowest rank until no pair is a token, and counts what is left. */
function countChunk(chunk: string, ranks: Ranks): number {
  const bytes = isAscii.test(chunk) ? chunk : Buffer.from(chunk, 'utf8').toString('latin1')
  if (ranks.has(bytes)) return 1
  const none = Number.POSITIVE_INFINITY
  const starts = Array.from({ length: bytes.length + 1 }, (_, index) => index)
  const rankAt = (part: number): number =>
    part + 2 < starts.length ? (ranks.get(bytes.slice(starts[part], starts[part + 2])) ?? none) : none
  const pairs = starts.slice(0, -1).map((_, part) => rankAt(part))
  for (;;) {
    let best = 0
    for (let part = 1; part < pairs.length; part++)
      if ((pairs[part] ?? none) < (pairs[best] ?? none)) best = part
    if ((pairs[best] ?? none) === none) return pairs.length
    starts.splice(best + 1, 1)
    pairs.splice(best + 1, 1)
    pairs[best] = rankAt(best)
    if (best > 0) pairs[best - 1] = rankAt(best - 1)
  }
}
