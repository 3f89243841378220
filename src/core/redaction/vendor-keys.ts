import { wrappedEnd } from './opaque.js'
import { longestMatch, matchAt, type Rule, type Span } from './rule.js'
import { type VendorKey, vendorKeys } from './vendor-table.js'

/**
 * Position after an escape such as `\n`, `\u0022`, `%20` or a terminal colour code. Its last letter does not
 * belong to the following word.
 */
const afterEscape = '(?<=\\\\[nrtbfv])|(?<=\\\\u[0-9a-fA-F]{4})|(?<=%[0-9A-Fa-f]{2})|(?<=\\[[0-9;]{0,8}m)'

/** Where a key may begin. In nested text, a letter before a key may be the end of an escape. */
const border = `(?:(?<![A-Za-z0-9])|${afterEscape})`

/** A repetition without an upper bound. */
const openEnd = /(\{\d+,)\}/g

/** Texts that are no real key: one repeated character, or words that ask for a key. */
const placeholder = /x{6,}|\*{3,}|(.)\1{11}|your|placeholder|replace|insert/i

/**
 * A JSON web token: three base64 parts, of which the first two are JSON. It must begin a word, so that each
 * is scanned only once.
 */
const jsonWebToken = new RegExp(
  `(?:(?<![\\w-])|${afterEscape})eyJ[\\w-]{6,${longestMatch}}\\.eyJ[\\w-]{2,${longestMatch}}(?:\\.[\\w-]{0,${longestMatch}})?`,
  'y',
)

export const vendorRules: readonly Rule[] = [
  ...vendorKeys.map(vendorRule),
  {
    anchors: ['eyJ'],
    find(text, at) {
      const match = matchAt(jsonWebToken, text, at)
      return match && span(text, at, { kind: 'json web token', found: match[0] })
    },
  },
]

function vendorRule({ kind, anchors, pattern, before = 0, keep, isAnywhere }: VendorKey): Rule {
  const whole = new RegExp(
    `${isAnywhere ? '' : border}(?:${pattern.replaceAll(openEnd, `$1${longestMatch}}`)})`,
    'y',
  )
  const kept = keep === undefined ? undefined : new RegExp(keep, 'y')
  return {
    anchors,
    find(text, at) {
      const match = matchAt(whole, text, at - before)
      if (match === undefined) return undefined
      const skipped = kept === undefined ? 0 : (matchAt(kept, text, match.index)?.[0].length ?? 0)
      const seen = placeholder.test(match[0].slice(0, 200))
      return span(text, match.index + skipped, {
        kind: seen ? undefined : kind,
        found: match[0].slice(skipped),
      })
    },
  }
}

function span(
  text: string,
  start: number,
  { kind, found }: { readonly kind: string | undefined; readonly found: string },
): Span {
  return { kind, start, end: wrappedEnd(text, start, start + found.length), certainty: 3 }
}
