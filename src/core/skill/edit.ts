import { addNote } from './appendix.js'
import { type SkillDocument, spliceDocument } from './document.js'
import { rewriteDocument } from './rewrite.js'
import {
  appendSplice,
  lineEndOf,
  type ParsedSkill,
  parseSkill,
  type Range,
  type Splice,
  spliceText,
  stripMarkers,
  withLineEnds,
} from './skill.js'

/** The origin of an edit, by which every line of a trained skill can be traced to its evidence. */
interface Provenance {
  readonly id: string
  readonly why?: string
  /** Number of proposals that agree on the edit. */
  readonly support: number
  readonly from: 'failure' | 'success' | 'unknown'
  readonly tasks: readonly string[]
  readonly cause?: string | undefined
  readonly condition?: string | undefined
}

export type Edit = Provenance &
  (
    | { readonly op: 'append'; readonly content: string }
    | { readonly op: 'insert_after' | 'replace'; readonly target: string; readonly content: string }
    | { readonly op: 'delete'; readonly target: string }
    /** A new text for the whole body. */
    | { readonly op: 'rewrite'; readonly content: string; readonly summary: string }
    /** A proposed change in words. It changes nothing until a rewrite applies it. */
    | { readonly op: 'suggest'; readonly title: string; readonly content: string }
    /** A line for the appendix: an instruction that the skill already has but the agent did not follow. */
    | { readonly op: 'remind'; readonly content: string }
  )

export interface EditReport {
  readonly edit: string
  /** The text changed only if this is `applied`. */
  readonly status: 'applied' | 'unmatched' | 'refused' | 'empty'
  /** How the target was found; absent if the edit has no target or it was not found. */
  readonly match?: 'exact' | 'tolerant'
  readonly reason: string
}

/**
 * Applies the edits in order, each to the result of the previous ones. It never throws and never guesses. If
 * `objection` objects to the changed text, that edit is refused and the others are applied without it.
 */
export function applyEdits(
  document: SkillDocument,
  edits: readonly Edit[],
  objection: (before: string, after: string) => string | undefined = () => undefined,
): { readonly document: SkillDocument; readonly reports: readonly EditReport[] } {
  const reports: EditReport[] = []
  let current = document
  for (const edit of edits) {
    const { changed, outcome } = applyEdit(current, edit)
    const refusal = changed === undefined ? undefined : objection(current.text, changed.text)
    if (changed !== undefined && refusal === undefined) current = changed
    reports.push({
      edit: edit.id,
      ...(refusal === undefined ? outcome : { status: 'refused', reason: refusal }),
    })
  }
  return { document: current, reports }
}

type Outcome = Omit<EditReport, 'edit'>

function applyEdit(
  document: SkillDocument,
  edit: Edit,
): { readonly changed?: SkillDocument; readonly outcome: Outcome } {
  switch (edit.op) {
    case 'suggest':
      return failed('refused', 'A suggestion is worked in by a rewrite and changes nothing by itself.')
    case 'rewrite':
      return applyRewrite(document, edit.content, edit.id)
    case 'remind':
      return applyReminder(document, edit.content, edit.id)
    default: {
      const { splice, outcome } = planEdit(document.text, edit)
      return splice === undefined
        ? { outcome }
        : { changed: spliceDocument(document, splice, edit.id), outcome }
    }
  }
}

function applyRewrite(document: SkillDocument, content: string, origin: string) {
  if (content.trim() === '') return failed('empty', 'The rewrite has no text.')
  const changed = rewriteDocument(document, content, origin)
  if (changed.text === document.text) return failed('empty', 'The rewrite is the text that is already there.')
  if (!protectedPartsAgree(document.text, changed.text)) return failed('refused', damage)
  return { changed, outcome: { status: 'applied' as const, reason: 'Rewritten.' } }
}

function applyReminder(document: SkillDocument, content: string, origin: string) {
  const changed = addNote(document, content, origin)
  if (changed === document)
    return failed('empty', 'The reminder has no text, or the appendix says it already.')
  return { changed, outcome: { status: 'applied' as const, reason: 'Put into the appendix.' } }
}

// Planning an edit

interface Plan {
  readonly splice?: Splice
  readonly outcome: Outcome
}

type LocalEdit = Extract<Edit, { op: 'append' | 'insert_after' | 'replace' | 'delete' }>

function planEdit(text: string, edit: LocalEdit): Plan {
  const skill = parseSkill(text)
  const content = edit.op === 'delete' ? '' : withLineEnds(stripMarkers(edit.content), lineEndOf(text))
  if (edit.op !== 'delete' && content.trim() === '') {
    return failed('empty', `The ${edit.op} edit has no text to put in.`)
  }
  if (edit.op === 'append') {
    return guarded(text, appendPlan(text, skill, block(content)), { reason: 'Appended.' })
  }
  if (edit.target.trim() === '') return failed('empty', `The ${edit.op} edit names no target.`)

  const found = findTarget(text, skill, edit.target)
  if ('outcome' in found) return found
  const match = found.match
  const how = match === 'exact' ? '' : ' Target found when ignoring case and white space.'
  if (edit.op === 'insert_after') {
    const splice = insertPlan(text, skill, { target: found, content: block(content) })
    return guarded(text, splice, { match, reason: `Inserted after the target.${how}` })
  }
  if (content === text.slice(found.start, found.end)) {
    return failed('empty', 'The new text is the text that is already there.')
  }
  const splice = { start: found.start, end: found.end, insert: content }
  return guarded(text, splice, {
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

/**
 * Inserts after the line in which the target ends, but never past the start of a protected region on that
 * line.
 */
function insertPlan(
  text: string,
  skill: ParsedSkill,
  { target, content }: { readonly target: Range; readonly content: string },
): Splice {
  const lineEnd = lineEndOf(text)
  const newline = text.indexOf('\n', target.end - 1)
  const afterLine = newline < 0 ? text.length : newline + 1
  const barrier = skill.regions.find(region => region.start >= target.end)?.start ?? text.length
  const at = Math.min(afterLine, barrier)
  const endsLine = text[at - 1] === '\n'
  return { start: at, end: at, insert: `${endsLine ? '' : lineEnd}${lineEnd}${content}${lineEnd}` }
}

/** Refuses a change that would form or break a marker or the frontmatter. */
function guarded(
  text: string,
  splice: Splice,
  applied: { match?: 'exact' | 'tolerant'; reason: string },
): Plan {
  if (!protectedPartsAgree(text, spliceText(text, splice))) return failed('refused', damage)
  return { splice, outcome: { status: 'applied', ...applied } }
}

const damage = 'The change would create or damage the frontmatter or a protected region.'

function protectedPartsAgree(before: string, after: string): boolean {
  const old = parseSkill(before)
  const changed = parseSkill(after)
  return (
    changed.frontmatter === old.frontmatter &&
    changed.regions.length === old.regions.length &&
    changed.regions.every((region, index) => {
      const other = old.regions[index]
      return (
        other !== undefined && after.slice(region.start, region.end) === before.slice(other.start, other.end)
      )
    })
  )
}

/** Trims blank lines around a paragraph but keeps its indentation. Separating blank lines are added later. */
function block(content: string): string {
  return content.replace(/^(?:[ \t]*\r?\n)+/, '').trimEnd()
}

function failed(status: 'unmatched' | 'refused' | 'empty', reason: string): Plan {
  return { outcome: { status, reason } }
}

// Finding the target of an edit

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

/** Matches that differ only in case and white space, and that do not split a word. */
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
    // Advance by a whole code point. After half a surrogate pair, the match would start again at its
    // beginning, forever.
    whole.lastIndex = match.index + ((text.codePointAt(match.index) ?? 0) > 0xffff ? 2 : 1)
  }
  return found
}
