import { fillRegionSplice, placeRegionSplice, type RegionKind, type Splice, spliceText } from './skill.js'

/** A run of UTF-16 code units with one origin: `seed`, an edit's id, or a name such as `slow-update:2`. */
export interface Span {
  readonly length: number
  readonly origin: string
}

/** A skill that tracks the origin of each character. The spans cover the text without gaps. */
export interface SkillDocument {
  readonly text: string
  readonly origins: readonly Span[]
}

export interface LineOrigins {
  readonly line: string
  readonly origins: readonly string[]
}

export function seedDocument(text: string): SkillDocument {
  return documentFrom(text, 'seed')
}

/** Replaces the content of a region, creating the region if needed. */
export function setRegion(
  document: SkillDocument,
  kind: RegionKind,
  { text, origin }: { readonly text: string; readonly origin: string },
): SkillDocument {
  const placed = placeRegion(document, kind, origin)
  const splice = fillRegionSplice(placed.text, kind, text)
  if (splice === undefined || spliceText(placed.text, splice) === placed.text) return placed
  return spliceDocument(placed, splice, origin)
}

/**
 * The origins of each line, in order of appearance. A line end counts only on an otherwise empty line, so
 * that a new paragraph below a line does not mark that line as new.
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

/** Makes sure that the skill has this region; a new region is empty. */
export function placeRegion(document: SkillDocument, kind: RegionKind, origin: string): SkillDocument {
  const splice = placeRegionSplice(document.text, kind)
  return splice === undefined ? document : spliceDocument(document, splice, origin)
}

/** All changes to a document go through this function, so that text and origins cannot drift apart. */
export function spliceDocument(document: SkillDocument, splice: Splice, origin: string): SkillDocument {
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

/** A slice of a document, with its origins. */
export function sliceDocument(document: SkillDocument, start: number, end: number): SkillDocument {
  return { text: document.text.slice(start, end), origins: sliceSpans(document.origins, start, end) }
}

export function joinDocuments(parts: readonly SkillDocument[]): SkillDocument {
  return {
    text: parts.map(part => part.text).join(''),
    origins: mergeSpans(parts.flatMap(part => part.origins)),
  }
}

/** A document with a single origin. */
export function documentFrom(text: string, origin: string): SkillDocument {
  return { text, origins: text === '' ? [] : [{ length: text.length, origin }] }
}
