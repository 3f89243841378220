import { matchAt, runEnd } from './rule.js'
import type { SecretName } from './secret-names.js'

/** A value assigned to a name, and the form of the assignment. */
export interface Value {
  /** The beginning of the value, which is enough to judge it. */
  readonly text: string
  readonly start: number
  /** Exclusive end of the whole value. */
  readonly end: number
  readonly form: ValueForm
  /** The characters right after the judged beginning. */
  readonly followedBy: string
}

export type ValueForm =
  /** Value in quotation marks, or between tags. */
  | 'quoted'
  /** Call argument, or the word right after the name: `get('TOKEN', x)`, `token x`. */
  | 'argument'
  /** `name=value`, `--name value`. */
  | 'assigned'
  /** `name = value`. */
  | 'spaced'
  /** `name: value`. */
  | 'listed'
  /** `the name is value`. */
  | 'told'

const judgedLength = 256

/** A terminal colour code, including its escaped form within JSON. */
const colour = String.raw`(?:(?:\\u001b|\\x1b|\\033|\\e|\x1b)\[[0-9;]{0,12}m){0,3}`

/** A name may be closed by quotation marks, escaped once per nesting level, and by an index bracket. */
const separator = new RegExp(
  String.raw`${colour}(\\{0,7}["'\x60]?\]?)${colour}(?:(?:: ?[A-Za-z][\w.]{0,30}(?: ?\| ?(?:undefined|null|None))? ?(?==))?([ \t]{0,8})(=>|:=|:-|={1,3}|:(?!:))${colour}([ \t]{0,8})${colour}(?:[>|][+-]?[ \t]{0,4}\r?\n[ \t]{1,20}|\\\r?\n[ \t]{0,20})?|(>)|[ \t]{0,4}(,)[ \t]{0,8})`,
  'y',
)

const toldBy = /[ \t]{1,3}(?:(is|was|ist|lautet|to)(?: ?:)?[ \t]{1,3})?/y

const opening = /(?:\[\s{0,12}|(\b(?:new )?[A-Za-z][\w.]{0,30}\())?[bfruBR]{0,2}(\\{0,7})(["'`])/y

export function readValue(text: string, name: SecretName): Value | undefined {
  const match = matchAt(separator, text, name.end)
  if (match === undefined) return told(text, name)
  const [whole, closing = '', spaceBefore = '', sign, spaceAfter = '', tag, comma] = match
  const from = name.end + whole.length
  if (tag !== undefined) return text[name.start - 1] === '<' ? betweenTags(text, from) : undefined
  if (comma !== undefined) return /["'`]/.test(closing) ? quoted(text, from, 'argument') : undefined
  const inQuotes = quoted(text, from, 'quoted')
  if (inQuotes !== undefined) return inQuotes
  if (sign === '=>') return undefined
  if (sign === ':') return unquoted(text, from, 'listed', plainEnd)
  if (spaceBefore !== '' || spaceAfter !== '') return unquoted(text, from, 'spaced', plainEnd)
  return unquoted(text, from, 'assigned', assignedCharacters(text, name, sign))
}

/**
 * Value after a name without a separator. `--password value` is as certain as an assignment; `password value`
 * may be about anything.
 */
function told(text: string, name: SecretName): Value | undefined {
  const match = matchAt(toldBy, text, name.end)
  if (match === undefined) return undefined
  const from = name.end + match[0].length
  const isFlag =
    /(?:^|[\s"'])--?$/.test(text.slice(Math.max(0, name.start - 3), name.start)) || /^--?\w/.test(name.text)
  if (isFlag) return quoted(text, from, 'quoted') ?? unquoted(text, from, 'assigned', plainAssigned)
  const isNetrc = /login\s\S{1,64}\s$/.test(text.slice(Math.max(0, name.start - 80), name.start))
  const form = match[1] !== undefined || isNetrc ? 'told' : 'argument'
  return quoted(text, from, form) ?? unquoted(text, from, form, plainEnd)
}

/**
 * Matches up to white space, quotation marks, a terminal colour code, or another character that ends this
 * kind of value.
 */
const upTo = (excluded: string) => new RegExp(String.raw`[^\s"'\x60<>\\\x1b${excluded}]{1,4096}`, 'y')
const plainEnd = upTo(String.raw`,;()[\]{}`)
const plainAssigned = upTo('&|;,)')
/** A variable's value in a shell or a .env file may contain anything except white space. */
const variable = new RegExp(String.raw`\{[^{}\s"'\x60\\]{1,256}\}|${upTo('&|;').source}`, 'y')
const parameter = upTo('&#')
const fallbackValue = upTo('}')

export const unquotedListed = (text: string, from: number): Value | undefined =>
  unquoted(text, from, 'listed', plainEnd)

function assignedCharacters(text: string, name: SecretName, sign: string | undefined): RegExp {
  if (sign === ':-') return fallbackValue
  if (/[?&]/.test(text[name.start - 1] ?? '')) return parameter
  return name.isUpperCase || text[name.end + 1] === '{' ? variable : plainAssigned
}

/** Reads only the beginning to judge the value; `end` reads the rest on demand. */
function unquoted(text: string, start: number, form: ValueForm, characters: RegExp): Value | undefined {
  const window = text.slice(start, start + judgedLength)
  const match = matchAt(characters, window, 0)
  if (match === undefined) return undefined
  const value = form === 'assigned' ? match[0] : match[0].replace(/[.:!?]+$/, '')
  const judgedEnd = start + value.length
  return {
    text: value,
    start,
    get end() {
      if (match[0].length < judgedLength) return judgedEnd
      return runEnd(characters, text, start)
    },
    form,
    followedBy: text.slice(judgedEnd, judgedEnd + 3),
  }
}

export function quoted(text: string, from: number, form: ValueForm): Value | undefined {
  const match = matchAt(opening, text, from)
  if (match === undefined) return undefined
  const [whole, call, backslashes = '', mark = ''] = match
  const start = from + whole.length
  const judgedEnd = closingMark(text, start, mark, backslashes.length, start + judgedLength)
  return {
    text: text.slice(start, judgedEnd),
    start,
    get end() {
      if (whole.startsWith('[')) return listEnd(text, judgedEnd)
      if (judgedEnd < start + judgedLength) return judgedEnd
      return closingMark(text, start, mark, backslashes.length, text.length)
    },
    form: call === undefined ? form : 'argument',
    followedBy: '',
  }
}

/**
 * Position of the next mark that is escaped no deeper than the opening one; the end of the line or `limit`
 * if there is none.
 */
function closingMark(text: string, start: number, mark: string, depth: number, limit: number): number {
  for (let index = start; index < limit; index++) {
    const character = text[index]
    if (character === '\n' && mark !== '`') return index
    if (character === '\\') {
      let end = index
      while (text[end] === '\\') end++
      const closes = text[end] === mark && end - index <= depth
      if (closes) return index
      // A mark that is escaped deeper belongs to the value.
      index = end - index > depth || depth === 0 ? end : end - 1
    } else if (character === mark) return index
  }
  return Math.min(limit, text.length)
}

const furtherElement = /\\{0,7}["'`]\s{0,40},\s{0,40}\\{0,7}["'`][^"'`\\\n]{0,1024}/y

/** End of a list: its further elements are as secret as the first. */
function listEnd(text: string, firstEnd: number): number {
  return runEnd(furtherElement, text, firstEnd)
}

const untilTag = /[^<>]{1,256}(?=<\/)/y

export function betweenTags(text: string, start: number): Value | undefined {
  const match = matchAt(untilTag, text, start)
  if (match === undefined) return undefined
  return { text: match[0].trim(), start, end: start + match[0].length, form: 'quoted', followedBy: '' }
}
