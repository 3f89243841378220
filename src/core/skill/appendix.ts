import { placeRegion, type SkillDocument, setRegion, spliceDocument } from './document.js'
import { lineEndOf, parseSkill, regionText, stripMarkers } from './skill.js'

/**
 * Reminders in the appendix, a protected region with one reminder per line. A reminder is an instruction that
 * the skill already has but the agent did not follow. The body stays free for what the agent did not know.
 */

export function appendixNotes(text: string): readonly string[] {
  const lines = (regionText(text, 'APPENDIX') ?? '').split(/\r?\n/)
  return lines.map(noteOf).filter(note => note !== '')
}

/** Appends a reminder; returns the same document if there is nothing to add. */
export function addNote(document: SkillDocument, content: string, origin: string): SkillDocument {
  const note = noteOf(content)
  const isThere = appendixNotes(document.text).some(other => other.toLowerCase() === note.toLowerCase())
  if (note === '' || isThere) return document
  const placed = placeRegion(document, 'APPENDIX', origin)
  const { text } = placed
  const region = parseSkill(text).regions.find(({ kind }) => kind === 'APPENDIX')
  if (region === undefined) return document
  const { start, end } = region.inner
  const lineEnd = lineEndOf(text)
  const at = start + text.slice(start, end).trimEnd().length
  return spliceDocument(placed, { start: at, end, insert: `${lineEnd}- ${note}${lineEnd}` }, origin)
}

/** Replaces all reminders. */
export function setNotes(document: SkillDocument, notes: readonly string[], origin: string): SkillDocument {
  const lines = notes.map(noteOf).filter(note => note !== '')
  return setRegion(document, 'APPENDIX', { text: lines.map(note => `- ${note}`).join('\n'), origin })
}

/** Reduces a reminder to one line, whatever the model wrote. */
function noteOf(content: string): string {
  return stripMarkers(content)
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/^[-*+] /, '')
    .trim()
}
