import { describe, expect, it } from 'vitest'
import { fakeRun, userText } from '../../../test/fake-run.js'
import type { UpdateMode } from '../../core/config/config.js'
import type { Patch, RecordedEdit } from '../../core/log/event.js'
import { aggregate } from './aggregate.js'
import { loadPrompts } from './prompts.js'
import type { Reflection } from './reflect.js'
import { select } from './select.js'

const prompts = await loadPrompts()
const place = { stage: 'aggregate', epoch: 1, step: 2 } as const

const edit = (id: string, from: 'failure' | 'success' = 'failure', support = 1): RecordedEdit => ({
  id,
  op: 'append',
  content: `content ${id}`,
  why: `why ${id}`,
  support,
  from,
  tasks: [`task ${id}`],
})

const patch = (from: 'failure' | 'success', ...ids: string[]): Patch => ({
  from,
  tasks: ids.map(id => `task ${id}`),
  reasoning: '',
  patterns: [],
  edits: ids.map(id => edit(id, from)),
})

function reflection(failure: Patch[], success: Patch[]): Reflection {
  const patches = [...failure, ...success]
  return {
    failure: Promise.resolve(failure),
    success: Promise.resolve(success),
    whole: Promise.resolve({ epoch: 1, step: 2, patches, failed: 0 }),
  }
}

/** Answers a merge by keeping every edit shown, in order. */
const keepAll = (effect: Parameters<Parameters<typeof fakeRun>[0]>[0]) => {
  const lines = userText(effect).match(/^\[\d+\] .*$/gm) ?? []
  const edits = lines.map((line, index) => ({ ...JSON.parse(line.slice(line.indexOf('{'))), from: [index] }))
  return { text: JSON.stringify({ reasoning: '', edits }) }
}

describe('aggregate', () => {
  it('merges in groups, level by level, sides apart, then both with failures first', async () => {
    const run = fakeRun(keepAll)
    const failures = ['a', 'b', 'c', 'd', 'e'].map(id => patch('failure', id))
    const merged = await aggregate(
      run,
      {
        skill: 'skill',
        reflections: [reflection(failures, [patch('success', 'x'), patch('success', 'y')])],
        place,
      },
      { prompts, mode: 'patch', mergeBatchSize: 2 },
    )
    // Failures: 5 -> 3 (two calls, one passes through) -> 2 -> 1; successes: one call; both: one call.
    expect(run.effects).toHaveLength(2 + 1 + 1 + 1 + 1)
    expect(merged.edits.map(({ from }) => from)).toEqual([...Array(5).fill('failure'), 'success', 'success'])
    expect(merged.edits.map(({ tasks }) => tasks[0])).toEqual('abcdexy'.split('').map(id => `task ${id}`))
    expect(merged.failed).toBe(0)
  })

  it('makes no call when there is nothing to merge', async () => {
    const run = fakeRun(keepAll)
    const merged = await aggregate(
      run,
      { skill: 'skill', reflections: [reflection([patch('failure', 'a', 'b')], [patch('success')])], place },
      { prompts, mode: 'patch', mergeBatchSize: 8 },
    )
    expect(run.effects).toHaveLength(0)
    expect(merged.edits.map(({ id }) => id)).toEqual(['a', 'b'])
  })

  it('keeps provenance through a merge: named parents, copied text, or all edits', async () => {
    const merge = async (edits: object[]) => {
      const run = fakeRun(() => ({ text: JSON.stringify({ reasoning: '', edits }) }))
      const patches = [patch('failure', 'a'), patch('failure', 'b'), patch('failure', 'c')]
      const merged = await aggregate(
        run,
        { skill: 's', reflections: [reflection(patches, [])], place },
        { prompts, mode: 'patch', mergeBatchSize: 8 },
      )
      return merged.edits[0]
    }
    const named = await merge([
      { op: 'append', content: 'joined', support_count: 2, source_type: 'failure', from: [0, 2] },
    ])
    expect(named).toMatchObject({ support: 2, tasks: ['task a', 'task c'], why: 'why a | why c' })
    const copied = await merge([{ op: 'append', content: 'content b' }])
    expect(copied).toMatchObject({ support: 1, from: 'failure', tasks: ['task b'] })
    const anew = await merge([{ op: 'append', content: 'quite new' }])
    expect(anew?.tasks).toEqual(['task a', 'task b', 'task c'])
  })

  it('keeps the proposals unmerged when a merge stays unusable, and counts the failure', async () => {
    const run = fakeRun(() => ({ text: 'no' }))
    const patches = [patch('failure', 'a'), patch('failure', 'b')]
    const merged = await aggregate(
      run,
      { skill: 's', reflections: [reflection(patches, [])], place },
      { prompts, mode: 'patch', mergeBatchSize: 8 },
    )
    expect(merged.edits.map(({ id }) => id)).toEqual(['a', 'b'])
    expect(merged.failed).toBe(1)
  })

  it('asks each merge in a scope of its own, shows skill and notebook, and gives each edit an id of its own', async () => {
    const run = fakeRun(keepAll)
    const failures = ['a', 'b', 'c'].map(id => patch('failure', id))
    const successes = [patch('success', 'x'), patch('success', 'y')]
    const options = { prompts, mode: 'patch', mergeBatchSize: 2 } as const
    const merging = () =>
      aggregate(
        run,
        { skill: '# Skill', reflections: [reflection(failures, successes)], metaSkill: 'notebook', place },
        options,
      )
    const merged = await merging()
    expect(merged.reminders).toBeUndefined()
    expect(merged.edits.map(({ id }) => id)).toEqual([0, 1, 2, 3, 4].map(index => `s2.mboth.${index}`))
    const scopes = run.effects.map(effect => effect.scope)
    expect(scopes.toSorted()).toEqual([
      'step 2 merge both',
      'step 2 merge failure 0.0',
      'step 2 merge failure 1.0',
      'step 2 merge success 0.0',
    ])
    const first = userText(run.effects[0])
    expect(first).toContain('<skill>\n# Skill\n</skill>\n\n<meta_skill>\nnotebook\n</meta_skill>')
    expect(first).toContain('<edits>\n[0] ')
    const last = userText(run.effects.find(({ scope }) => scope === 'step 2 merge both'))
    expect(last.indexOf('content c')).toBeLessThan(last.indexOf('content x'))
    expect(await merging()).toEqual(merged)
    expect(run.effects).toHaveLength(4)
    await aggregate(
      run,
      { skill: '# Skill', reflections: [reflection([], [])], place: { ...place, step: 3 } },
      options,
    )
    expect(run.effects).toHaveLength(4)
  })

  it('fills in provenance, reasons and tasks from the parents if a merge omits them', async () => {
    const removal: RecordedEdit = {
      id: 'r',
      op: 'delete',
      target: 'old',
      why: '',
      support: 4,
      from: 'success',
      tasks: ['task r'],
    }
    const replacement: RecordedEdit = { ...removal, id: 'p', op: 'replace', content: 'new', target: 'older' }
    const given = [removal, replacement, edit('f')]
    const merge = async (reply: object) => {
      const run = fakeRun(() => ({ text: JSON.stringify({ edits: [reply] }) }))
      const patches = given.map(one => ({ ...patch('failure'), edits: [one] }))
      const options = { prompts, mode: 'patch', mergeBatchSize: 8 } as const
      const merged = await aggregate(
        run,
        { skill: 's', reflections: [reflection(patches, [])], place },
        options,
      )
      return merged.edits[0]
    }
    const all = { from: 'failure', support: 9, why: 'why f', tasks: ['task r', 'task f'] }
    expect(await merge({ op: 'delete', target: 'old' })).toMatchObject({
      from: 'success',
      support: 4,
      why: '',
    })
    expect(await merge({ op: 'delete', target: 'other' })).toMatchObject(all)
    expect(await merge({ op: 'replace', target: 'else', content: 'new' })).toMatchObject(all)
    expect(await merge({ op: 'append', content: 'x', from: [0, 2] })).toMatchObject({ ...all, support: 5 })
    expect(await merge({ op: 'append', content: 'x', from: [0, 1] })).toMatchObject({ from: 'success' })
    expect(await merge({ op: 'append', content: 'x', from: [7] })).toMatchObject(all)
    expect(await merge({ op: 'append', content: 'x', from: [7, 2] })).toMatchObject({ tasks: ['task f'] })
  })

  const inMode = async (mode: UpdateMode, patches: Patch[], reply: object) => {
    const run = fakeRun(() => ({ text: JSON.stringify(reply) }))
    const options = { prompts, mode, mergeBatchSize: 8 }
    const merged = await aggregate(
      run,
      { skill: 's', reflections: [reflection(patches, [])], place },
      options,
    )
    return { run, merged }
  }
  const holding = (...edits: RecordedEdit[]): Patch => ({ ...patch('failure'), edits })

  it('merges suggestions as suggestions', async () => {
    const suggest = (id: string): RecordedEdit => ({
      ...edit(id),
      op: 'suggest',
      title: id,
      content: `Do ${id}.`,
    })
    const { run, merged } = await inMode(
      'rewrite_from_suggestions',
      [holding(suggest('a')), holding(suggest('b'))],
      { suggestions: [{ type: 'add', title: 'both', instruction: 'Do both.', from: [0, 1] }] },
    )
    expect(merged.edits).toMatchObject([
      { op: 'suggest', title: 'both', content: 'Do both.', support: 2, tasks: ['task a', 'task b'] },
    ])
    expect(userText(run.effects[0])).toContain('"instruction":"Do a."')
  })

  it('merges whole skills into one', async () => {
    const version = (id: string): RecordedEdit => ({
      ...edit(id),
      op: 'rewrite',
      content: `# ${id}`,
      summary: id,
    })
    const { run, merged } = await inMode(
      'full_rewrite_minibatch',
      [holding(version('a')), holding(version('b'))],
      { new_skill: '# both', change_summary: 'joined' },
    )
    expect(merged.edits).toMatchObject([
      { op: 'rewrite', content: '# both', summary: 'joined', support: 2, tasks: ['task a', 'task b'] },
    ])
    expect(userText(run.effects[0])).toContain('"new_skill":"# a"')
  })

  it('joins reminders with the same words, without a call, and leaves none out', async () => {
    const note = (id: string, content: string): RecordedEdit => ({ ...edit(id), op: 'remind', content })
    const patches = [
      { ...patch('failure', 'a'), reminders: [note('x', 'Mind  the units.'), note('y', 'Be calm.')] },
      { ...patch('failure'), reminders: [note('z', ' mind the units.\n')] },
    ]
    const { run, merged } = await inMode('patch', patches, {})
    expect(run.effects).toHaveLength(0)
    expect(merged.reminders).toMatchObject([
      { id: 'x', support: 2, tasks: ['task x', 'task z'] },
      { id: 'y', support: 1 },
    ])
    expect(merged.edits.map(({ id }) => id)).toEqual(['a'])
  })
})

describe('select', () => {
  const pool = ['a', 'b', 'c', 'd'].map(id => edit(id))

  it('makes no call within the budget', async () => {
    const run = fakeRun(() => ({ text: 'unexpected' }))
    const selected = await select(run, { skill: 's', edits: pool, budget: 4, place }, prompts)
    expect(selected).toMatchObject({ dropped: [], failed: 0 })
    expect(selected.edits).toEqual(pool)
    expect(run.effects).toHaveLength(0)
  })

  it('keeps the top of the ranking, in its order', async () => {
    const run = fakeRun(() => ({ text: '{"reasoning": "", "selected_indices": [3, 3, 0, 1]}' }))
    const selected = await select(run, { skill: 's', edits: pool, budget: 2, place }, prompts)
    expect(selected.edits.map(({ id }) => id)).toEqual(['d', 'a'])
    expect(selected.dropped).toEqual(['b', 'c'])
  })

  it('asks again after invalid indices, then falls back to support and reports it', async () => {
    const run = fakeRun(() => ({ text: '{"selected_indices": [9]}' }))
    const supported = [edit('a'), edit('b', 'failure', 3), edit('c', 'success', 3)]
    const selected = await select(run, { skill: 's', edits: supported, budget: 2, place }, prompts)
    expect(run.effects).toHaveLength(2)
    expect(selected.edits.map(({ id }) => id)).toEqual(['b', 'c'])
    expect(selected.failed).toBe(1)
  })
})
