import { describe, expect, it } from 'vitest'
import { fakeRun, scoredAttempt, userText } from '../../../test/fake-run.js'
import type { Comparison } from './compare.js'
import type { Memory, StepRecord } from './memory.js'
import { writeMetaSkill } from './meta-skill.js'
import { loadPrompts } from './prompts.js'

const prompts = await loadPrompts()
const place = { stage: 'meta-skill', epoch: 3, step: 6 } as const

/** A run with a fixed optimizer reply, and one known pair of attempts. */
function answering(reply: object | string) {
  const run = fakeRun(() => ({ text: typeof reply === 'string' ? reply : JSON.stringify(reply) }))
  const comparison: Comparison = {
    outcome: 'improved',
    before: scoredAttempt(run, 'a', 0, 'five'),
    after: scoredAttempt(run, 'a', 1, 'four'),
  }
  return { run, comparisons: [comparison] }
}

describe('writeMetaSkill', () => {
  const record: StepRecord = {
    step: 5,
    outcome: 'accepted',
    edits: [{ op: 'append', content: 'units', id: 'e', why: '', support: 1, from: 'failure', tasks: [] }],
    before: 0.25,
    after: 0.5,
    patterns: [],
  }
  const memory: Memory = {
    steps: [record, { ...record, step: 6, edits: [] }],
    metaSkill: 'short edits help',
  }

  it('shows the notebook so far, what the epoch did and the pairs', async () => {
    const { run, comparisons } = answering({ meta_skill_content: ' name units \n', reasoning: 'they help' })
    expect(await writeMetaSkill(run, { memory, comparisons, place }, prompts)).toEqual({
      epoch: 3,
      content: 'name units',
      reasoning: 'they help',
    })
    const shown = userText(run.effects[0])
    for (const part of [
      '<previous_meta_skill>\nshort edits help\n</previous_meta_skill>',
      '<epoch_history>\n- step 5 accepted (0.250 -> 0.500): append "units"\n</epoch_history>',
      '<comparisons>',
    ])
      expect(shown).toContain(part)
    expect(run.effects[0]).toMatchObject({ role: 'optimizer', scope: 'epoch 3' })
  })

  it('says that an epoch made no edits, and asks once an epoch', async () => {
    const { run } = answering({ meta_skill_content: 'nothing yet' })
    const empty = { steps: [], metaSkill: undefined }
    expect(await writeMetaSkill(run, { memory: empty, comparisons: [], place }, prompts)).toEqual({
      epoch: 3,
      content: 'nothing yet',
      reasoning: '',
    })
    expect(userText(run.effects[0])).toBe('<epoch_history>\n(no edits were made)\n</epoch_history>')
    await writeMetaSkill(run, { memory: empty, comparisons: [], place }, prompts)
    expect(run.effects).toHaveLength(1)
    await writeMetaSkill(run, { memory: empty, comparisons: [], place: { ...place, epoch: 4 } }, prompts)
    expect(run.effects).toHaveLength(2)
  })

  it('leaves the old notebook in place after an unusable reply', async () => {
    const { run } = answering('no JSON')
    expect(await writeMetaSkill(run, { memory, comparisons: [], place }, prompts)).toEqual({
      epoch: 3,
      reasoning: '',
    })
    expect(run.emitted).toMatchObject([{ type: 'optimizer.failed' }])
  })
})
