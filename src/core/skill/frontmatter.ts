import { isMap, isScalar, LineCounter, type Pair, parseDocument, stringify, type YAMLMap } from 'yaml'
import { messageOf } from '../errors/errors.js'
import { lineEndOf, parseSkill, type Splice, spliceText } from './skill.js'

/** The YAML between the fences at the top of a skill. `line` is the line number in the file. */
export type Frontmatter =
  | { readonly state: 'absent' }
  | { readonly state: 'broken'; readonly line: number; readonly problem: string }
  | { readonly state: 'read'; readonly fields: Readonly<Record<string, unknown>> }

export function readFrontmatter(text: string): Frontmatter {
  const { frontmatter } = parseSkill(text)
  if (frontmatter === '') {
    return /^\uFEFF?---[ \t]*\r?\n[ \t]*(?:name|description)[ \t]*:/.test(text)
      ? { state: 'broken', line: 1, problem: 'it is opened by --- and never closed' }
      : { state: 'absent' }
  }
  const lines = new LineCounter()
  const document = parseDocument(fieldsOf(frontmatter).text, { lineCounter: lines, prettyErrors: false })
  const [error] = document.errors
  if (error !== undefined) {
    return { state: 'broken', line: lines.linePos(error.pos[0]).line + 1, problem: error.message }
  }
  if (document.contents === null) return { state: 'read', fields: {} }
  if (!isMap(document.contents)) return { state: 'broken', line: 2, problem: 'it is not a list of fields' }
  try {
    return { state: 'read', fields: document.toJS() as Record<string, unknown> }
  } catch (error) {
    // The YAML has an unresolved alias, or aliases that expand without end.
    return { state: 'broken', line: 2, problem: messageOf(error) }
  }
}

/** Sets these frontmatter fields, creating the frontmatter if needed. Nothing else changes. */
export function withFields(text: string, fields: Readonly<Record<string, string>>): string {
  const entries = Object.entries(fields)
  if (entries.length === 0) return text
  const lineEnd = lineEndOf(text)
  const { frontmatter } = parseSkill(text)
  if (frontmatter === '') {
    const start = text.startsWith('\uFEFF') ? 1 : 0
    const written = ['---', ...entries.map(([key, value]) => `${key}: ${scalar(value)}`), '---', '', '']
    return spliceText(text, { start, end: start, insert: written.join(lineEnd) })
  }
  // Goes from the last key to the first, so that added keys end up in the given order.
  return entries.reduceRight(
    (written, [key, value]) => spliceText(written, fieldSplice(written, key, value)),
    text,
  )
}

function fieldSplice(text: string, key: string, value: string): Splice {
  const inner = fieldsOf(parseSkill(text).frontmatter)
  const { contents } = parseDocument(inner.text)
  const pair = isMap(contents) ? pairOf(contents, key) : undefined
  const lineEnd = lineEndOf(text)
  if (pair === undefined) {
    return { start: inner.start, end: inner.start, insert: `${key}: ${scalar(value)}${lineEnd}` }
  }
  const range = (pair.value as { range?: readonly [number, number, number] } | null)?.range
  const keyRange = (pair.key as { range?: readonly [number, number, number] }).range
  const [start, end] = range ?? [keyRange?.[1] ?? 0, keyRange?.[1] ?? 0]
  const replaced = inner.text.slice(start, end)
  const gap = /[ \t]$/.test(inner.text.slice(0, start)) ? '' : ' '
  return {
    start: inner.start + start,
    end: inner.start + end,
    insert: `${gap}${scalar(value)}${replaced.endsWith('\n') ? lineEnd : ''}`,
  }
}

function pairOf(map: YAMLMap, key: string): Pair | undefined {
  return map.items.find(item => isScalar(item.key) && item.key.value === key)
}

/** Writes a value on one line: frontmatter has several parsers, some of which support little of YAML. */
function scalar(value: string): string {
  return stringify(value, { lineWidth: 0, blockQuote: false }).trimEnd()
}

function fieldsOf(frontmatter: string): { text: string; start: number } {
  const start = frontmatter.indexOf('\n') + 1
  return { text: frontmatter.slice(start, frontmatter.lastIndexOf('---')), start }
}
