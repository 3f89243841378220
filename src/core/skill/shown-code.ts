import { parseSkill } from './skill.js'

/**
 * Whether Markdown displays the text at an offset as code, so that a reader sees any HTML in it. Renderers
 * agree only on simple cases. Where they could differ, nothing counts as code: raw HTML outside of code, an
 * escaped or unpaired backtick, and an unclosed fence.
 */
export function isShownAsCode(text: string): (offset: number) => boolean {
  const ranges = codeRanges(text)
  return offset => ranges.some(({ start, end }) => start <= offset && offset < end)
}

interface Range {
  readonly start: number
  readonly end: number
}

const ownMarker = /<!-- (?:(?:SLOW_UPDATE|APPENDIX)_(?:START|END)|SKILLOPT-SLEEP:LEARNED (?:START|END)) -->/g
const fenceLine = /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})/
const codeSpan = /(?<!`)(`+)(?!`)(?:[^\n]*?[^`\n])\1(?!`)/g

function codeRanges(text: string): readonly Range[] {
  if (text.includes('\\`')) return []
  const ranges: Range[] = []
  const outside: string[] = []
  let fence: { readonly mark: string; readonly start: number } | undefined
  let at = 0
  const bodyStart = parseSkill(text).frontmatter.length
  for (const line of text.split('\n')) {
    const start = at
    at += line.length + 1
    if (start < bodyStart) continue
    const mark = fenceLine.exec(line)?.[1]
    if (fence !== undefined) {
      const closes =
        mark?.startsWith(fence.mark) === true && /^[ \t]*$/.test(line.trimStart().slice(mark.length))
      if (!closes) continue
      ranges.push({ start: fence.start, end: at })
      fence = undefined
    } else if (mark !== undefined) fence = { mark, start }
    else {
      for (const span of line.matchAll(codeSpan)) {
        ranges.push({ start: start + span.index, end: start + span.index + span[0].length })
      }
      outside.push(line.replaceAll(codeSpan, ''))
    }
  }
  const rest = outside.join('\n').replaceAll(ownMarker, '')
  return fence !== undefined || rest.includes('`') || /<[A-Za-z/!?]/.test(rest) ? [] : ranges
}
