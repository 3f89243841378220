import { InputError } from '../../core/errors/errors.js'
import { hiddenTextObjection } from '../../core/skill/hidden-text.js'
import { checkSkill, parseSkill } from '../../core/skill/skill.js'
import { plural } from '../../core/text/format.js'
import { writeRegion } from './managed-region.js'

/** Maximum length of a region. Nobody reviews more text, and a model reads it for every task. */
const mostCharacters = 20_000

/**
 * Explains in a sentence, for the optimizer and for people, why a managed region may not be changed to this
 * text; undefined if it may. Text that was there before may stay, because the person has already seen it.
 */
export function regionObjection(before: string, after: string): string | undefined {
  const text = after.replaceAll('\r\n', '\n')
  const known = before.replaceAll('\r\n', '\n')
  // The length is checked first, so that the other checks never scan megabytes.
  if (text.length > mostCharacters && text.length >= known.length) {
    return `It would take the text to ${plural(text.length, 'character')}; at most ${plural(mostCharacters, 'character')} are allowed.`
  }
  return hiddenTextObjection(known, text) ?? structureObjection(known, text)
}

// ── Effects on the document's structure ──────────────────────────────────────

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
