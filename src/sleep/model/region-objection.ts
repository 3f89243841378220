import { InputError } from '../../core/errors/errors.js'
import { hiddenTextObjection } from '../../core/skill/hidden-text.js'
import { checkSkill, parseSkill } from '../../core/skill/skill.js'
import { plural } from '../../core/text/format.js'
import { writeRegion } from './managed-region.js'

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
  return hiddenTextObjection(known, text) ?? structureObjection(known, text)
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
