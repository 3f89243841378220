import { describe, expect, it } from 'vitest'
import { fakeRun, userText } from '../../../test/fake-run.js'
import type { RecordedEdit } from '../../core/log/event.js'
import { editBudget, type RateOptions } from './learning-rate.js'
import type { Memory } from './memory.js'
import { loadPrompts } from './prompts.js'

const place = { stage: 'select', epoch: 1, step: 3 } as const
const memory: Memory = { steps: [], metaSkill: 'notebook text' }
const edits: RecordedEdit[] = ['a', 'b', 'c', 'd', 'e'].map(id => ({
  id,
  op: 'append',
  content: `content ${id}`,
  why: '',
  support: 1,
  from: 'failure',
  tasks: ['t'],
}))
const options: RateOptions = {
  control: 'autonomous',
  mode: 'patch',
  scheduled: 2,
  prompts: await loadPrompts(),
  failurePatterns: true,
  rejectedEdits: true,
}

describe('editBudget', () => {
  it('is the scheduled number, or all edits, without a call', async () => {
    const run = fakeRun(() => ({ text: 'unexpected' }))
    expect(
      await editBudget(run, { skill: 's', edits, memory, place }, { ...options, control: 'fixed' }),
    ).toBe(2)
    expect(await editBudget(run, { skill: 's', edits, memory, place }, { ...options, control: 'none' })).toBe(
      5,
    )
    expect(await editBudget(run, { skill: 's', edits: edits.slice(0, 1), memory, place }, options)).toBe(1)
    expect(await editBudget(run, { skill: 's', edits: [], memory, place }, options)).toBe(0)
    const whole = { ...options, mode: 'full_rewrite_minibatch' } as const
    expect(await editBudget(run, { skill: 's', edits, memory, place }, whole)).toBe(1)
    expect(run.effects).toHaveLength(0)
  })

  it("is the optimizer's choice, given the edits, the notebook and the schedule", async () => {
    const text = '{"learning_rate": 4, "reasoning": "all good", "confidence": 0.8, "risk_notes": "none"}'
    const run = fakeRun(() => ({ text }))
    expect(await editBudget(run, { skill: 'the skill', edits, memory, place }, options)).toBe(4)
    const prompt = userText(run.effects[0])
    for (const part of ['the skill', 'notebook text', 'content e', '<edit_limit>\n2\n'])
      expect(prompt).toContain(part)
  })

  it('asks again after an invalid number, then falls back to the schedule and reports it', async () => {
    const run = fakeRun(() => ({ text: '{"learning_rate": 9}' }))
    expect(await editBudget(run, { skill: 's', edits, memory, place }, options)).toBe(2)
    expect(run.effects).toHaveLength(2)
    expect(run.emitted).toMatchObject([{ type: 'optimizer.failed' }])
  })

  /** The decision as recorded in the log. */
  const recorded = (run: ReturnType<typeof fakeRun>) =>
    run.once('rate.decided', 'step 3', () => Promise.reject(new Error('nothing was decided')))

  it('is requested once per step, from two edits on, and recorded with the reasons', async () => {
    const reply = { learning_rate: 1, reasoning: 'one helps', confidence: 0.8, risk_notes: 'few tasks' }
    const run = fakeRun(() => ({ text: JSON.stringify(reply) }))
    expect(
      await editBudget(run, { skill: 'the skill', edits: edits.slice(0, 2), memory, place }, options),
    ).toBe(1)
    expect(
      await editBudget(run, { skill: 'the skill', edits: edits.slice(0, 2), memory, place }, options),
    ).toBe(1)
    expect(run.effects).toMatchObject([{ scope: 'step 3 rate' }])
    expect(await recorded(run)).toEqual({
      epoch: 1,
      step: 3,
      scheduled: 2,
      of: 2,
      budget: 1,
      failed: 0,
      reasoning: 'one helps',
      confidence: 0.8,
      risks: 'few tasks',
    })
    for (const tag of ['skill', 'meta_skill', 'edits', 'edit_limit'])
      expect(userText(run.effects[0])).toContain(`<${tag}>`)
    await editBudget(run, { skill: 'the skill', edits, memory, place: { ...place, step: 4 } }, options)
    expect(run.effects).toHaveLength(2)
  })

  it('is recorded without fields that the optimizer omitted or gave as prose', async () => {
    const run = fakeRun(() => ({ text: '{"learning_rate": 3, "confidence": "high"}' }))
    await editBudget(run, { skill: 's', edits, memory, place }, options)
    expect(await recorded(run)).toEqual({
      epoch: 1,
      step: 3,
      scheduled: 2,
      of: 5,
      budget: 3,
      reasoning: '',
      failed: 0,
    })
  })

  it('is recorded as a failure if unavailable, and never exceeds the number of edits', async () => {
    const run = fakeRun(() => ({ text: 'no' }))
    expect(await editBudget(run, { skill: 's', edits, memory, place }, { ...options, scheduled: 9 })).toBe(5)
    expect(await recorded(run)).toMatchObject({ budget: 5, reasoning: '', failed: 1 })
  })
})
