import { isLocation, isPlaceholder, isScrambled } from './opaque.js'
import { matchAt, type Rule, type Span, spellings } from './rule.js'
import { type SecretName, secretName } from './secret-names.js'
import { betweenTags, quoted, unquotedListed, type Value } from './values.js'

/** White space, including its escaped form within JSON strings. */
const gap = '(?:\\s|\\\\[nrt]){0,24}'
const mark = '\\\\{0,7}["\']?'
const sign = `(?:\\s|\\\\t){0,4}[:=](?:\\s|\\\\t){0,4}`
/** Another field between the name and the value. */
const otherField = `(?:${mark}[\\w-]{1,30}${mark}${sign}(?:true|false|null|\\d{1,9}|\\\\{0,7}["'][^"'\\n\\\\]{0,60}${mark})${gap},?${gap})`

const namedBy =
  /(?:name|key|id|field|variable|parameter|param)\\{0,7}["']?(?:\s|\\t){0,4}[:=](?:\s|\\t){0,4}\\{0,7}["']?(?:[\w-]{1,30}\.){0,4}$/i
const thenValue = new RegExp(`${mark}${gap},?${gap}${otherField}{0,2}${mark}[vV]alue${mark}${sign}`, 'y')
const thenElement = /["']?\s{0,4}>(?=[^<>\s])|<\/\w{1,20}>(?:\s|\\[nrt]){0,24}<(?:string|value)>/y
const valueBefore =
  /["']?[vV]alue\\{0,7}["']?(?:\s|\\t){0,4}[:=](?:\s|\\t){0,4}\\{0,7}["']([^"'\n\\]{3,256})\\{0,7}["'](?:\s|\\[nrt]){0,24},(?:\s|\\[nrt]){0,24}\\{0,7}["']?(?:name|key)\\{0,7}["']?(?:\s|\\t){0,4}[:=](?:\s|\\t){0,4}\\{0,7}["']$/
/** Maximum distance from the start of a pair to its name. */
const longestBefore = 400

const definedBy =
  /(?:\bdefine|setenv|putenv|setProperty|setdefault|set_?config|\.set|\.put|\.store|SetEnvironmentVariable|config)\(\s{0,4}\\{0,7}["']$/i
const thenArgument = /\\{0,7}["']\s{0,4},\s{0,4}/y
const commandBefore =
  /(?:^|\n|\\n)[ \t]{0,12}(?:SetEnv|setx|ENV|ARG|PassEnv|set|fastcgi_param|proxy_set_header)[ \t]{1,8}["']?$/
const statementBefore = /\b(?:WITH|SET|ENCRYPTED|LOGIN|ROLE|USER)(?:[ \t]{1,4}[\w"`]{1,64})?[ \t]{1,4}$/i
const thenSpace = /["']?[ \t]{1,8}/y

const words = ['key', 'token', 'secret', 'pass', 'pwd', 'cred', 'auth']

/**
 * Finds a secret's name and value in two fields of a record, such as `name` and `value`, a constant, an XML
 * attribute or a property list.
 */
export const pairedValueRule: Rule = {
  anchors: words.flatMap(spellings),
  find(text, at) {
    const name = secretName(text, at)
    if (name === undefined) return undefined
    const before = text.slice(Math.max(0, name.start - longestBefore), name.start)
    const value = pairOf(text, name, before)
    return value === undefined || !isPairedSecret(name, value.text) ? undefined : spanOf(name, value)
  },
}

function pairOf(text: string, name: SecretName, before: string): Value | undefined {
  const isNamed = namedBy.test(before.slice(-80))
  if (isNamed || /<key>$/.test(before)) {
    const record = isNamed ? matchAt(thenValue, text, name.end) : undefined
    if (record !== undefined) return valueAt(text, name.end + record[0].length)
    const element = matchAt(thenElement, text, name.end)
    if (element !== undefined) return betweenTags(text, name.end + element[0].length)
  }
  if (isNamed) {
    const earlier = valueBefore.exec(before)
    if (earlier !== null) return earlierValue(name.start - before.length + earlier.index, earlier)
  }
  const argument = definedBy.test(before.slice(-48)) ? matchAt(thenArgument, text, name.end) : undefined
  if (argument !== undefined) return quoted(text, name.end + argument[0].length, 'quoted')
  const statement = statementBefore.test(before.slice(-80)) ? matchAt(thenSpace, text, name.end) : undefined
  const inStatement = statement && quoted(text, name.end + statement[0].length, 'quoted')
  if (inStatement !== undefined) return inStatement
  const command = commandBefore.test(before.slice(-40)) ? matchAt(thenSpace, text, name.end) : undefined
  return command === undefined ? undefined : valueAt(text, name.end + command[0].length)
}

const valueAt = (text: string, from: number) => quoted(text, from, 'quoted') ?? unquotedListed(text, from)

function earlierValue(offset: number, match: RegExpExecArray): Value {
  const value = match[1] ?? ''
  const start = offset + match[0].indexOf(value)
  return { text: value, start, end: start + value.length, form: 'quoted', followedBy: '' }
}

/** Values that are never secret: a reference to a secret's location, a type, a flag. */
const noSecret =
  /^(?:true|false|null|none|nil|string|number|boolean|integer|object|secretref|valuefrom|required|optional|\d{1,4})$/i

function isPairedSecret(name: SecretName, value: string): boolean {
  if (value.length < 3 || isPlaceholder(value) || isLocation(value) || noSecret.test(value)) return false
  if (isScrambled(value)) return true
  if (name.strength === 'weak') return false
  // A sentence is a label or a help text; a value with many symbols and digits is neither.
  if (value.length >= 20 && (value.match(/[^\p{L}\d\s.,'-]/gu)?.length ?? 0) >= 4 && /\d/.test(value))
    return true
  return !/[\s(){}<>]/.test(value)
}

const spanOf = (name: SecretName, { start, end }: Value): Span => ({
  kind: name.kind,
  start,
  end,
  certainty: 1,
})
