import { addressRules } from './addresses.js'
import { createAnchorScan } from './anchors.js'
import { credentialFileRules } from './credential-files.js'
import { headerRules } from './headers.js'
import { namedValueRule } from './named-values.js'
import { type CheckedPattern, checkPatterns, type OwnPattern } from './own-patterns.js'
import { pairedValueRule } from './paired-values.js'
import { privateKeyRules } from './private-keys.js'
import { marker, markerAnchor, matchAt, type Rule, type Span } from './rule.js'
import { tableColumnRule, tableRowRule } from './tables.js'
import { vendorRules } from './vendor-keys.js'

export type { OwnPattern } from './own-patterns.js'

export interface RedactionOptions {
  /** User-defined patterns to hide in addition to the built-in rules. */
  readonly patterns?: readonly OwnPattern[]
}

/** Kind and position of a hidden secret, never its value. */
export interface Finding {
  readonly kind: string
  /** Offset in the original text, from 0. */
  readonly offset: number
  /** Line in the original text, from 1. */
  readonly line: number
}

export interface Redaction {
  readonly text: string
  readonly found: readonly Finding[]
}

export interface Redactor {
  /** Hides secrets in a text, except those that occur verbatim in `known`. */
  redact(text: string, known?: string): Redaction
}

const rules: readonly Rule[] = [
  ...vendorRules,
  ...privateKeyRules,
  ...headerRules,
  ...addressRules,
  ...credentialFileRules,
  namedValueRule,
  pairedValueRule,
  tableRowRule,
  tableColumnRule,
]

/** Indexes of the rules by anchor. Several rules may share an anchor. */
const rulesByAnchor = new Map<string, number[]>()
for (const [index, { anchors }] of rules.entries()) {
  for (const anchor of anchors) rulesByAnchor.set(anchor, [...(rulesByAnchor.get(anchor) ?? []), index])
}
const anchors = [...rulesByAnchor.keys(), markerAnchor]
const anchorRules = [...rulesByAnchor.values()]
const scanAnchors = createAnchorScan(anchors)

/**
 * Hides secrets in agents' transcripts before anything is stored, shown or sent. Each is replaced by its
 * kind, `[redacted: github token]`, so that the text stays readable. Redaction is idempotent.
 */
export function createRedactor({ patterns = [] }: RedactionOptions = {}): Redactor {
  const own = checkPatterns(patterns)
  return {
    redact(text, known = '') {
      const isNew = ({ start, end }: Span) => known === '' || !known.includes(text.slice(start, end))
      let hidden = findSpans(text, own).filter(isNew)
      if (hidden.length === 0) return { text, found: [] }
      // A hidden secret may change what the text beside it matches, so the text is scanned until nothing new
      // is found.
      for (;;) {
        const rendered = render(text, hidden)
        const more = findSpans(rendered.text, own)
          .map(span => rendered.inOriginal(span))
          .filter(isNew)
        const merged = merge([...hidden, ...more])
        if (covered(merged) === covered(hidden)) return { text: rendered.text, found: findings(text, hidden) }
        hidden = merged
      }
    },
  }
}

type HiddenSpan = Span & { readonly kind: string }

function isHidden(span: Span): span is HiddenSpan {
  return span.kind !== undefined
}

function findSpans(text: string, own: readonly CheckedPattern[]): HiddenSpan[] {
  const spans: HiddenSpan[] = []
  const markers: Stretch[] = []
  // Up to here each rule has examined the text. No rule examines a position twice, so no text can make it
  // slow.
  const seenUntil = new Float64Array(rules.length)
  let markerEnd = 0
  scanAnchors(text, (anchor, at) => {
    if (at < markerEnd) return
    const indexes = anchorRules[anchor]
    if (indexes === undefined) {
      const length = matchAt(marker, text, at)?.[0].length ?? 0
      const start = at === markerEnd ? (markers.pop()?.start ?? at) : at
      markerEnd = at + length
      markers.push({ start, end: markerEnd })
      return
    }
    for (const index of indexes) {
      if (at < (seenUntil[index] ?? 0)) continue
      const found = rules[index]?.find(text, at)
      if (found === undefined) continue
      if ('start' in found) {
        seenUntil[index] = found.end
        if (isHidden(found)) spans.push(found)
      } else spans.push(...found.filter(isHidden))
    }
  })
  for (const { kind, expression } of own) {
    for (const { index, 0: found } of text.matchAll(expression)) {
      if (found !== '') spans.push({ kind, start: index, end: index + found.length, certainty: 4 })
    }
  }
  return merge(spans.filter(span => span.end > span.start && !isWithin(span, markers)))
}

interface Stretch {
  readonly start: number
  readonly end: number
}

function isWithin({ start, end }: Stretch, stretches: readonly Stretch[]): boolean {
  const last = lastBeginningBy(start, stretches)
  return last !== undefined && end <= last.end
}

/** The last stretch that begins at or before `at`. The stretches are sorted and do not overlap. */
function lastBeginningBy<Kind extends Stretch>(at: number, stretches: readonly Kind[]): Kind | undefined {
  let low = 0
  let high = stretches.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((stretches[middle]?.start ?? at) <= at) low = middle + 1
    else high = middle
  }
  return stretches[low - 1]
}

/** Sorts and merges overlapping spans. The most certain span determines the kind; among equals, the first. */
function merge(spans: readonly HiddenSpan[]): HiddenSpan[] {
  const merged: HiddenSpan[] = []
  for (const span of [...spans].sort((a, b) => a.start - b.start || b.certainty - a.certainty)) {
    const last = merged.at(-1)
    if (last === undefined || span.start > last.end) merged.push(span)
    else {
      const { kind, certainty } = span.certainty > last.certainty ? span : last
      merged[merged.length - 1] = { kind, certainty, start: last.start, end: Math.max(last.end, span.end) }
    }
  }
  return merged
}

function covered(spans: readonly HiddenSpan[]): number {
  return spans.reduce((sum, { start, end }) => sum + end - start, 0)
}

interface Rendered {
  readonly text: string
  /** Maps a span of the rendered text back to the original text. */
  inOriginal(span: HiddenSpan): HiddenSpan
}

function render(text: string, spans: readonly HiddenSpan[]): Rendered {
  const parts: string[] = []
  /** Position of each marker in the rendered text. */
  const places: (Stretch & { readonly span: HiddenSpan })[] = []
  let from = 0
  let length = 0
  for (const span of spans) {
    const shown = `[redacted: ${span.kind}]`
    const start = length + span.start - from
    parts.push(text.slice(from, span.start), shown)
    length = start + shown.length
    places.push({ start, end: length, span })
    from = span.end
  }
  parts.push(text.slice(from))
  const original = (at: number, isEnd: boolean) => {
    const place = lastBeginningBy(isEnd ? at - 1 : at, places)
    if (place === undefined) return at
    if (at < place.end || (isEnd && at === place.end)) return isEnd ? place.span.end : place.span.start
    return place.span.end + at - place.end
  }
  return {
    text: parts.join(''),
    inOriginal: span => ({ ...span, start: original(span.start, false), end: original(span.end, true) }),
  }
}

function findings(text: string, spans: readonly HiddenSpan[]): Finding[] {
  let line = 1
  let lineEnd = text.indexOf('\n')
  return spans.map(({ kind, start }) => {
    while (lineEnd !== -1 && lineEnd < start) {
      line++
      lineEnd = text.indexOf('\n', lineEnd + 1)
    }
    return { kind, offset: start, line }
  })
}
