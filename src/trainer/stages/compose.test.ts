import { describe, expect, it } from 'vitest'
import { fakeRun, userText } from '../../../test/fake-run.js'
import type { RecordedEdit } from '../../core/log/event.js'
import { addNote, appendixNotes } from '../../core/skill/appendix.js'
import { seedDocument } from '../../core/skill/document.js'
import { noHiddenText, tokenLimit } from '../../core/skill/skill-limit.js'
import { type ComposeOptions, compose } from './compose.js'
import { loadPrompts } from './prompts.js'

const place = { stage: 'update', epoch: 1, step: 3 } as const
const options: ComposeOptions = {
  prompts: await loadPrompts({ effort: { update: 'high' } }),
  mode: 'rewrite_from_suggestions',
  skillAware: { notes: 2 },
  limit: undefined,
}
const current = seedDocument('# A\n\n- one\n')
const origin = { why: 'because', support: 2, from: 'failure' as const, tasks: ['t1', 't2'] }
const suggestion: RecordedEdit = { op: 'suggest', id: 's', title: 'units', content: 'Say units.', ...origin }
const reminder = (content: string): RecordedEdit => ({ op: 'remind', id: `n ${content}`, content, ...origin })

describe('rewriting from suggestions', () => {
  it('shows skill, suggestions, notebook and length, and represents all suggestions', async () => {
    const run = fakeRun(() => ({
      text: JSON.stringify({ new_skill: '# A\n\n- two\n', change_summary: ['a', 'b'], reasoning: 'why' }),
    }))
    const limit = tokenLimit(50, () => 7)
    const update = await compose(
      run,
      { current, selected: [suggestion], reminders: [], metaSkill: 'notebook', place },
      { ...options, limit },
    )
    expect(update.document.text).toBe('# A\n\n- two\n')
    expect(update.failed).toBe(0)
    const prompt = userText(run.effects[0])
    for (const part of ['- one', 'Say units.', 'notebook', 'about 7 tokens']) expect(prompt).toContain(part)
    expect(run.effects[0]).toMatchObject({ request: { effort: 'high' } })
    const again = await compose(
      run,
      { current, selected: [suggestion], reminders: [], metaSkill: 'notebook', place },
      options,
    )
    expect(again.document).toEqual(update.document)
    expect(run.effects).toHaveLength(1)
  })

  it('is recorded as one edit based on all the suggestions', async () => {
    const recorded = async (suggestions: RecordedEdit[], reply: object) => {
      const run = fakeRun(() => ({ text: JSON.stringify({ new_skill: '# B', ...reply }) }))
      await compose(
        run,
        { current, selected: suggestions, reminders: [], metaSkill: 'notebook', place },
        options,
      )
      for (const tag of ['skill', 'meta_skill', 'suggestions'])
        expect(userText(run.effects[0])).toContain(`<${tag}>`)
      expect(run.effects).toMatchObject([{ scope: 'step 3 rewrite' }])
      return run.once('rewrite.finished', 'step 3', () => Promise.reject(new Error('nothing was written')))
    }
    const success: RecordedEdit = { ...suggestion, from: 'success', support: 3, tasks: ['t2', 't3'] }
    expect(await recorded([suggestion, success], { change_summary: 'all', reasoning: 'units' })).toEqual({
      epoch: 1,
      step: 3,
      failed: 0,
      edit: {
        op: 'rewrite',
        id: 's3.rewrite',
        content: '# B',
        summary: 'all',
        why: 'units',
        support: 5,
        from: 'failure',
        tasks: ['t1', 't2', 't3'],
      },
    })
    expect((await recorded([success], {})).edit).toMatchObject({ from: 'success', why: '', support: 3 })
  })

  it('makes no call when nothing was selected', async () => {
    const run = fakeRun(() => ({ text: 'unexpected' }))
    const update = await compose(run, { current, selected: [], reminders: [], place }, options)
    expect(update).toEqual({ document: current, reports: [], failed: 0 })
    expect(run.effects).toHaveLength(0)
  })

  it.each(['{"change_summary": "no text"}', '{"new_skill": " "}', 'sorry'])(
    'reports %s as a failure of the optimizer',
    async text => {
      const run = fakeRun(() => ({ text }))
      const update = await compose(run, { current, selected: [suggestion], reminders: [], place }, options)
      expect(update).toMatchObject({ failed: 1, document: current })
      expect(run.emitted.map(({ type }) => type)).toEqual(['optimizer.failed'])
    },
  )

  it('refuses a text beyond the limit', async () => {
    const run = fakeRun(() => ({ text: JSON.stringify({ new_skill: 'x'.repeat(90), change_summary: '' }) }))
    const limit = tokenLimit(20, text => text.length)
    const update = await compose(
      run,
      { current, selected: [suggestion], reminders: [], place },
      { ...options, limit },
    )
    expect(update.document).toBe(current)
    expect(update.reports[0]).toMatchObject({ status: 'refused' })
  })
})

describe('the appendix of a candidate', () => {
  const patch: ComposeOptions = { ...options, mode: 'patch' }
  const noted = addNote(addNote(current, 'one', 'n1'), 'two', 'n2')
  const consolidationIn = (run: ReturnType<typeof fakeRun>) =>
    run.once('appendix.consolidated', 'step 3', () => Promise.reject(new Error('nothing was consolidated')))

  it('gets the reminders beside the edits, without a call while they fit', async () => {
    const run = fakeRun(() => ({ text: 'unexpected' }))
    const append: RecordedEdit = { op: 'append', id: 'e', content: '- three', ...origin }
    const update = await compose(
      run,
      { current, selected: [append], reminders: [reminder('mind')], place },
      patch,
    )
    expect(update.document.text).toContain('- three')
    expect(appendixNotes(update.document.text)).toEqual(['mind'])
    expect(update.reports.map(({ status }) => status)).toEqual(['applied', 'applied'])
    expect(run.effects).toHaveLength(0)
  })

  it('is consolidated past its limit', async () => {
    const run = fakeRun(() => ({ text: '{"appendix_notes": ["all three"]}' }))
    const update = await compose(
      run,
      { current: noted, selected: [], reminders: [reminder('three')], place },
      patch,
    )
    expect(appendixNotes(update.document.text)).toEqual(['all three'])
    expect(userText(run.effects[0])).toContain('<appendix>\n- one\n- two\n- three\n</appendix>')
    expect(userText(run.effects[0])).toContain('<note_limit>\n2\n</note_limit>')
    expect(userText(run.effects[0])).toContain('<skill>\n# A')
    expect(run.effects).toMatchObject([{ scope: 'step 3 appendix' }])
    expect(update.document.origins.map(({ origin: from }) => from)).toContain('consolidation:3')
    expect(await consolidationIn(run)).toEqual({
      epoch: 1,
      step: 3,
      before: 3,
      notes: ['all three'],
      reasoning: '',
      failed: 0,
    })
    await compose(run, { current: noted, selected: [], reminders: [reminder('three')], place }, patch)
    expect(run.effects).toHaveLength(1)
  })

  it('is unchanged when it is exactly full', async () => {
    const run = fakeRun(() => ({ text: 'unexpected' }))
    const full = addNote(current, 'one', 'n1')
    await compose(run, { current: full, selected: [], reminders: [reminder('two')], place }, patch)
    expect(run.effects).toHaveLength(0)
  })

  it('records the reasons for consolidation', async () => {
    const run = fakeRun(() => ({ text: '{"appendix_notes": ["all"], "reasoning": "they overlap"}' }))
    await compose(run, { current: noted, selected: [], reminders: [reminder('three')], place }, patch)
    expect(await consolidationIn(run)).toMatchObject({ reasoning: 'they overlap' })
  })

  it('is unchanged when the new notes hide text, and reports why', async () => {
    const run = fakeRun(() => ({ text: JSON.stringify({ appendix_notes: ['all\u200b three'] }) }))
    const options = { ...patch, limit: noHiddenText }
    const update = await compose(
      run,
      { current: noted, selected: [], reminders: [reminder('three')], place },
      options,
    )
    expect(appendixNotes(update.document.text)).toEqual(['one', 'two', 'three'])
    expect(await consolidationIn(run)).toMatchObject({
      failed: 1,
      reasoning: expect.stringContaining('U+200B'),
    })
  })

  it('may grow without bound if the limit is 0', async () => {
    const run = fakeRun(() => ({ text: 'unexpected' }))
    const endless = { ...patch, skillAware: { notes: 0 } }
    const update = await compose(
      run,
      { current: noted, selected: [], reminders: [reminder('three')], place },
      endless,
    )
    expect(appendixNotes(update.document.text)).toHaveLength(3)
  })

  it.each(['{"appendix_notes": []}', '{"appendix_notes": ["a", "b", "c"]}', '{}'])(
    'stays as it is after %s, which is reported',
    async text => {
      const run = fakeRun(() => ({ text }))
      const update = await compose(
        run,
        { current: noted, selected: [], reminders: [reminder('three')], place },
        patch,
      )
      expect(appendixNotes(update.document.text)).toEqual(['one', 'two', 'three'])
      expect(update.failed).toBe(1)
      expect(run.emitted.map(({ type }) => type)).toEqual(['optimizer.failed'])
      expect(await consolidationIn(run)).toEqual({ epoch: 1, step: 3, before: 3, reasoning: '', failed: 1 })
    },
  )
})
