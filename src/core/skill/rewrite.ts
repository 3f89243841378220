import { diffArrays } from 'diff'
import { documentFrom, joinDocuments, type SkillDocument, sliceDocument } from './document.js'
import { lineEndOf, parseSkill, stripMarkers, withLineEnds } from './skill.js'

/**
 * Replaces the body of a skill. Frontmatter and protected regions stay as they are, even if the new text has
 * copies of them, since models copy them and sometimes wrongly. Unchanged lines keep their origins.
 */
export function rewriteDocument(document: SkillDocument, proposed: string, origin: string): SkillDocument {
  const { text } = document
  const lineEnd = lineEndOf(text)
  const { frontmatter, regions } = parseSkill(text)
  const oldBody = bodyOf(document)
  const written = withLineEnds(bodyText(proposed), lineEnd).trim()
  // Keeps the author's blank lines after the frontmatter.
  const open = frontmatter === '' || frontmatter.endsWith('\n') ? '' : lineEnd
  const lead = `${open}${/^\s*(?=\S)/.exec(oldBody.text)?.[0] ?? ''}`
  const body = followLines(oldBody, `${lead}${written}${lineEnd}`, origin)
  const gap = documentFrom(lineEnd, origin)
  return joinDocuments([
    sliceDocument(document, 0, frontmatter.length),
    body,
    ...regions.flatMap(region => [gap, sliceDocument(document, region.start, region.end), gap]),
  ])
}

/** The part that an optimizer may rewrite: the text without frontmatter and protected regions. */
function bodyOf(document: SkillDocument): SkillDocument {
  const { frontmatter, regions } = parseSkill(document.text)
  const parts: SkillDocument[] = []
  let start = frontmatter.length
  for (const region of regions) {
    parts.push(sliceDocument(document, start, region.start))
    start = region.end
  }
  parts.push(sliceDocument(document, start, document.text.length))
  return joinDocuments(parts)
}

function bodyText(proposed: string): string {
  return stripMarkers(bodyOf(documentFrom(proposed, '')).text)
}

/** A document with this text. Lines that `before` has in the same order keep their origins. */
function followLines(before: SkillDocument, text: string, origin: string): SkillDocument {
  const parts: SkillDocument[] = []
  let at = 0
  for (const change of diffArrays(linesOf(before.text), linesOf(text))) {
    const piece = change.value.join('')
    if (change.added) parts.push(documentFrom(piece, origin))
    else if (change.removed) at += piece.length
    else {
      parts.push(sliceDocument(before, at, at + piece.length))
      at += piece.length
    }
  }
  return joinDocuments(parts)
}

/** Each line includes its line end, so that the lines add up to the text. */
function linesOf(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? []
}
