import { joinDocuments, lineOrigins, type SkillDocument, sliceDocument } from './document.js'

/**
 * Cleans up after edits. Removes blank lines between items of one list, list items that repeat the seed or an
 * earlier edit, repeated blank lines, and blank lines at the end. Frontmatter, fenced code and marked regions
 * stay as they are, and no item of the seed is removed.
 */
export function tidySkill(document: SkillDocument): SkillDocument {
  const tidied = tidyOnce(document)
  // Repeats, because removing an item's children may make the item itself a repetition.
  return tidied === document ? document : tidySkill(tidied)
}

function tidyOnce(document: SkillDocument): SkillDocument {
  const lines = readLines(document)
  dropRepeatedItems(lines)
  dropBlankLines(lines)
  if (lines.every(({ isKept }) => isKept)) return document
  const parts: SkillDocument[] = []
  let offset = 0
  for (const { text, isKept } of lines) {
    const end = Math.min(document.text.length, offset + text.length + 1)
    if (isKept) parts.push(sliceDocument(document, offset, end))
    offset = end
  }
  return joinDocuments(parts)
}

interface Line {
  readonly text: string
  readonly isBlank: boolean
  readonly isFixed: boolean
  readonly isSeed: boolean
  /** Present if the line begins a list item. */
  readonly item?: ListItem
  isKept: boolean
}

interface ListItem {
  readonly indent: number
  readonly isOrdered: boolean
  /** The item without its marker. */
  readonly said: string
}

function readLines(document: SkillDocument): readonly Line[] {
  const texts = document.text.split('\n')
  const isFixed = fixedLines(texts)
  const origins = lineOrigins(document)
  let isInList = false
  return texts.map((text, index): Line => {
    const isBlank = text.trim() === ''
    const found = isFixed[index] === true ? undefined : itemIn(text)
    // Four spaces outside of a list are code.
    const item = isInList || (found?.indent ?? 0) < 4 ? found : undefined
    if (item !== undefined) isInList = true
    else if (!isBlank && indentOf(text) === 0 && texts[index - 1]?.trim() === '') isInList = false
    return {
      text,
      isBlank,
      isFixed: isFixed[index] === true,
      isSeed: origins[index]?.origins.every(origin => origin === 'seed') ?? true,
      ...(item === undefined ? {} : { item }),
      isKept: true,
    }
  })
}

const listItem = /^(\s*)([-*+]|\d+[.)])\s+(\S.*)$/
const thematicBreak = /^\s*([-*_])(?:\s*\1){2,}\s*$/

function itemIn(text: string): ListItem | undefined {
  const [, indent, marker, said] = thematicBreak.test(text) ? [] : (listItem.exec(text.trimEnd()) ?? [])
  if (indent === undefined || marker === undefined || said === undefined) return undefined
  return { indent: indent.length, isOrdered: /\d/.test(marker), said }
}

const indentOf = (text: string): number => text.length - text.trimStart().length

/** A list item with its ancestors in the list and the lines that continue it. */
interface PlacedItem {
  readonly lines: readonly Line[]
  readonly key: string
  readonly hasChildren: boolean
}

/**
 * Drops list items that repeat an earlier one. Equal items below different parents mean different things, so
 * only equal items below equal parents are repetitions.
 */
function dropRepeatedItems(lines: readonly Line[]): void {
  const items = placedItems(lines)
  const isSeed = (item: PlacedItem) => item.lines.every(line => line.isSeed)
  const known = new Set(items.filter(isSeed).map(({ key }) => key))
  for (const item of items) {
    if (isSeed(item)) continue
    if (known.has(item.key) && !item.hasChildren) for (const line of item.lines) line.isKept = false
    known.add(item.key)
  }
}

function placedItems(lines: readonly Line[]): readonly PlacedItem[] {
  const above: ListItem[] = []
  return lines.flatMap(({ item }, index): PlacedItem[] => {
    if (item === undefined) return []
    while ((above.at(-1)?.indent ?? -1) >= item.indent) above.pop()
    const own = [...lines.slice(index, index + 1), ...continuation(lines, index + 1)]
    const next = lines.slice(index + own.length).find(({ isBlank }) => !isBlank)
    const said = [item.said, ...own.slice(1).map(({ text }) => text.trim())]
    const key = JSON.stringify([...above.map(one => one.said), said])
    above.push(item)
    const isBelow = next !== undefined && (next.item?.indent ?? indentOf(next.text)) > item.indent
    // A non-blank line right after the item may belong to it.
    const isFollowed = lines[index + own.length]?.isBlank === false && next?.item === undefined
    return [{ lines: own, key, hasChildren: isBelow || isFollowed }]
  })
}

/** Lines that continue an item: indented, without a blank line before them. */
function continuation(lines: readonly Line[], start: number): readonly Line[] {
  const rest = lines.slice(start)
  const end = rest.findIndex(
    ({ isBlank, isFixed, item, text }) => isBlank || isFixed || item !== undefined || indentOf(text) === 0,
  )
  return end === -1 ? rest : rest.slice(0, end)
}

function dropBlankLines(lines: readonly Line[]): void {
  /** Items of the open list around the current line, innermost last. */
  let open: ListItem[] = []
  /** Whether the last item has several paragraphs, which blank lines separate. */
  let hasParagraphs = false
  let blanks: Line[] = []
  for (const line of lines) {
    if (!line.isKept) continue
    if (line.isBlank && !line.isFixed) {
      blanks.push(line)
      continue
    }
    if (line.isBlank) continue
    const { item } = line
    const isApart = blanks.length > 0
    const joins = item !== undefined && !hasParagraphs && isSameList(open, item)
    for (const blank of joins ? blanks : blanks.slice(1)) blank.isKept = false
    blanks = []
    if (item !== undefined) {
      open = [...open.filter(({ indent }) => indent < item.indent), item]
      hasParagraphs = false
    } else if (indentOf(line.text) === 0 && (isApart || line.isFixed || isHeading(line.text))) open = []
    else if (isApart) hasParagraphs = true
  }
  // An empty last line only stands for the final line break, so it stays.
  for (const blank of blanks) if (blank !== lines.at(-1) || blank.text !== '') blank.isKept = false
}

const isHeading = (text: string): boolean => /^#{1,6}(?:\s|$)/.test(text)

function isSameList(open: readonly ListItem[], { indent, isOrdered }: ListItem): boolean {
  const last = open.at(-1)
  if (last === undefined) return false
  if (indent >= last.indent + 2) return true
  return open.some(one => one.indent === indent && one.isOrdered === isOrdered)
}

/** Lines in which blank lines are significant. */
function fixedLines(lines: readonly string[]): boolean[] {
  let fence: string | undefined
  let isRegion = false
  const frontMatterEnd = /^\uFEFF?---[ \t]*\r?$/.test(lines[0] ?? '')
    ? lines.findIndex((line, index) => index > 0 && /^---[ \t]*\r?$/.test(line))
    : -1
  return lines.map((line, index) => {
    const text = line.trim()
    if (index <= frontMatterEnd) return true
    if (fence !== undefined) {
      if (text.startsWith(fence) && /^(`+|~+)$/.test(text)) fence = undefined
      return true
    }
    // An info string after backticks contains no backtick; otherwise the line is a code span.
    const mark = /^(`{3,}(?=[^`]*$)|~{3,})/.exec(text)?.[1]
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
