import { joinDocuments, type SkillDocument, sliceDocument } from './document.js'

const listItem = /^\s*(?:[-*+]|\d+[.)])\s+\S/

/**
 * Cleans up after edits: removes blank lines between items of one list, duplicate list items, and repeated
 * blank lines. Frontmatter, fenced code and marked regions stay as they are.
 */
export function tidySkill(document: SkillDocument): SkillDocument {
  const lines = document.text.split('\n')
  const keep = lines.map(() => true)
  const isFixed = fixedLines(lines)
  const seen = new Set<string>()
  for (const [index, line] of lines.entries()) {
    if (isFixed[index]) continue
    if (listItem.test(line)) {
      const said = line.trim()
      if (seen.has(said)) keep[index] = false
      seen.add(said)
      continue
    }
    if (line.trim() !== '') continue
    const before = lastKept(lines, keep, index)
    const after = lines.findIndex((next, at) => at > index && next.trim() !== '')
    const joins =
      before !== undefined &&
      after !== -1 &&
      !isFixed[after] &&
      !isFixed[before] &&
      listItem.test(lines[before] ?? '') &&
      listItem.test(lines[after] ?? '') &&
      indentOf(lines[before] ?? '') === indentOf(lines[after] ?? '') &&
      isOrdered(lines[before] ?? '') === isOrdered(lines[after] ?? '')
    const above = index === 0 ? -1 : keep.lastIndexOf(true, index - 1)
    const isSecondBlank = above !== -1 && after !== -1 && lines[above]?.trim() === ''
    if (joins || isSecondBlank) keep[index] = false
  }
  if (keep.every(Boolean)) return document
  return withoutLines(document, lines, keep)
}

function lastKept(lines: readonly string[], keep: readonly boolean[], before: number): number | undefined {
  for (let index = before - 1; index >= 0; index--) {
    if (keep[index] && lines[index]?.trim() !== '') return index
  }
  return undefined
}

const indentOf = (line: string): number => line.length - line.trimStart().length
const isOrdered = (line: string): boolean => /^\s*\d/.test(line)

/** Lines in which blank lines are significant. */
function fixedLines(lines: readonly string[]): boolean[] {
  let fence: string | undefined
  let isRegion = false
  let isFrontMatter = lines[0]?.trim() === '---'
  return lines.map((line, index) => {
    const text = line.trim()
    if (isFrontMatter) {
      if (index > 0 && text === '---') isFrontMatter = false
      return true
    }
    const mark = /^(```+|~~~+)/.exec(text)?.[1]
    if (fence !== undefined) {
      if (mark?.startsWith(fence)) fence = undefined
      return true
    }
    if (mark !== undefined) {
      fence = mark
      return true
    }
    if (/^<!--\s*\w+_START\s*-->/.test(text)) isRegion = true
    const was = isRegion
    if (/^<!--\s*\w+_END\s*-->/.test(text)) isRegion = false
    return was
  })
}

function withoutLines(
  document: SkillDocument,
  lines: readonly string[],
  keep: readonly boolean[],
): SkillDocument {
  const parts: SkillDocument[] = []
  let offset = 0
  for (const [index, line] of lines.entries()) {
    const end = Math.min(document.text.length, offset + line.length + 1)
    if (keep[index]) parts.push(sliceDocument(document, offset, end))
    offset = end
  }
  return joinDocuments(parts)
}
