import { marker, matchAt } from './rule.js'

/** Words that stand where a value is still to be put. */
const placeholderWord =
  /(?:^|[-_ .])(?:your|my|the|some|an?|example|placeholder|change|changeme|replace|replaceme|insert|enter|dummy|todo|fixme|redacted|here|hidden|masked|removed|value|none|null|nil|undefined|true|false|string|str|number|boolean|bool|int|object|any|unknown|never|bytes|void|required|optional|default|password|passwd|pwd|pass|secret|token|key|apikey|api|auth|foo|bar|baz)(?:$|[-_ .])/i

const lettersOnly = /^[\p{L}_ .-]+$/u

/** Filled in elsewhere: `<your key>`, `${TOKEN}`, `{{ token }}`, `%TOKEN%`, `$(pass show x)`, `@Value`, `!vault`. */
const filledInElsewhere = /^(?:<|\$|\{\{|\{[a-z]+:|%[\w-]+%|#\{|@|!\w|\[|\(|\*|&\w|=)/

const concealed = /^[x.*•_#?0-]+$|\*{3,}|x{6,}|•{3,}|(?:^|[^\w])(?:\.{3}|…)$/i

/** Whether it stands for a secret without being one. */
export function isPlaceholder(value: string): boolean {
  if (value === '' || filledInElsewhere.test(value) || concealed.test(value)) return true
  if (matchAt(marker, value, 0) !== undefined) return true
  return lettersOnly.test(value) && placeholderWord.test(value)
}

const location = /^(?:\/|\.{1,2}\/|~\/|[A-Za-z]:[\\/]|[a-z][a-z0-9+.-]*:\/\/)/

/** A path or an address: where a secret is, not the secret. Base 64 may begin with a slash, and then is long. */
export function isLocation(value: string): boolean {
  return (
    location.test(value) &&
    !(value.length >= 40 && /^\/[A-Za-z0-9+/]+={0,2}$/.test(value) && isScrambled(value))
  )
}

/** A name in code, or a way to one: `process.env.TOKEN`, `self.token`, `config->key`, `Secret::new`. */
const reference = /^[A-Za-z_$][\w$]*(?:(?:\.|\?\.|!\.|::|->)[A-Za-z_$#][\w$]*)*[!?]?$/

export function isReference(value: string): boolean {
  return reference.test(value) && !isScrambled(value)
}

/**
 * Whether nobody would choose it as a word: letters and digits, or small and capital letters, change places again and
 * again. `claude-3-5-sonnet`, `oauth2` and `getUserToken` do not.
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
    // A capital after small letters begins a word of a name in camel case.
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

/** How often a capital follows a capital's small letter at once, as words do not: `aBcD`. */
function casesChange(text: string): number {
  return text.match(/[a-z](?=[A-Z])|[A-Z]{2}(?=[a-z])|\d(?=[A-Za-z])|[+/]/g)?.length ?? 0
}

const longLine = 40
const nextLine =
  /(?:\r?\n|(?:\\r)?\\n)[ \t]{0,40}([\w+/=.~-]{8,200})(?=\\?["'`]?[ \t]{0,8}(?:$|\r|\n|\\|["',;)]))/y

/** Long values are wrapped by mails, terminals and tools: lines of nothing but such characters belong to them. */
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
