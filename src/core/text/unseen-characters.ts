/** Invisible characters, and those that change the reading order or control a terminal. */

const unseen = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/u
/** A quick test, so that most texts skip the slow path. It also matches harmless characters. */
const maybeUnseen = /(?![\n\t])[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/u

const emoji = String.raw`\p{Extended_Pictographic}[\ufe0e\ufe0f]?\p{Emoji_Modifier}?`
/** The flags of England, Scotland and Wales are encoded with tag characters; no other emoji is. */
const flags =
  '\u{1f3f4}\u{e0067}\u{e0062}(?:\u{e0065}\u{e006e}\u{e0067}|\u{e0073}\u{e0063}\u{e0074}|\u{e0077}\u{e006c}\u{e0073})\u{e007f}'
const joined = [
  'Arabic',
  'Bengali',
  'Devanagari',
  'Gujarati',
  'Gurmukhi',
  'Kannada',
  'Khmer',
  'Malayalam',
  'Mongolian',
  'Myanmar',
  'Nko',
  'Oriya',
  'Sinhala',
  'Syriac',
  'Tamil',
  'Telugu',
  'Tibetan',
]
  .map(script => `\\p{Script=${script}}`)
  .join('')
/** Harmless characters: line ends, tabs, joiners within one emoji, joiners in scripts that need them. */
const harmless = new RegExp(
  String.raw`\r\n|[\n\t]|[#*0-9]\ufe0f\u20e3|${flags}|${emoji}(?:\u200d${emoji})*|(?<=[${joined}])[\u200c\u200d](?=[${joined}])`,
  'gu',
)

/** Replaces each invisible character with the result of `map`. */
export function mapUnseen(text: string, map: (character: string) => string): string {
  if (!maybeUnseen.test(text)) return text
  let mapped = ''
  let at = 0
  const between = (part: string) => Array.from(part, one => (unseen.test(one) ? map(one) : one)).join('')
  for (const match of text.matchAll(harmless)) {
    mapped += between(text.slice(at, match.index)) + match[0]
    at = match.index + match[0].length
  }
  return mapped + between(text.slice(at))
}

/** Formats a character as `U+200B`. */
export function codePoint(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`
}
