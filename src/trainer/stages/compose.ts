import type { UpdateMode } from '../../core/config/config.js'
import type { EventBody, Place, RecordedEdit } from '../../core/log/event.js'
import type { Run } from '../../core/ports/run.js'
import { appendixNotes, setNotes } from '../../core/skill/appendix.js'
import type { SkillDocument } from '../../core/skill/document.js'
import { applyEdits, type EditReport } from '../../core/skill/edit.js'
import type { SkillLimit } from '../../core/skill/skill-limit.js'
import { ask } from './ask.js'
import { consolidateReply, rewriteReply } from './contracts.js'
import type { Prompts } from './prompts.js'
import { editList, section, sections } from './render.js'

interface ComposeInput {
  readonly current: SkillDocument
  readonly selected: readonly RecordedEdit[]
  readonly reminders: readonly RecordedEdit[]
  readonly metaSkill?: string | undefined
  readonly place: Place
}

export interface ComposeOptions {
  readonly prompts: Prompts
  readonly mode: UpdateMode
  readonly skillAware: { readonly notes: number }
  readonly limit: SkillLimit | undefined
}

export interface Update {
  readonly document: SkillDocument
  readonly reports: readonly EditReport[]
  /** Number of unusable optimizer replies. */
  readonly failed: number
}

/** Step: builds the candidate from the selected edits. The gate then judges the candidate as a whole. */
export async function compose(
  run: Run,
  { current, selected, reminders, metaSkill, place }: ComposeInput,
  options: ComposeOptions,
): Promise<Update> {
  const suggested = options.mode === 'rewrite_from_suggestions' && selected.length > 0
  const rewrite = suggested
    ? await rewriteFrom(run, { skill: current.text, suggestions: selected, metaSkill, place }, options)
    : { edits: selected, failed: 0 }
  const edits = [...rewrite.edits, ...reminders]
  const { document, reports } = applyEdits(current, edits, options.limit?.objection)
  const tidy = await consolidate(run, { document, place }, options)
  return { document: tidy.document, reports, failed: rewrite.failed + tidy.failed }
}

/**
 * Writes one new text from all the suggestions. Their individual effects cannot be separated, so the rewrite
 * counts as the result of all of them.
 */
async function rewriteFrom(
  run: Run,
  {
    skill,
    suggestions,
    metaSkill,
    place,
  }: {
    readonly skill: string
    readonly suggestions: readonly RecordedEdit[]
    readonly metaSkill: string | undefined
    readonly place: Place
  },
  { prompts, limit }: ComposeOptions,
): Promise<{ edits: readonly RecordedEdit[]; failed: number }> {
  const at = { epoch: place.epoch, step: place.step }
  const key = `step ${place.step}`
  const body = await run.once('rewrite.finished', key, async () => {
    const content = sections(
      section('skill', skill),
      section('meta_skill', metaSkill),
      section('skill_length', limit?.note(skill)),
      section('suggestions', editList(suggestions)),
    )
    const scope = `${key} rewrite`
    const answer = await ask(run, prompts, {
      prompt: 'rewrite',
      content,
      schema: rewriteReply,
      scope,
      skill,
      place,
    })
    if (!answer.ok) return { ...at, failed: 1 }
    return { ...at, edit: asEdit(answer.value, suggestions, `s${place.step}.rewrite`), failed: 0 }
  })
  return { edits: body.edit === undefined ? [] : [body.edit], failed: body.failed }
}

function asEdit(
  {
    new_skill,
    change_summary,
    reasoning,
  }: { new_skill: string; change_summary: string; reasoning?: string | null | undefined },
  suggestions: readonly RecordedEdit[],
  id: string,
): EventBody<'rewrite.finished'>['edit'] {
  return {
    op: 'rewrite',
    id,
    content: new_skill,
    summary: change_summary,
    why: reasoning ?? '',
    support: suggestions.reduce((sum, suggestion) => sum + suggestion.support, 0),
    from: suggestions.some(suggestion => suggestion.from === 'failure') ? 'failure' : 'success',
    tasks: [...new Set(suggestions.flatMap(suggestion => suggestion.tasks))],
  }
}

/** Condenses the reminders if the appendix exceeds its limit, because models ignore a long appendix. */
async function consolidate(
  run: Run,
  { document, place }: { readonly document: SkillDocument; readonly place: Place },
  { prompts, skillAware, limit }: ComposeOptions,
): Promise<{ document: SkillDocument; failed: number }> {
  const notes = appendixNotes(document.text)
  const isWithin = skillAware.notes === 0 || notes.length <= skillAware.notes
  if (isWithin) return { document, failed: 0 }
  const at = { epoch: place.epoch, step: place.step, before: notes.length }
  const key = `step ${place.step}`
  const body = await run.once('appendix.consolidated', key, async () => {
    const content = sections(
      section('skill', document.text),
      section('appendix', notes.map(note => `- ${note}`).join('\n')),
      section('note_limit', String(skillAware.notes)),
    )
    const schema = consolidateReply(notes.length)
    const scope = `${key} appendix`
    const answer = await ask(run, prompts, {
      prompt: 'consolidate',
      content,
      schema,
      scope,
      skill: document.text,
      place,
    })
    // The failure is reported; the reminders stay as they are until the next one triggers consolidation.
    if (!answer.ok) return { ...at, reasoning: '', failed: 1 }
    const { appendix_notes, reasoning } = answer.value
    const refusal = limit?.objection(document.text, setNotes(document, appendix_notes, '').text)
    if (refusal !== undefined) return { ...at, reasoning: `Refused: ${refusal}`, failed: 1 }
    return { ...at, notes: appendix_notes, reasoning: reasoning ?? '', failed: 0 }
  })
  if (body.notes === undefined) return { document, failed: body.failed }
  return { document: setNotes(document, body.notes, `consolidation:${place.step}`), failed: 0 }
}
