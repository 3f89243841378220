import type { Dice } from '../random.js'
import { readAdvice } from '../world/reading.js'
import { changesOf, fromSuggestion, toSuggestion, writeOut } from './forms.js'
import { joinEdits } from './merge.js'
import { listedIn, section } from './sections.js'

/** Share of the selected suggestions that a rewrite forgets. */
const forgetRate = 0.05

export function rewriteFromSuggestions(text: string, dice: Dice): object {
  const skill = section(text, 'skill') ?? ''
  const heeded = listedIn(text, 'suggestions').filter(() => !dice.chance(forgetRate))
  const changes = heeded.map(({ instruction }) => fromSuggestion(instruction ?? ''))
  return {
    reasoning: 'Each suggestion went where the agent will look for it.',
    new_skill: writeOut(skill, changes),
    change_summary: heeded.map(({ title }) => title ?? '').join('; '),
  }
}

export function mergeSuggestions(text: string, dice: Dice): object {
  const listed = listedIn(text, 'edits').map(suggestion => ({
    ...suggestion,
    ...fromSuggestion(suggestion.instruction ?? ''),
  }))
  const { reasoning, edits } = joinEdits(listed, dice)
  const suggestions = edits.map(({ op, target, content, ...evidence }) => ({
    ...toSuggestion({
      op,
      ...(target === undefined ? {} : { target }),
      ...(content === undefined ? {} : { content }),
    }),
    ...evidence,
  }))
  return { reasoning, suggestions }
}

export function mergeRewrites(text: string, dice: Dice): object {
  const skill = section(text, 'skill') ?? ''
  const changes = listedIn(text, 'edits').flatMap(version => changesOf(skill, version))
  const { reasoning, edits } = joinEdits(changes, dice)
  return {
    reasoning,
    new_skill: writeOut(skill, edits),
    change_summary: edits.map(edit => toSuggestion(edit).title).join('; '),
  }
}

/** Shortens the appendix. The latest reminder on each subject stays; general ones are dropped first. */
export function consolidateAppendix(text: string): object {
  const lines = (section(text, 'appendix') ?? '').split('\n').map(line => line.replace(/^- /, ''))
  const limit = Number.parseInt(section(text, 'note_limit') ?? '', 10)
  const bySubject = new Map<string, string>()
  for (const line of lines) {
    const subject = [...readAdvice(line).statements.keys()].join()
    bySubject.set(subject === '' ? line : subject, line)
  }
  const specific = [...bySubject].filter(([subject, line]) => subject !== line).map(([, line]) => line)
  const general = [...bySubject].filter(([subject, line]) => subject === line).map(([, line]) => line)
  const notes = [...specific, ...general].slice(0, Math.min(limit, Math.max(1, lines.length - 1)))
  return {
    reasoning: `${lines.length} reminders were about ${bySubject.size} different things.`,
    appendix_notes: notes,
  }
}
