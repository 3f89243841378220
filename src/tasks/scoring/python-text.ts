/**
 * Text functions that behave as in Python. Data sets, rule checks and published scores come from Python, so
 * the scorers follow it where JavaScript differs (white space, word characters, `$`, lengths). This keeps
 * scores comparable.
 */

const spaceCharacters =
  '\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000'
const wordCharacters = '\\p{L}\\p{N}_'

const leadingSpace = new RegExp(`^[${spaceCharacters}]+`)
const trailingSpace = new RegExp(`[${spaceCharacters}]+$`)
const spaceRun = new RegExp(`[${spaceCharacters}]+`)

/** Python's `text.strip()`. */
export function strip(text: string): string {
  return text.replace(leadingSpace, '').replace(trailingSpace, '')
}

/** Python's `text.split()`. */
export function splitWords(text: string): string[] {
  return text.split(spaceRun).filter(word => word !== '')
}

/** Python's `len(text)`, which counts code points and not UTF-16 units. */
export function codePointLength(text: string): number {
  let length = 0
  for (const _ of text) length += 1
  return length
}

/** Deletes ASCII punctuation, Python's `string.punctuation`, except for the marks in `kept`. */
export function deletePunctuation(text: string, kept = ''): string {
  return text.replace(/[!-/:-@[-`{-~]/g, mark => (kept.includes(mark) ? mark : ''))
}

/**
 * Approximates Python's `str.casefold` well enough for headings: lower case, plus the two letters that have
 * several lower-case forms.
 */
export function caseFold(text: string): string {
  return text.toLowerCase().replaceAll('ß', 'ss').replaceAll('ς', 'σ')
}

/** Replaces whole words with a space. */
export function blankWords(text: string, words: readonly string[]): string {
  const whole = new RegExp(`(?<![${wordCharacters}])(?:${words.join('|')})(?![${wordCharacters}])`, 'gu')
  return text.replace(whole, ' ')
}

/** Whether `needle` occurs as whole words. An end that is no word character needs no boundary. */
export function containsWords(text: string, needle: string): boolean {
  const isWord = new RegExp(`[${wordCharacters}]`, 'u')
  for (let at = text.indexOf(needle); at >= 0; at = text.indexOf(needle, at + 1)) {
    const before = [...text.slice(0, at)].at(-1) ?? ''
    const after = [...text.slice(at + needle.length, at + needle.length + 2)][0] ?? ''
    const startsInside = isWord.test(before) && isWord.test([...needle][0] ?? '')
    const endsInside = isWord.test(after) && isWord.test([...needle].at(-1) ?? '')
    if (!startsInside && !endsInside) return true
  }
  return false
}

/**
 * Compiles a regular expression in Python's syntax. Throws `SyntaxError` for patterns that Python rejects,
 * and for constructs that JavaScript lacks: inline flags of a group, verbose mode, conditionals, possessive
 * quantifiers.
 */
export function pythonRegex(pattern: string, flags = ''): RegExp {
  const global = /^\(\?([aiLmsux]+)\)/.exec(pattern)
  const letters = new Set([...(global?.[1] ?? ''), ...flags])
  if (letters.has('x')) throw new SyntaxError('verbose regular expressions are not supported')
  const source = translate(pattern.slice(global?.[0].length ?? 0), letters.has('m'), letters.has('s'))
  return new RegExp(source, `u${letters.has('i') ? 'i' : ''}${letters.has('g') ? 'g' : ''}`)
}

const outsideEscapes: Readonly<Record<string, string>> = {
  A: '(?<![\\s\\S])',
  Z: '(?![\\s\\S])',
  d: '\\p{Nd}',
  D: '\\P{Nd}',
  w: `[${wordCharacters}]`,
  W: `[^${wordCharacters}]`,
  s: `[${spaceCharacters}]`,
  S: `[^${spaceCharacters}]`,
  b: `(?:(?<=[${wordCharacters}])(?![${wordCharacters}])|(?<![${wordCharacters}])(?=[${wordCharacters}]))`,
  B: `(?:(?<=[${wordCharacters}])(?=[${wordCharacters}])|(?<![${wordCharacters}])(?![${wordCharacters}]))`,
}

const classEscapes: Readonly<Record<string, string>> = {
  d: '\\p{Nd}',
  D: '\\P{Nd}',
  w: wordCharacters,
  W: '\\W',
  s: spaceCharacters,
  S: '\\S',
  b: '\\x08',
}

const commonEscapes: Readonly<Record<string, string>> = {
  a: '\\x07',
  f: '\\f',
  n: '\\n',
  r: '\\r',
  t: '\\t',
  v: '\\v',
}

function translate(pattern: string, multiline: boolean, dotMatchesAll: boolean): string {
  let source = ''
  let classStart = -1
  let at = 0
  while (at < pattern.length) {
    const rest = pattern.slice(at)
    const character = pattern[at] ?? ''
    const inClass = classStart >= 0
    let taken = 1
    if (character === '\\') {
      const [read, written] = translateEscape(rest, inClass)
      taken = read
      source += written
    } else if (inClass) {
      const closes = character === ']' && at > classStart
      source += character === '[' || (character === ']' && !closes) ? `\\${character}` : character
      if (closes) classStart = -1
    } else if (character === '[') {
      const opening = rest.startsWith('[^') ? '[^' : '['
      taken = opening.length
      // In Python, a closing bracket right after the opening one is an ordinary character.
      classStart = at + taken
      source += opening
    } else if (character === '(' && rest.startsWith('(?')) {
      const [read, written] = translateGroup(rest)
      taken = read
      source += written
    } else if (character === '{') {
      const quantifier = /^\{(\d*)(?:(,)(\d*))?\}/.exec(rest)
      const isQuantifier = quantifier !== null && quantifier[0] !== '{}' && quantifier[0] !== '{,}'
      taken = isQuantifier ? quantifier[0].length : 1
      source += isQuantifier ? quantifier[0].replace('{,', '{0,') : '\\{'
    } else if (character === '}' || character === ']') source += `\\${character}`
    else if (character === '^') source += multiline ? '(?<![^\\n])' : '(?<![\\s\\S])'
    else if (character === '$') source += multiline ? '(?![^\\n])' : '(?=\\n?(?![\\s\\S]))'
    else if (character === '.') source += dotMatchesAll ? '[\\s\\S]' : '[^\\n]'
    else source += character
    at += taken
  }
  if (classStart >= 0) throw new SyntaxError('unterminated character set')
  return source
}

function translateEscape(rest: string, inClass: boolean): readonly [number, string] {
  const coded = /^\\(?:x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8})/.exec(rest)?.[0]
  if (coded !== undefined) return [coded.length, `\\u{${coded.slice(2)}}`]
  const reference = inClass ? null : /^\\[1-9]\d?/.exec(rest)
  if (reference !== null) return [reference[0].length, reference[0]]
  const escaped = [...rest.slice(1, 3)][0] ?? ''
  const known = (inClass ? classEscapes : outsideEscapes)[escaped] ?? commonEscapes[escaped]
  if (known !== undefined) return [2, known]
  if (escaped === '0') return [2, '\\0']
  if (escaped === '' || /[A-Za-z0-9]/.test(escaped)) throw new SyntaxError(`bad escape \\${escaped}`)
  const special = /[\^$\\.*+?()[\]{}|/-]/.test(escaped) && !(escaped === '-' && !inClass)
  return [1 + escaped.length, special ? `\\${escaped}` : escaped]
}

function translateGroup(rest: string): readonly [number, string] {
  const named = /^\(\?P<([A-Za-z_]\w*)>/.exec(rest)
  if (named !== null) return [named[0].length, `(?<${named[1]}>`]
  const back = /^\(\?P=([A-Za-z_]\w*)\)/.exec(rest)
  if (back !== null) return [back[0].length, `\\k<${back[1]}>`]
  const comment = /^\(\?#[^)]*\)/.exec(rest)
  if (comment !== null) return [comment[0].length, '']
  const plain = /^\(\?(?::|=|!|<=|<!|<[A-Za-z_])/.exec(rest)
  if (plain !== null) return [2, '(?']
  throw new SyntaxError(`unsupported group ${rest.slice(0, 4)}`)
}
