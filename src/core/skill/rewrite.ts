import { diffArrays } from 'diff'
import { documentFrom, joinDocuments, type SkillDocument, sliceDocument } from './document.js'
import { lineEndOf, parseSkill, stripMarkers, withLineEnds } from './skill.js'

/**
 * The skill with another body. Frontmatter and protected regions stay as they are, whatever the new text says of them:
 * a model copies them along, well or badly. Lines that were there before keep their origins.
 */
export function rewriteDocument(document: SkillDocument, proposed: string, origin: string): SkillDocument {
  const { text } = document
  const lineEnd = lineEndOf(text)
  const { frontmatter, regions } = parseSkill(text)
  const oldBody = bodyOf(document)
  const written = withLineEnds(bodyText(proposed), lineEnd).trim()
  // The blank lines after the frontmatter are the author's own habit.
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

/** What an optimizer may rewrite: the text without frontmatter and protected regions. */
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

/** `text` with the origins of those of its lines that `before` has in the same order; the others are new. */
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

/** Each with its line end, so that they add up to the text. */
function linesOf(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? []
}
