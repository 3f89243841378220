import { lineEndOf, parseSkill, type Range, spliceText, withLineEnds } from '../../core/skill/skill.js'

/**
 * The managed region is the part of a skill, a CLAUDE.md or an AGENTS.md that holds Sleep's learned rules.
 * Everything around it belongs to the person and stays unchanged, byte for byte. The markers are those of the
 * Python SkillOpt, so that its documents keep working.
 */

const startMarker = '<!-- SKILLOPT-SLEEP:LEARNED START -->'
const endMarker = '<!-- SKILLOPT-SLEEP:LEARNED END -->'
const byteOrderMark = '\uFEFF'

export type ManagedRegion =
  | { readonly state: 'none' }
  | {
      readonly state: 'found'
      /** The text between the marker lines, with `\n` as line ending. */
      readonly text: string
      /** Position of the whole lines, including the markers. */
      readonly where: Range
    }
  | RegionProblem

export type ProblemKind =
  | 'unclosed'
  | 'doubled'
  | 'nested'
  | 'end-before-start'
  | 'not-alone'
  | 'in-frontmatter'
  | 'open-code-block'
  | 'marker-in-text'

export interface RegionProblem {
  readonly state: 'broken'
  readonly kind: ProblemKind
  readonly line: number
  /** The problem, as the rest of a sentence that starts with the document's name. */
  readonly problem: string
}

export type WrittenRegion = { readonly state: 'written'; readonly document: string } | RegionProblem

interface Line extends Range {
  /** The line without its line ending. */
  readonly text: string
  readonly number: number
}

interface Marker {
  readonly edge: 'start' | 'end'
  readonly line: Line
}

/**
 * Finds the managed region. If the markers do not delimit exactly one region, it is not guessed: the problem
 * is reported with the line number.
 */
export function readRegion(document: string): ManagedRegion {
  const scanned = scan(document)
  if ('state' in scanned) return scanned
  const [first, second, third] = scanned.markers
  if (first === undefined) return { state: 'none' }
  const { number } = first.line
  if (first.edge === 'end') return problem('end-before-start', number, `${endMarker} has no start before it`)
  if (second === undefined) {
    return problem('unclosed', number, `${startMarker} has no end after it, outside of code blocks`)
  }
  if (second.edge === 'start') {
    return problem('nested', second.line.number, `a second ${startMarker} stands inside the region`)
  }
  if (third !== undefined) return problem('doubled', third.line.number, 'there is a second managed region')
  const inner = document.slice(first.line.end, second.line.start)
  const text = inner.replace(/\r\n?|\n/g, '\n').replace(/\n$/, '')
  return { state: 'found', text, where: { start: first.line.start, end: second.line.end } }
}

/**
 * Returns the document with this text as its region. Without a region, one is appended at the end; empty text
 * removes the region. Line endings are converted to those of the document. Returns a problem if the region
 * could not be read back exactly as given.
 */
export function writeRegion(document: string, text: string): WrittenRegion {
  const region = readRegion(document)
  if (region.state === 'broken') return region
  const wanted = text.replace(/\r\n?/g, '\n')
  const refusal = textProblem(wanted)
  if (refusal !== undefined) return refusal
  const where = region.state === 'found' ? region.where : { start: document.length, end: document.length }
  if (wanted === '') return { state: 'written', document: spliceText(document, { ...where, insert: '' }) }
  const open = region.state === 'none' ? openCodeBlock(document) : undefined
  if (open !== undefined) {
    return problem(
      'open-code-block',
      open,
      'this code block is never closed, so what follows it would be code',
    )
  }
  const lineEnd = lineEndOf(document)
  const block = withLineEnds(`${startMarker}\n${wanted}\n${endMarker}`, lineEnd)
  const insert =
    region.state === 'found'
      ? `${block}${lineEndBefore(document, where.end)}`
      : `${blankLineAfter(document, lineEnd)}${block}${lineEnd}`
  const written = spliceText(document, { ...where, insert })
  const again = readRegion(written)
  // If a document begins with a line of three dashes, such a line in the text can turn everything before it
  // into frontmatter. The result is therefore read back.
  return again.state === 'broken' ? again : { state: 'written', document: written }
}

/** Returns the person's own text: everything except the region. */
export function outsideRegion(document: string): string {
  const region = readRegion(document)
  return region.state === 'found' ? spliceText(document, { ...region.where, insert: '' }) : document
}

/**
 * Returns the problem with a text as a region. It may contain no marker in any spelling, since a person's
 * tools may reformat it, and no code fence that would include the text after the region.
 */
function textProblem(text: string): RegionProblem | undefined {
  const loose = /<!--\s*SKILLOPT-SLEEP:LEARNED\s+(?:START|END)\s*-->/i.exec(text)
  if (loose !== null) {
    const line = text.slice(0, loose.index).split('\n').length
    return problem('marker-in-text', line, 'the new text holds a marker of the managed region itself')
  }
  const open = openCodeBlock(text)
  if (open === undefined) return undefined
  return problem('open-code-block', open, 'the new text opens a code block and never closes it')
}

// ── Reading lines and markers ────────────────────────────────────────────────

interface Scan {
  readonly markers: readonly Marker[]
  /** Line number of a code block that is never closed. */
  readonly open?: number | undefined
}

/** Finds markers that are on a line of their own, outside of code. */
function scan(document: string): Scan | RegionProblem {
  const bodyStart = parseSkill(document).frontmatter.length
  const markers: Marker[] = []
  let fence: Fence | undefined
  for (const line of linesOf(document)) {
    if (line.start < bodyStart) {
      if (holdsMarker(line.text))
        return problem('in-frontmatter', line.number, 'a marker stands in the frontmatter')
      continue
    }
    if (fence !== undefined) {
      if (closes(line.text, fence)) fence = undefined
      continue
    }
    fence = fenceOpenedBy(line)
    if (fence !== undefined || !holdsMarker(line.text)) continue
    const edge = edgeOn(line.text)
    if (edge !== undefined) markers.push({ edge, line })
    else if (isShown(line.text)) continue
    else return problem('not-alone', line.number, 'a marker does not stand on a line of its own')
  }
  return { markers, open: fence?.line }
}

interface Fence {
  readonly mark: string
  readonly line: number
}

function fenceOpenedBy({ text, number }: Line): Fence | undefined {
  const mark = /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})/.exec(text)?.[1]
  return mark === undefined ? undefined : { mark, line: number }
}

function closes(text: string, { mark }: Fence): boolean {
  const closing = /^ {0,3}(`{3,}|~{3,})[ \t]*$/.exec(text)?.[1]
  return closing !== undefined && closing[0] === mark[0] && closing.length >= mark.length
}

function openCodeBlock(text: string): number | undefined {
  const scanned = scan(text)
  return 'state' in scanned ? undefined : scanned.open
}

function holdsMarker(text: string): boolean {
  return text.includes(startMarker) || text.includes(endMarker)
}

function edgeOn(text: string): Marker['edge'] | undefined {
  const alone = /^ {0,3}(<!--.*-->)[ \t]*$/.exec(text)?.[1]
  return alone === startMarker ? 'start' : alone === endMarker ? 'end' : undefined
}

/** True for a marker that is only quoted, either indented as code or list content or between backticks. */
function isShown(text: string): boolean {
  if (/^(?: {4}| {0,3}\t)/.test(text)) return true
  return !holdsMarker(text.replace(/(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)/g, ''))
}

function* linesOf(document: string): Generator<Line> {
  const lineEnd = /\r\n?|\n/g
  let start = document.startsWith(byteOrderMark) ? byteOrderMark.length : 0
  for (let number = 1; start < document.length; number += 1) {
    lineEnd.lastIndex = start
    const match = lineEnd.exec(document)
    const textEnd = match?.index ?? document.length
    const end = match === null ? textEnd : lineEnd.lastIndex
    yield { text: document.slice(start, textEnd), start, end, number }
    start = end
  }
}

/** Returns the line ending before a position. A document without a final line ending stays without one. */
function lineEndBefore(document: string, at: number): string {
  return /(?:\r\n?|\n)$/.exec(document.slice(Math.max(0, at - 2), at))?.[0] ?? ''
}

function blankLineAfter(document: string, lineEnd: string): string {
  if (document === '' || document === byteOrderMark) return ''
  const ends = /(?:(?:^|\r?\n)[ \t]*)?\r?\n$/.exec(document)?.[0]
  if (ends === undefined) return lineEnd + lineEnd
  return /^\r?\n[ \t]*\r?\n$/.test(ends) ? '' : lineEnd
}

function problem(kind: ProblemKind, line: number, text: string): RegionProblem {
  return { state: 'broken', kind, line, problem: `line ${line}: ${text}` }
}
