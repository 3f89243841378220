import { isPlaceholder, isScrambled, wrappedEnd } from './opaque.js'
import { longestMatch, matchAt, type Rule, runEnd, type Span, spellings } from './rule.js'

/** Separator between a header's name and value in a request, in JSON, in code or in a command. */
const given = `\\\\{0,7}["'\`]?\\]?\\s{0,4}(?:=>|[:=,])\\s{0,4}(?:\\\\\\r?\\n\\s{0,8})?[bfr]?\\\\{0,7}["'\`]?\\s{0,2}`

const authorization = new RegExp(
  `authorization${given}(?:(AWS4-HMAC-SHA256|Digest|OAuth|Signature|Hawk)\\s{1,3}|([A-Za-z][\\w-]{1,20})\\s{1,3}(?:\\\\?\\r?\\n\\s{0,8})?)?`,
  'iy',
)
const parameter = /[\w-]{1,32}=(?:\\{0,3}"[^"\\\r\n]{0,512}\\{0,3}"|[^\s,"'`\\]{1,512})(?:,?[ ]{0,2}|$)/y
const oneToken = /[\w.~+/=:%*!@#$^&-]{4,4096}/y

const authorizationKind = 'authorization header'

const authorizationRule: Rule = {
  anchors: spellings('authorization'),
  find(text, at) {
    const match = matchAt(authorization, text, at)
    if (match === undefined) return undefined
    const start = at + match[0].length
    // Some schemes have parameters, which may be quoted.
    if (match[1] !== undefined)
      return header(text, start, { kind: authorizationKind, part: parameter, isSecret: () => true })
    const hasScheme = match[2] !== undefined
    return header(text, start, {
      kind: authorizationKind,
      part: oneToken,
      isSecret: value => isCredential(value, hasScheme),
    })
  },
}

/**
 * Whether a header's value is a credential. After a scheme, a plain word only continues the sentence; without
 * a scheme, the value must not look like a word at all.
 */
function isCredential(value: string, hasScheme: boolean): boolean {
  if (isPlaceholder(value) || /^\$|^\w+\(/.test(value)) return false
  return isScrambled(value) || (hasScheme ? !/^[a-z.,:-]+$|^[A-Z][a-z.,:]+$/.test(value) : /\d/.test(value))
}

const scheme = /(?:bearer|basic)(?:\s|%20|\+){1,3}/iy
const bareToken = /[\w.~+/=%-]{8,4096}/y

/** A scheme and its credential, without a header name. */
const schemeRule: Rule = {
  anchors: ['bearer', 'basic'].flatMap(spellings),
  find(text, at) {
    const match = matchAt(scheme, text, at)
    return (
      match &&
      header(text, at + match[0].length, {
        kind: authorizationKind,
        part: bareToken,
        isSecret: isBareCredential,
      })
    )
  },
}

/**
 * Whether a value after `Bearer` or `basic` is a credential although there is no header name. Text such as
 * `Bearer authentication` and `basic-auth2` is more likely.
 */
function isBareCredential(value: string): boolean {
  if (isPlaceholder(value)) return false
  return isScrambled(value) || isMixedCase(value) || /^(?=.{10})(?=.*[A-Za-z])(?=.*\d.*\d)/.test(value)
}

/** Whether a value changes case often, as base64 does. A short password in it may have no digit. */
function isMixedCase(value: string): boolean {
  return value.length >= 12 && (value.match(/[a-z][A-Z]/g)?.length ?? 0) >= 3
}

const cookie = new RegExp(`cookie2?${given}(?=[\\w.-]{1,64}=)`, 'iy')
const cookieFlag = /cookie(?:\s|=)["']?(?=[\w.-]{1,64}=)/iy
const cookies = /[^\r\n\\"'`]{8,4096}/y

/** Hides the whole cookie header, because any of its values may be a session. */
const cookieRule: Rule = {
  anchors: spellings('cookie'),
  find(text, at) {
    const isOption = text.slice(Math.max(0, at - 2), at) === '--'
    const match = matchAt(isOption ? cookieFlag : cookie, text, at)
    if (match === undefined) return undefined
    return header(text, at + match[0].length, { kind: 'cookie', part: cookies, isSecret: isSession })
  },
}

function isSession(value: string): boolean {
  return value
    .split(/[;=]\s?/)
    .some(part => isScrambled(part) || (part.length >= 8 && /\d/.test(part) && /[A-Za-z]/.test(part)))
}

/** Spans the value over all consecutive parts, although only its beginning is judged. */
function header(
  text: string,
  start: number,
  {
    kind,
    part,
    isSecret,
  }: { readonly kind: string; readonly part: RegExp; readonly isSecret: (value: string) => boolean },
): Span | undefined {
  const end = runEnd(part, text, start)
  if (end === start) return undefined
  const isHidden = isSecret(text.slice(start, Math.min(end, start + longestMatch)))
  return { kind: isHidden ? kind : undefined, start, end: wrappedEnd(text, start, end), certainty: 2 }
}

export const headerRules: readonly Rule[] = [authorizationRule, schemeRule, cookieRule]
