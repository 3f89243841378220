import type { EventBody, Place, RecordedEdit } from '../../core/log/event.js'
import type { Run } from '../../core/ports/run.js'
import { ask } from './ask.js'
import { rankReply } from './contracts.js'
import type { Prompts } from './prompts.js'
import { editList, section, sections } from './render.js'

interface SelectInput {
  readonly skill: string
  readonly edits: readonly RecordedEdit[]
  /** Maximum number of edits to keep. */
  readonly budget: number
  readonly metaSkill?: string | undefined
  readonly place: Place
}

/**
 * Clip: if there are more edits than the budget, the optimizer ranks them and the best are kept. Dropped
 * edits stay in ranking order.
 */
export function select(
  run: Run,
  { skill, edits, budget, metaSkill, place }: SelectInput,
  prompts: Prompts,
): Promise<EventBody<'select.finished'>> {
  return run.once('select.finished', `step ${place.step}`, async () => {
    const where = { epoch: place.epoch, step: place.step, budget }
    if (edits.length <= budget) return { ...where, edits: [...edits], dropped: [], failed: 0 }
    const content = sections(
      section('skill', skill),
      section('meta_skill', metaSkill),
      section('edits', editList(edits)),
      section('edit_limit', String(budget)),
    )
    const answer = await ask(run, prompts, {
      prompt: 'rank',
      content,
      schema: rankReply(edits.length),
      scope: `step ${place.step} rank`,
      place,
    })
    const named = answer.ok ? [...new Set(answer.value.selected_indices)] : bySupport(edits)
    const chosen = named.slice(0, budget)
    const others = new Set([...named, ...bySupport(edits)].filter(index => !chosen.includes(index)))
    const at = (index: number) => edits[index] ?? []
    return {
      ...where,
      edits: chosen.flatMap(at),
      dropped: [...others].flatMap(at).map(edit => edit.id),
      failed: answer.ok ? 0 : 1,
    }
  })
}

/**
 * Order of edits that the ranking does not name, or of all edits if the ranking is unusable: most supported
 * first, failures before successes.
 */
function bySupport(edits: readonly RecordedEdit[]): number[] {
  const weight = (edit: RecordedEdit) => edit.support * 2 + (edit.from === 'failure' ? 1 : 0)
  return edits
    .map((edit, index) => ({ index, weight: weight(edit) }))
    .sort((a, b) => b.weight - a.weight || a.index - b.index)
    .map(({ index }) => index)
}
