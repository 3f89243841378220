import { InputError } from './errors.js'
import { plural } from './format.js'
import { writeRegion } from './managed-region.js'
import { checkSkill, parseSkill } from './skill.js'

/** Nobody reads more than this before agreeing to it, and a model reads it at every task. */
const mostCharacters = 20_000

/**
 * Why the text of a managed region may not become this one, as a sentence for the optimizer and for people. What was
 * there before may stay: it is the person's, and has been seen.
 */
export function regionObjection(before: string, after: string): string | undefined {
  const text = after.replaceAll('\r\n', '\n')
  const known = before.replaceAll('\r\n', '\n')
  // First, so that nothing below has to look through megabytes.
  if (text.length > mostCharacters && text.length >= known.length) {
    return `It would take the text to ${plural(text.length, 'character')}; at most ${plural(mostCharacters, 'character')} are allowed.`
  }
  return unseenObjection(known, text) ?? hiddenObjection(known, text) ?? structureObjection(known, text)
}

// ── Characters that nobody sees ─────────────────────────────────────────────

/** Also what reverses the reading order, and letters that a font leaves out. */
const unseen = /(?![\n\t])[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu

/** Where writing needs them: one selector after an emoji, a joiner between emoji or letters. */
const needed =
  /(?<=\p{Extended_Pictographic}|[#*0-9])\uFE0F|(?<=\p{Extended_Pictographic}\uFE0F?|\p{Emoji_Modifier})\u200D(?=\p{Extended_Pictographic})|(?<=[\p{L}\p{M}])[\u200C\u200D](?=[\p{L}\p{M}])/gu

function unseenObjection(before: string, after: string): string | undefined {
  const character = firstNew(unseenIn(before), unseenIn(after))
  if (character === undefined) return undefined
  const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')
  return `It holds a character that cannot be seen (U+${code}), which could hide something from whoever reviews it.`
}

function unseenIn(text: string): string[] {
  return text.replace(needed, '').match(unseen) ?? []
}

// ── Text that is not shown where Markdown is ────────────────────────────────

const hidden: readonly { readonly pattern: RegExp; readonly what: string }[] = [
  { pattern: /<!--[\s\S]*?(?:-->|$)|<!(?=[A-Za-z[])|<\?/g, what: 'a comment or a declaration of HTML' },
  {
    pattern: /<[A-Za-z][^<>]{0,2000}\b(?:hidden|style)\b[^<>]{0,2000}/g,
    what: 'an HTML element that may be hidden',
  },
  {
    pattern: /^ {0,3}\[[^\]\n]{1,1000}\]:[ \t]*\n?[ \t]*(?:<[^<>\n]*>|[^\s<]\S*)[ \t]*(?:["'(][^\n]*)?$/gm,
    what: 'the definition of a link, which is not shown',
  },
]
const ownMarker = /^<!-- (?:SLOW_UPDATE|APPENDIX)_(?:START|END) -->$/

function hiddenObjection(before: string, after: string): string | undefined {
  for (const { pattern, what } of hidden) {
    if (firstNew(foundIn(before, pattern), foundIn(after, pattern)) !== undefined) {
      return `It holds ${what}: what a person does not see when it is rendered may not be in it.`
    }
  }
  return undefined
}

/** The markers of a skill's own regions are as they should be, or `structureObjection` says so. */
function foundIn(text: string, pattern: RegExp): string[] {
  return (text.match(pattern) ?? []).filter(found => !ownMarker.test(found))
}

/** The first that stands in the new text more often than in the old one. */
function firstNew(before: readonly string[], after: readonly string[]): string | undefined {
  const left = new Map<string, number>()
  for (const one of before) left.set(one, (left.get(one) ?? 0) + 1)
  return after.find(one => {
    const rest = left.get(one) ?? 0
    left.set(one, rest - 1)
    return rest <= 0
  })
}

// ── What it would do to the document ────────────────────────────────────────

function structureObjection(before: string, after: string): string | undefined {
  if (parseSkill(after).frontmatter !== parseSkill(before).frontmatter) {
    return 'It would begin like the frontmatter of a document, between two lines of dashes.'
  }
  const written = writeRegion('', after)
  if (written.state === 'broken') return `It cannot be part of a document: ${written.problem}.`
  return markerProblem(after) === undefined || markerProblem(before) !== undefined
    ? undefined
    : `It damages a protected part: ${markerProblem(after)}`
}

function markerProblem(text: string): string | undefined {
  try {
    checkSkill(text, 'the text')
    return undefined
  } catch (error) {
    if (error instanceof InputError) return error.message
    throw error
  }
}
