import { marker, matchAt } from './rule.js'

/** Words that mark a placeholder for a value. */
const placeholderWord =
  /(?:^|[-_ .])(?:your|my|the|some|an?|example|placeholder|change|changeme|replace|replaceme|insert|enter|dummy|todo|fixme|redacted|here|hidden|masked|removed|value|none|null|nil|undefined|true|false|string|str|number|boolean|bool|int|object|any|unknown|never|bytes|void|required|optional|default|password|passwd|pwd|pass|secret|token|key|apikey|api|auth|foo|bar|baz)(?:$|[-_ .])/i

const lettersOnly = /^[\p{L}_ .-]+$/u

/**
 * References to a value set elsewhere: `<your key>`, `${TOKEN}`, `{{ token }}`, `%TOKEN%`, `$(pass show x)`,
 * `@Value`, `!vault`.
 */
const filledInElsewhere = /^(?:<|\$|\{\{|\{[a-z]+:|%[\w-]+%|#\{|@|!\w|\[|\(|\*|&\w|=)/

const concealed = /^[x.*•_#?0-]+$|\*{3,}|x{6,}|•{3,}|(?:^|[^\w])(?:\.{3}|…)$/i

/** Whether the value is a placeholder for a secret. */
export function isPlaceholder(value: string): boolean {
  if (value === '' || filledInElsewhere.test(value) || concealed.test(value)) return true
  if (matchAt(marker, value, 0) !== undefined) return true
  return lettersOnly.test(value) && placeholderWord.test(value)
}

const location = /^(?:\/|\.{1,2}\/|~\/|[A-Za-z]:[\\/]|[a-z][a-z0-9+.-]*:\/\/)/

/**
 * Whether a value is a path or a URL, which is where a secret is and not the secret itself. Base64 may also
 * begin with a slash, but is longer.
 */
export function isLocation(value: string): boolean {
  return (
    location.test(value) &&
    !(value.length >= 40 && /^\/[A-Za-z0-9+/]+={0,2}$/.test(value) && isScrambled(value))
  )
}

/**
 * An identifier or member access in code: `process.env.TOKEN`, `self.token`, `config->key`, `Secret::new`.
 */
const reference = /^[A-Za-z_$][\w$]*(?:(?:\.|\?\.|!\.|::|->)[A-Za-z_$#][\w$]*)*[!?]?$/

export function isReference(value: string): boolean {
  return reference.test(value) && !isScrambled(value)
}

/**
 * Whether the value looks random, because it often switches between letters and digits, or between cases.
 * Names such as `claude-3-5-sonnet`, `oauth2` and `getUserToken` do not.
 */
export function isScrambled(value: string): boolean {
  if (value.length < 10) return false
  const text = value.slice(0, 200)
  if (/^\d{4}-\d\d-\d\d/.test(text)) return false
  let changes = 0
  let digits = 0
  let previous = 0
  for (let index = 0; index < text.length; index++) {
    const now = characterClass(text.charCodeAt(index))
    if (now === digit) digits++
    // Only switches to or from a digit count here, because a capital after lower-case letters is ordinary
    // camel case.
    if (now !== 0 && previous !== 0 && now !== previous && (now === digit || previous === digit)) changes++
    previous = now
  }
  if (digits >= 2 && changes >= 3) return true
  return text.length >= 20 && casesChange(text) >= text.length / 5
}

const digit = 3

function characterClass(code: number): number {
  if (code >= 48 && code <= 57) return digit
  if (code >= 65 && code <= 90) return 2
  return code >= 97 && code <= 122 ? 1 : 0
}

/** Counts changes of case or character class that are rare in words, as in `aBcD`. */
function casesChange(text: string): number {
  return text.match(/[a-z](?=[A-Z])|[A-Z]{2}(?=[a-z])|\d(?=[A-Za-z])|[+/]/g)?.length ?? 0
}

const longLine = 40
const nextLine =
  /(?:\r?\n|(?:\\r)?\\n)[ \t]{0,40}([\w+/=.~-]{8,200})(?=\\?["'`]?[ \t]{0,8}(?:$|\r|\n|\\|["',;)]))/y

/**
 * End of a value that is wrapped over lines, as mail clients and terminals do. Following lines that have only
 * such characters belong to the value.
 */
export function wrappedEnd(text: string, start: number, end: number): number {
  let lineStart = start
  let last = end
  while (last - lineStart >= longLine) {
    const line = matchAt(nextLine, text, last)
    if (line === undefined || !isScrambled(line[1] ?? '')) break
    lineStart = last
    last += line[0].length
  }
  return last
}
