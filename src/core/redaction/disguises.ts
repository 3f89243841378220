/**
 * Text that a model or a shell decodes into other text: escape sequences, base64, and words split so that a
 * search for them fails.
 */
export interface Disguise {
  /** The encoded part, verbatim from the text. */
  readonly shown: string
  readonly plain: string
}

const entity = /&#(?:x[0-9a-f]{1,6}|\d{1,7});/i.source
const escapes = new RegExp(
  [
    String.raw`(?:\\x[0-9a-f]{2}|\\u[0-9a-f]{4}|\\u\{[0-9a-f]{1,6}\}){4,400}`,
    String.raw`(?:\\0?[0-7]{3}){4,400}`,
    `(?:${entity}){4,400}`,
    // Percent-encoding counts only in addresses with a scheme, because other texts escape spaces and umlauts.
    String.raw`\b[a-z][a-z0-9+.-]{1,20}%3a%2f%2f[\w%.~:/?=&-]{1,400}`,
  ].join('|'),
  'gi',
)
const base64 = /(?<![\w+/=-])[\w+/-]{16,4000}={0,2}(?![\w+/=-])/g

/** Encoded parts of a text that decode to printable ASCII. */
export function disguisesIn(text: string): readonly Disguise[] {
  const found: Disguise[] = []
  for (const [shown] of text.matchAll(escapes)) found.push({ shown, plain: unescaped(shown) })
  for (const [shown] of text.matchAll(base64)) {
    // Base64 has both cases. A word in one case, a number or a path does not, and would decode to noise.
    if (/[a-z]/.test(shown) && /[A-Z]/.test(shown)) found.push({ shown, plain: fromBase64(shown) })
  }
  return found.filter(({ plain }) => /^[\t\n\r -~]{4,}$/.test(plain))
}

function unescaped(text: string): string {
  if (text.includes('%')) return text.replaceAll(/%([0-9a-f]{2})/gi, (_, hex: string) => character(hex, 16))
  return text
    .replaceAll(/\\x([0-9a-f]{2})|\\u\{?([0-9a-f]{1,6})\}?/gi, (_, two?: string, more?: string) =>
      character(two ?? more ?? '', 16),
    )
    .replaceAll(/\\0?([0-7]{3})/g, (_, octal: string) => character(octal, 8))
    .replaceAll(/&#x([0-9a-f]{1,6});/gi, (_, hex: string) => character(hex, 16))
    .replaceAll(/&#(\d{1,7});/g, (_, decimal: string) => character(decimal, 10))
}

function character(digits: string, base: number): string {
  const code = Number.parseInt(digits, base)
  return code <= 0x10_ff_ff ? String.fromCodePoint(code) : ''
}

function fromBase64(text: string): string {
  const standard = text.replaceAll('-', '+').replaceAll('_', '/').replaceAll('=', '')
  // PowerShell encodes each character in two bytes, so the zero bytes are dropped.
  return standard.length % 4 === 1 ? '' : atob(standard).replaceAll('\0', '')
}

/** A line without the separators within words that a shell or a reader ignores. */
export function unsplit(line: string): string {
  return (
    line
      .replaceAll(/\$\{?IFS\}?/g, ' ')
      // Removes empty quotes, backslashes and empty variables within a word.
      .replaceAll(/(?<=\w)(?:''|""|\$@|\$\(\)|\\(?=\w{1,10}\b))+(?=\w)/g, '')
      // Removes quotes around a part of a word.
      .replaceAll(/(?<=[a-z])(["'])([a-z]{1,8})\1(?=[a-z])/g, '$2')
      .replaceAll(/(["'])\s{0,3}[+.]\s{0,3}\1/g, '')
      // Joins an address or a command that is written letter by letter.
      .replaceAll(/(?<![\w.:/-])[a-z](?: [a-z]){2,8}(?: ?[:/.-]){0,3}(?![\w'])/gi, word =>
        spelled.test(word.replaceAll(' ', '')) ? word.replaceAll(' ', '') : word,
      )
  )
}

const spelled = /^(?:https?:\/\/|https?:?|curl|wget|bash|eval|exec|ssh|scp|sudo)$/i
