import type { EventBody, Place, RecordedEdit } from '../core/event.js'
import type { Run } from '../core/ports.js'
import { ask } from './ask.js'
import { ranking } from './contracts.js'
import type { Prompts } from './prompts.js'
import { editList, section, sections } from './render.js'

/** Clip: if there are more edits than the budget, the optimizer ranks them and the top are kept. */
export function select(
  run: Run,
  skill: string,
  edits: readonly RecordedEdit[],
  budget: number,
  metaSkill: string | undefined,
  prompts: Prompts,
  place: Place,
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
    const answer = await ask(
      run,
      prompts,
      { prompt: 'rank', content, schema: ranking(edits.length), scope: `step ${place.step} rank` },
      place,
    )
    const order = answer.ok ? [...new Set(answer.value.selected_indices)] : bySupport(edits)
    const chosen = new Set(order.slice(0, budget))
    return {
      ...where,
      edits: [...chosen].flatMap(index => edits[index] ?? []),
      dropped: edits.filter((_, index) => !chosen.has(index)).map(edit => edit.id),
      failed: answer.ok ? 0 : 1,
    }
  })
}

/** When the ranking could not be used, which is reported: most supported first, failures before successes. */
function bySupport(edits: readonly RecordedEdit[]): number[] {
  const weight = (edit: RecordedEdit) => edit.support * 2 + (edit.from === 'failure' ? 1 : 0)
  return edits
    .map((edit, index) => ({ index, weight: weight(edit) }))
    .sort((a, b) => b.weight - a.weight || a.index - b.index)
    .map(({ index }) => index)
}
