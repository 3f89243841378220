import {
  appendSplice,
  fillRegionSplice,
  lineEndOf,
  type ParsedSkill,
  parseSkill,
  placeRegionSplice,
  type Range,
  type RegionKind,
  type Splice,
  spliceText,
  stripMarkers,
  withLineEnds,
} from './skill.js'

/** Where an edit comes from: what lets every line of a trained skill be traced to its evidence. */
interface Provenance {
  readonly id: string
  readonly why?: string
  /** How many proposals agreed on it. */
  readonly support: number
  readonly from: 'failure' | 'success'
  readonly tasks: readonly string[]
}

export type Edit = Provenance &
  (
    | { readonly op: 'append'; readonly content: string }
    | { readonly op: 'insert_after' | 'replace'; readonly target: string; readonly content: string }
    | { readonly op: 'delete'; readonly target: string }
  )

/** A run of UTF-16 units that came in together: `seed`, an edit's id, or for instance `slow-update:2`. */
export interface Span {
  readonly length: number
  readonly origin: string
}

/** A skill that remembers where each character came from. The spans cover the text without a gap. */
export interface SkillDocument {
  readonly text: string
  readonly origins: readonly Span[]
}

export interface EditReport {
  readonly edit: string
  /** Only `applied` changed the text. */
  readonly status: 'applied' | 'unmatched' | 'refused' | 'empty'
  /** How the target was found; absent where there is no target or it was not found. */
  readonly match?: 'exact' | 'tolerant'
  readonly reason: string
}

export interface LineOrigins {
  readonly line: string
  readonly origins: readonly string[]
}

export function seedDocument(text: string): SkillDocument {
  return { text, origins: text === '' ? [] : [{ length: text.length, origin: 'seed' }] }
}

/** Applies the edits one after the other, each to the result of those before it. Never throws, never guesses. */
export function applyEdits(
  document: SkillDocument,
  edits: readonly Edit[],
): { readonly document: SkillDocument; readonly reports: readonly EditReport[] } {
  const reports: EditReport[] = []
  let current = document
  for (const edit of edits) {
    const plan = planEdit(current.text, edit)
    if (plan.splice !== undefined) current = spliceDocument(current, plan.splice, edit.id)
    reports.push({ edit: edit.id, ...plan.outcome })
  }
  return { document: current, reports }
}

/** Makes sure that the skill has a slow-update region, empty if new. */
export function placeSlowUpdateRegion(document: SkillDocument, origin: string): SkillDocument {
  return placeRegion(document, 'SLOW_UPDATE', origin)
}

/** Replaces the guidance of the slow-update region, which is placed first if need be. */
export function setSlowUpdate(document: SkillDocument, guidance: string, origin: string): SkillDocument {
  return setRegion(document, 'SLOW_UPDATE', guidance, origin)
}

export function setRegion(
  document: SkillDocument,
  kind: RegionKind,
  content: string,
  origin: string,
): SkillDocument {
  const placed = placeRegion(document, kind, origin)
  const splice = fillRegionSplice(placed.text, kind, content)
  if (splice === undefined || spliceText(placed.text, splice) === placed.text) return placed
  return spliceDocument(placed, splice, origin)
}

/**
 * The origins of every line, in the order in which they appear in it. A line end counts only where the line has
 * nothing else: adding a paragraph below a line does not make the line above it new.
 */
export function lineOrigins(document: SkillDocument): readonly LineOrigins[] {
  const lines: LineOrigins[] = []
  let start = 0
  let span = 0
  let spanEnd = document.origins[0]?.length ?? 0
  while (start < document.text.length) {
    const newline = document.text.indexOf('\n', start)
    const next = newline < 0 ? document.text.length : newline + 1
    const line = document.text.slice(start, newline < 0 ? next : newline).replace(/\r$/, '')
    const visibleEnd = line === '' ? next : start + line.length
    const origins = new Set<string>()
    for (let at = start; at < next; at = Math.min(spanEnd, next)) {
      while (spanEnd <= at) {
        span += 1
        spanEnd += document.origins[span]?.length ?? Number.POSITIVE_INFINITY
      }
      const origin = document.origins[span]?.origin
      if (origin !== undefined && at < visibleEnd) origins.add(origin)
    }
    lines.push({ line, origins: [...origins] })
    start = next
  }
  return lines
}

// ── Planning one edit ───────────────────────────────────────────────────────

interface Plan {
  readonly splice?: Splice
  readonly outcome: Omit<EditReport, 'edit'>
}

function planEdit(text: string, edit: Edit): Plan {
  const skill = parseSkill(text)
  const content = edit.op === 'delete' ? '' : withLineEnds(stripMarkers(edit.content), lineEndOf(text))
  if (edit.op !== 'delete' && content.trim() === '') {
    return failed('empty', `The ${edit.op} edit has no text to put in.`)
  }
  if (edit.op === 'append') {
    return guarded(text, skill, appendPlan(text, skill, block(content)), { reason: 'Appended.' })
  }
  if (edit.target.trim() === '') return failed('empty', `The ${edit.op} edit names no target.`)

  const found = findTarget(text, skill, edit.target)
  if ('outcome' in found) return found
  const match = found.match
  const how = match === 'exact' ? '' : ' Target found when ignoring case and white space.'
  if (edit.op === 'insert_after') {
    const splice = insertPlan(text, skill, found, block(content))
    return guarded(text, skill, splice, { match, reason: `Inserted after the target.${how}` })
  }
  if (content === text.slice(found.start, found.end)) {
    return failed('empty', 'The new text is the text that is already there.')
  }
  const splice = { start: found.start, end: found.end, insert: content }
  return guarded(text, skill, splice, {
    match,
    reason: `${edit.op === 'delete' ? 'Deleted' : 'Replaced'} the target.${how}`,
  })
}

function appendPlan(text: string, skill: ParsedSkill, content: string): Splice {
  const lineEnd = lineEndOf(text)
  const region = skill.regions[0]
  if (region === undefined) return appendSplice(text, text.length, content + lineEnd)
  return appendSplice(text, region.start, content + lineEnd + lineEnd)
}

/** After the line in which the target ends, but never past the start of a protected region on that line. */
function insertPlan(text: string, skill: ParsedSkill, target: Range, content: string): Splice {
  const lineEnd = lineEndOf(text)
  const newline = text.indexOf('\n', target.end - 1)
  const afterLine = newline < 0 ? text.length : newline + 1
  const barrier = skill.regions.find(region => region.start >= target.end)?.start ?? text.length
  const at = Math.min(afterLine, barrier)
  const endsLine = text[at - 1] === '\n'
  return { start: at, end: at, insert: `${endsLine ? '' : lineEnd}${lineEnd}${content}${lineEnd}` }
}

/** Refuses a change that would make or break a marker or the frontmatter out of harmless pieces. */
function guarded(
  text: string,
  before: ParsedSkill,
  splice: Splice,
  applied: { match?: 'exact' | 'tolerant'; reason: string },
): Plan {
  const changed = spliceText(text, splice)
  const after = parseSkill(changed)
  const intact =
    after.frontmatter === before.frontmatter &&
    after.regions.length === before.regions.length &&
    after.regions.every((region, index) => {
      const old = before.regions[index]
      return old !== undefined && changed.slice(region.start, region.end) === text.slice(old.start, old.end)
    })
  if (!intact)
    return failed('refused', 'The change would create or damage the frontmatter or a protected region.')
  return { splice, outcome: { status: 'applied', ...applied } }
}

/** A paragraph of its own: blank lines around it would add up with those that separate it. Indentation stays. */
function block(content: string): string {
  return content.replace(/^(?:[ \t]*\r?\n)+/, '').trimEnd()
}

function failed(status: 'unmatched' | 'refused' | 'empty', reason: string): Plan {
  return { outcome: { status, reason } }
}

// ── Finding targets ─────────────────────────────────────────────────────────

type Found = Range & { readonly match: 'exact' | 'tolerant' }

function findTarget(text: string, skill: ParsedSkill, target: string): Found | Plan {
  const exact = occurrences(text, target)
  const matches = exact.length > 0 ? exact : occurrences(text, withLineEnds(target, lineEndOf(text)))
  if (matches.length > 0) {
    const first = matches.find(range => isEditable(skill, range))
    return first === undefined ? forbidden(skill, matches) : { ...first, match: 'exact' }
  }
  const tolerant = tolerantOccurrences(text, target)
  const editable = tolerant.filter(range => isEditable(skill, range))
  const only = editable[0]
  if (only !== undefined && editable.length === 1) return { ...only, match: 'tolerant' }
  if (editable.length > 1) {
    return failed(
      'unmatched',
      `The target is not in the skill word for word, and ${editable.length} places match it when ignoring case and white space.`,
    )
  }
  if (tolerant.length > 0) return forbidden(skill, tolerant)
  return failed('unmatched', 'The target is not in the skill.')
}

function forbidden(skill: ParsedSkill, matches: readonly Range[]): Plan {
  const inFrontmatter = matches.some(range => range.start < skill.frontmatter.length)
  const where = inFrontmatter ? 'the frontmatter' : 'a protected region'
  return failed('refused', `The target lies in ${where}, which edits may not touch.`)
}

function isEditable(skill: ParsedSkill, range: Range): boolean {
  if (range.start < skill.frontmatter.length) return false
  return skill.regions.every(region => range.end <= region.start || range.start >= region.end)
}

function occurrences(text: string, target: string): Range[] {
  const found: Range[] = []
  for (let start = text.indexOf(target); start >= 0; start = text.indexOf(target, start + 1)) {
    found.push({ start, end: start + target.length })
  }
  return found
}

/** Matches that differ only in case and white space, and that do not cut a word in two. */
function tolerantOccurrences(text: string, target: string): Range[] {
  const pattern = target
    .trim()
    .split(/\s+/)
    .map(word => word.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&'))
    .join('\\s+')
  const whole = new RegExp(
    `(?<![\\p{L}\\p{N}_](?=[\\p{L}\\p{N}_]))${pattern}(?!(?<=[\\p{L}\\p{N}_])[\\p{L}\\p{N}_])`,
    'giu',
  )
  const found: Range[] = []
  for (let match = whole.exec(text); match !== null; match = whole.exec(text)) {
    found.push({ start: match.index, end: match.index + match[0].length })
    // A whole code point: half a pair would be matched again from its start, for ever.
    whole.lastIndex = match.index + ((text.codePointAt(match.index) ?? 0) > 0xffff ? 2 : 1)
  }
  return found
}

// ── Splicing with origins ───────────────────────────────────────────────────

function placeRegion(document: SkillDocument, kind: RegionKind, origin: string): SkillDocument {
  const splice = placeRegionSplice(document.text, kind)
  return splice === undefined ? document : spliceDocument(document, splice, origin)
}

/** The only way in which a document changes, so text and origins cannot drift apart. */
function spliceDocument(document: SkillDocument, splice: Splice, origin: string): SkillDocument {
  return {
    text: spliceText(document.text, splice),
    origins: mergeSpans([
      ...sliceSpans(document.origins, 0, splice.start),
      { length: splice.insert.length, origin },
      ...sliceSpans(document.origins, splice.end, document.text.length),
    ]),
  }
}

function sliceSpans(spans: readonly Span[], start: number, end: number): Span[] {
  const sliced: Span[] = []
  let offset = 0
  for (const span of spans) {
    const length = Math.min(end, offset + span.length) - Math.max(start, offset)
    if (length > 0) sliced.push({ length, origin: span.origin })
    offset += span.length
  }
  return sliced
}

function mergeSpans(spans: readonly Span[]): Span[] {
  const merged: Span[] = []
  for (const span of spans) {
    const last = merged.at(-1)
    if (span.length === 0) continue
    if (last?.origin === span.origin) {
      merged[merged.length - 1] = { length: last.length + span.length, origin: span.origin }
    } else {
      merged.push(span)
    }
  }
  return merged
}
