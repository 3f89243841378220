import { describe, expect, it } from 'vitest'
import { fakeRun, userText } from '../../../test/fake-run.js'
import type { RecordedEdit } from '../../core/log/event.js'
import { loadPrompts } from './prompts.js'
import { select } from './select.js'

const prompts = await loadPrompts()
const place = { stage: 'select', epoch: 2, step: 3 } as const

const edit = (id: string, support = 1, from: 'failure' | 'success' = 'success'): RecordedEdit => ({
  op: 'append',
  content: `content ${id}`,
  id,
  why: '',
  support,
  from,
  tasks: ['t'],
})
const edits = [edit('a'), edit('b', 2), edit('c', 2, 'failure'), edit('d', 1, 'failure'), edit('e')]

function selecting(reply: object, budget = 3) {
  const run = fakeRun(() => ({ text: JSON.stringify(reply) }))
  return {
    run,
    selected: select(run, { skill: '# Skill', edits, budget, metaSkill: 'notebook', place }, prompts),
  }
}

const ids = (kept: readonly RecordedEdit[]) => kept.map(({ id }) => id).join('')

describe('select', () => {
  it('keeps everything within the budget, in order, without a call', async () => {
    const { run, selected } = selecting({}, 5)
    expect(await selected).toEqual({ epoch: 2, step: 3, budget: 5, edits, dropped: [], failed: 0 })
    expect(run.effects).toEqual([])
  })

  it('keeps the top of the ranking, best first, and reports what was dropped', async () => {
    const { run, selected } = selecting({ selected_indices: [4, 1, 4, 0, 2] })
    const { edits: kept, ...rest } = await selected
    expect(ids(kept)).toBe('eba')
    expect(rest).toEqual({ epoch: 2, step: 3, budget: 3, dropped: ['c', 'd'], failed: 0 })
    expect(run.effects).toMatchObject([{ scope: 'step 3 rank', role: 'optimizer' }])
    const shown = userText(run.effects[0])
    for (const part of [
      '<skill>\n# Skill\n</skill>',
      '<meta_skill>\nnotebook\n</meta_skill>',
      '<edits>\n[0] {"op":"append","content":"content a"',
      '<edit_limit>\n3\n</edit_limit>',
    ])
      expect(shown).toContain(part)
  })

  it('takes fewer than the budget when the ranking names fewer; the others follow by support', async () => {
    const { selected } = selecting({ selected_indices: [3] })
    expect(await selected).toMatchObject({ edits: [{ id: 'd' }], dropped: ['c', 'b', 'a', 'e'], failed: 0 })
  })

  it('keeps the ranking order of dropped edits, then sorts by support', async () => {
    const { selected } = selecting({ selected_indices: [4, 0, 3, 2] }, 1)
    expect(await selected).toMatchObject({ edits: [{ id: 'e' }], dropped: ['a', 'd', 'c', 'b'] })
  })

  it.each([[[7]], [[-1]], [[5]], [[]]])(
    'goes by support, failures first, when the ranking %j cannot be used, and reports that',
    async selected_indices => {
      const { run, selected } = selecting({ selected_indices })
      const { edits: kept, dropped, failed } = await selected
      expect(ids(kept)).toBe('cbd')
      expect({ dropped, failed }).toEqual({ dropped: ['a', 'e'], failed: 1 })
      expect(run.effects).toHaveLength(2)
      expect(run.emitted).toMatchObject([{ type: 'optimizer.failed' }])
    },
  )
})
