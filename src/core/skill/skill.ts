import { hash } from 'node:crypto'
import { InputError } from '../errors/errors.js'

/** Parts of a skill that ordinary edits may not touch; each has its own writer. */
export type RegionKind = 'SLOW_UPDATE' | 'APPENDIX'

const regionKinds: readonly RegionKind[] = ['SLOW_UPDATE', 'APPENDIX']

export interface Range {
  readonly start: number
  /** Exclusive end. */
  readonly end: number
}

/** A protected region, including its markers. `inner` is the content between the markers. */
interface Region extends Range {
  readonly kind: RegionKind
  readonly inner: Range
}

export interface ParsedSkill {
  /** Text of the frontmatter with its fences and the line end after it, unchanged; empty if there is none. */
  readonly frontmatter: string
  /** Everything after the frontmatter. */
  readonly body: string
  readonly regions: readonly Region[]
}

/** One change to a text. Every change to a skill is made of splices, so that origins can be tracked. */
export interface Splice extends Range {
  readonly insert: string
}

interface Marker extends Range {
  readonly kind: RegionKind
  readonly edge: 'START' | 'END'
}

export function skillHash(text: string): string {
  return hash('sha256', text).slice(0, 16)
}

export function parseSkill(text: string): ParsedSkill {
  const frontmatter = frontmatterOf(text)
  return { frontmatter, body: text.slice(frontmatter.length), regions: findRegions(text) }
}

/** The line end that the text uses, so that additions match it. */
export function lineEndOf(text: string): '\n' | '\r\n' {
  return /\r?\n/.exec(text)?.[0] === '\r\n' ? '\r\n' : '\n'
}

/** Throws if the region markers of a skill file are unbalanced or ambiguous. */
export function checkSkill(text: string, name: string): void {
  let open: Marker | undefined
  const closed = new Set<RegionKind>()
  const refuse = (marker: Marker, problem: string): never => {
    throw new InputError(`${name}, line ${lineOf(text, marker.start)}: ${markerText(marker)} ${problem}.`, {
      hint: 'Protected regions need one start and one end marker each, in this order, and may not be nested. Correct the markers, or remove them: the region is placed anew when it is needed.',
    })
  }
  const bodyStart = frontmatterOf(text).length
  for (const marker of findMarkers(text)) {
    if (marker.start < bodyStart) refuse(marker, 'stands in the frontmatter, which has no regions')
    if (marker.edge === 'START') {
      if (open !== undefined)
        refuse(marker, `stands inside the region opened on line ${lineOf(text, open.start)}`)
      if (closed.has(marker.kind)) refuse(marker, 'opens a second region of its kind')
      open = marker
    } else {
      if (open === undefined) refuse(marker, 'has no start marker before it')
      else if (open.kind !== marker.kind)
        refuse(marker, `does not fit ${markerText(open)} on line ${lineOf(text, open.start)}`)
      closed.add(marker.kind)
      open = undefined
    }
  }
  if (open !== undefined) refuse(open, 'has no end marker after it')
}

/**
 * Removes markers, even loosely spelled ones, from text that a model wrote. Repeats, because removing one
 * can join the halves of another.
 */
export function stripMarkers(text: string): string {
  const loose = /<!--\s*(?:SLOW_UPDATE|APPENDIX)_(?:START|END)\s*-->/gi
  let stripped = text
  for (let previous = ''; previous !== stripped; ) {
    previous = stripped
    stripped = stripped.replace(loose, '')
  }
  return stripped
}

/** Trimmed content of a region; `undefined` if the skill has no such region. */
export function regionText(text: string, kind: RegionKind): string | undefined {
  const region = findRegions(text).find(candidate => candidate.kind === kind)
  return region === undefined ? undefined : text.slice(region.inner.start, region.inner.end).trim()
}

export function slowUpdateRegion(text: string): string | undefined {
  return regionText(text, 'SLOW_UPDATE')
}

/** Adds an empty region at the end of the skill; `undefined` if it already has one. */
export function placeRegionSplice(text: string, kind: RegionKind): Splice | undefined {
  if (findRegions(text).some(region => region.kind === kind)) return undefined
  const lineEnd = lineEndOf(text)
  const markers = [markerText({ kind, edge: 'START' }), markerText({ kind, edge: 'END' }), ''].join(lineEnd)
  if (text.trim() === '') return { start: 0, end: text.length, insert: markers }
  return appendSplice(text, text.length, markers)
}

/** Replaces the content of an existing region. The content comes from a model, so markers are stripped. */
export function fillRegionSplice(text: string, kind: RegionKind, content: string): Splice | undefined {
  const region = findRegions(text).find(candidate => candidate.kind === kind)
  if (region === undefined) return undefined
  const lineEnd = lineEndOf(text)
  const written = withLineEnds(stripMarkers(content).trim(), lineEnd)
  const insert = written === '' ? lineEnd : `${lineEnd}${written}${lineEnd}`
  return { start: region.inner.start, end: region.inner.end, insert }
}

/**
 * Appends `addition` after a blank line, replacing the white space before `at`. The line end of the
 * frontmatter stays and counts as the first of the two.
 */
export function appendSplice(text: string, at: number, addition: string): Splice {
  const floor = frontmatterOf(text).length
  const start = Math.max(text.slice(0, at).trimEnd().length, Math.min(floor, at))
  const lineEnd = lineEndOf(text)
  const endsLine = start > 0 && text[start - 1] === '\n'
  return { start, end: at, insert: `${endsLine ? '' : lineEnd}${lineEnd}${addition}` }
}

export function withLineEnds(text: string, lineEnd: '\n' | '\r\n'): string {
  return text.replace(/\r?\n/g, lineEnd)
}

export function spliceText(text: string, { start, end, insert }: Splice): string {
  return text.slice(0, start) + insert + text.slice(end)
}

function frontmatterOf(text: string): string {
  return /^\uFEFF?---[ \t]*\r?\n(?:[\s\S]*?\n)??---[ \t]*(?:\r?\n|$)/.exec(text)?.[0] ?? ''
}

/**
 * Finds protected regions. Never throws: an unclosed region protects everything after it, a lone end marker
 * only itself. `checkSkill` rejects such files earlier; this keeps edits safe regardless.
 */
function findRegions(text: string): Region[] {
  const regions: Region[] = []
  let open: Marker | undefined
  const bodyStart = frontmatterOf(text).length
  for (const marker of findMarkers(text)) {
    if (marker.start < bodyStart) continue
    if (open === undefined && marker.edge === 'START') open = marker
    else if (open === undefined) {
      regions.push({
        kind: marker.kind,
        start: marker.start,
        end: marker.end,
        inner: { start: marker.end, end: marker.end },
      })
    } else if (marker.edge === 'END' && marker.kind === open.kind) {
      regions.push({
        kind: open.kind,
        start: open.start,
        end: marker.end,
        inner: { start: open.end, end: marker.start },
      })
      open = undefined
    }
  }
  if (open !== undefined) {
    regions.push({
      kind: open.kind,
      start: open.start,
      end: text.length,
      inner: { start: open.end, end: text.length },
    })
  }
  return regions
}

function findMarkers(text: string): Marker[] {
  const markers: Marker[] = []
  for (const kind of regionKinds) {
    for (const edge of ['START', 'END'] as const) {
      const written = markerText({ kind, edge })
      for (let start = text.indexOf(written); start >= 0; start = text.indexOf(written, start + 1)) {
        markers.push({ kind, edge, start, end: start + written.length })
      }
    }
  }
  return markers.sort((left, right) => left.start - right.start)
}

function markerText({ kind, edge }: Pick<Marker, 'kind' | 'edge'>): string {
  return `<!-- ${kind}_${edge} -->`
}

function lineOf(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length
}
