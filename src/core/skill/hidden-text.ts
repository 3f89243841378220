import { codePoint, mapUnseen } from '../text/unseen-characters.js'
import { isShownAsCode } from './shown-code.js'

/** HTML that a model reads but a person does not see, because it is not displayed when rendered. */

const unrendered: readonly { readonly pattern: RegExp; readonly what: string }[] = [
  { pattern: /<!--[\s\S]*?(?:-->|$)|<!(?=[A-Za-z[])|<\?/g, what: 'a comment or a declaration of HTML' },
  {
    pattern: /<[A-Za-z][^<>]{0,2000}\b(?:hidden|style)\b[^<>]{0,2000}/g,
    what: 'an HTML element that may be hidden',
  },
  {
    pattern: /<(?:script|style|template|noscript|details|title|iframe|object|embed|svg|math|font)\b/gi,
    what: 'an HTML element whose content is not shown',
  },
  {
    pattern: /^ {0,3}\[[^\]\n]{1,1000}\]:[ \t]*\n?[ \t]*(?:<[^<>\n]*>|[^\s<]\S*)[ \t]*(?:["'(][^\n]*)?$/gm,
    what: 'the definition of a link, which is not shown',
  },
  {
    // An attribute with a single word is a name, as in `<example id="1">`; several words are a hidden
    // sentence.
    pattern: /<[A-Za-z][^<>]{0,2000}=\s{0,9}(?:"[^"<>\s]*\s[^"<>]*"|'[^'<>\s]*\s[^'<>]*')/g,
    what: 'an attribute of HTML with a text, which is not shown',
  },
  {
    pattern: /\]\((?:<[^<>\n]{0,2000}>|[^\s()<>]{1,2000})\s{1,9}["'(][^\n]{0,2000}["')]\)/g,
    what: 'the title of a link, which is not shown',
  },
  {
    pattern: /^ {0,3}\[\^[^\]\n]{1,1000}\]:/gm,
    what: 'a footnote, which is shown elsewhere or not at all',
  },
]
/** Enough white space to push the text after it out of view, even in a code block. */
const manyBlanks = /(?<![ \t])[ \t]{120,}(?=[^ \t\n])|(?<!\n)\n(?:[ \t]*\n){50,}/g

const skillMarker = /^<!-- (?:SLOW_UPDATE|APPENDIX)_(?:START|END) -->$/
const documentMarker = /^<!-- SKILLOPT-SLEEP:LEARNED (?:START|END) -->$/

/**
 * Objects to a change that adds hidden text. Hidden text that was there before is the author's own and may
 * stay.
 */
export function hiddenTextObjection(before: string, after: string): string | undefined {
  const [known, text] = [before, after].map(each => each.replaceAll('\r\n', '\n'))
  if (known === undefined || text === undefined) return undefined
  const character = firstNew(unseenIn(known), unseenIn(text))
  if (character !== undefined) {
    return `It holds a character that cannot be seen (${codePoint(character)}), which could hide something from whoever reviews it.`
  }
  if (firstNew(blanksIn(known), blanksIn(text)) !== undefined) {
    return 'It holds many blanks in a row: what follows them may not be seen by whoever reviews it.'
  }
  for (const { pattern, what } of unrendered) {
    if (
      firstNew(unrenderedIn(known, pattern), unrenderedIn(text, pattern, { isCodeShown: true })) !== undefined
    ) {
      return `It holds ${what}: what a person does not see when it is rendered may not be in it.`
    }
  }
  return undefined
}

interface HiddenText {
  readonly line: number
  readonly what: string
}

/**
 * All hidden text in a file, by line, except the product's own markers. Only Markdown is rendered: in other
 * files only characters can be hidden, and control characters there are often intended.
 */
export function hiddenTextIn(
  file: string,
  { isMarkdown = true }: { readonly isMarkdown?: boolean } = {},
): readonly HiddenText[] {
  const text = file.replaceAll('\r\n', '\n').replace(/^\ufeff/, '')
  const characters = text
    .split('\n')
    .flatMap((content, index): HiddenText[] =>
      [...new Set(unseenIn(content))]
        .filter(character => isMarkdown || !/\p{Cc}/u.test(character))
        .map(character => ({ line: index + 1, what: `the character ${codePoint(character)}` })),
    )
  const found = isMarkdown ? [...characters, ...blankLines(text), ...unrenderedLines(text)] : characters
  return found.toSorted((one, other) => one.line - other.line)
}

function unrenderedLines(text: string): HiddenText[] {
  const isCode = isShownAsCode(text)
  return unrendered.flatMap(({ pattern, what }) =>
    [...text.matchAll(pattern)]
      .filter(
        ({ index, 0: found }) => !skillMarker.test(found) && !documentMarker.test(found) && !isCode(index),
      )
      .map(({ index }) => ({ line: text.slice(0, index).split('\n').length, what })),
  )
}

function blanksIn(text: string): string[] {
  return [...text.matchAll(manyBlanks)].map(([found]) => found)
}

function blankLines(text: string): HiddenText[] {
  return [...text.matchAll(manyBlanks)].map(({ index }) => ({
    line: text.slice(0, index).split('\n').length,
    what: 'many blanks in a row, which push out of sight what follows',
  }))
}

function unseenIn(text: string): string[] {
  const found: string[] = []
  mapUnseen(text, character => {
    found.push(character)
    return ''
  })
  return found
}

/** Excludes the markers of a skill's own regions, since changes to these are refused elsewhere. */
function unrenderedIn(text: string, pattern: RegExp, { isCodeShown = false } = {}): string[] {
  const matches = [...text.matchAll(pattern)].filter(({ 0: found }) => !skillMarker.test(found))
  // Returns early: most skills have no match, and finding the code in a skill takes longer than all patterns
  // together.
  if (matches.length === 0 || !isCodeShown) return matches.map(([found]) => found)
  const isCode = isShownAsCode(text)
  return matches.filter(({ index }) => !isCode(index)).map(([found]) => found)
}

/** The first item that occurs more often in the new text than in the old one. */
function firstNew(before: readonly string[], after: readonly string[]): string | undefined {
  const left = new Map<string, number>()
  for (const one of before) left.set(one, (left.get(one) ?? 0) + 1)
  return after.find(one => {
    const rest = left.get(one) ?? 0
    left.set(one, rest - 1)
    return rest <= 0
  })
}
