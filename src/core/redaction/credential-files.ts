import { isPlaceholder, isScrambled } from './opaque.js'
import { matchAt, type Rule, type Span } from './rule.js'

/** An access key's id and its secret. Other words may stand between them, but no other value. */
const awsPair =
  /A(?:KIA|SIA)[A-Z2-7][A-Z0-9]{13,20}(?![A-Za-z0-9/+])["'`]?(?:[^A-Za-z0-9/+]|[/+](?=\s)|\\[nrt]|[A-Za-z_-]{1,24}(?=[\s:="'`,|\]])){1,24}?([A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])/y

const awsRule: Rule = {
  anchors: ['AKIA', 'ASIA'],
  find(text, at) {
    const match = matchAt(awsPair, text, at)
    const value = match?.[1] ?? ''
    if (match === undefined || !isScrambled(value) || isPlaceholder(value)) return undefined
    const start = at + match[0].length - value.length
    return { kind: 'aws secret key', start, end: start + value.length, certainty: 2 }
  },
}

/** A line of `.pgpass`: host, port, database, user, password. Colons in a password are escaped. */
const pgpassBefore = /(?:^|[\n"'`]|\\n)((?:[\w.*-]|\\:){1,128})$/
const pgpassAfter =
  /:(?:\d{2,5}|\*):[\w.*-]{1,64}:[\w.*@-]{1,64}:((?:[^:\s"'`\\]|\\[:\\]){3,128})(?=$|[\s"'`]|\\n)/y

const pgpassRule: Rule = {
  anchors: [':5432:', ':5433:', ':5434:', ':6432:', ':6543:', ':*:', ':25060:', ':26257:'],
  find(text, at) {
    const match = matchAt(pgpassAfter, text, at)
    const value = match?.[1] ?? ''
    if (match === undefined || isPlaceholder(value)) return undefined
    if (!pgpassBefore.test(text.slice(Math.max(0, at - 140), at))) return undefined
    const end = at + match[0].length
    return { kind: 'password', start: end - value.length, end, certainty: 1 }
  },
}

const lineEnd = '(?:\\r?\\n|\\\\n)'
const yamlSecret = /(?:^|\n|\\n)[ \t]{0,8}kind:[ \t]{1,4}["']?Secret\b/
const jsonSecret = /\\{0,7}"kind\\{0,7}":\s{0,2}\\{0,7}"Secret\b/
const yamlField = new RegExp(
  `${lineEnd}[ \\t]{1,12}["']?[\\w.-]{1,80}["']?:[ \\t]{1,4}["']?(?![|>]|["']?${lineEnd})([^\\s"'\\\\]{1,4096})["']?(?=${lineEnd}|$)`,
  'y',
)
const jsonField =
  /(?:\s|\\[nrt]){0,24}\\{0,7}"[\w.-]{1,80}\\{0,7}"\s{0,2}:\s{0,2}\\{0,7}"([^"\\]{1,4096})\\{0,7}"(?:\s|\\[nrt]){0,24},?/y
/** End of the text before `data:` in a field `data`, `stringData` or `binaryData`, but not `metadata`. */
const fieldBefore = /(?:^|[\s"{]|\\n)(?:string|binary)?$/
/** Maximum distance between the data and the manifest's `kind: Secret`. */
const manifest = 3_000
const mostFields = 50

/** The values of a Kubernetes secret: base64, or plain text in `stringData`. */
const kubernetesRule: Rule = {
  anchors: ['data:', 'Data:', 'data"', 'Data"', 'data\\"', 'Data\\"'],
  find(text, at) {
    const opening = /(?:data|Data)(\\{0,7}"\s{0,2}:\s{0,2}\{|:(?=\r?\n|\\n))/y
    const match = matchAt(opening, text, at)
    if (match === undefined || !fieldBefore.test(text.slice(Math.max(0, at - 8), at))) return undefined
    const isJson = match[0].endsWith('{')
    if (!isSecretManifest(text, at, isJson)) return undefined
    return fieldsFrom(text, at + match[0].length, isJson ? jsonField : yamlField)
  },
}

function isSecretManifest(text: string, at: number, isJson: boolean): boolean {
  const [before = ''] = text
    .slice(Math.max(0, at - manifest), at)
    .split(/\n---/)
    .slice(-1)
  const [after = ''] = text.slice(at, at + manifest).split(/\n---/)
  const kind = isJson ? jsonSecret : yamlSecret
  return kind.test(before) || kind.test(after)
}

function fieldsFrom(text: string, from: number, field: RegExp): Span[] {
  const spans: Span[] = []
  let at = from
  while (spans.length < mostFields) {
    const match = matchAt(field, text, at)
    const value = match?.[1]
    if (match === undefined || value === undefined) return spans
    const start = at + match[0].lastIndexOf(value)
    if (!isPlaceholder(value))
      spans.push({ kind: 'kubernetes secret', start, end: start + value.length, certainty: 1 })
    at += match[0].length
  }
  return spans
}

export const credentialFileRules: readonly Rule[] = [awsRule, pgpassRule, kubernetesRule]
