import { describe, expect, it } from 'vitest'
import { fakeRun, scoredAttempt, userText } from '../../../test/fake-run.js'
import { tokenLimit } from '../../core/skill/skill-limit.js'
import type { Attempt } from '../../core/task/task.js'
import type { Memory } from './memory.js'
import { loadPrompts } from './prompts.js'
import { type ReflectOptions, reflect } from './reflect.js'

const prompts = await loadPrompts()
const place = { stage: 'reflect', epoch: 1, step: 4 } as const
const nothing: Memory = { steps: [], metaSkill: undefined }
const options: ReflectOptions = {
  prompts,
  minibatchSize: 2,
  editLimit: 2,
  round: 0,
  failureOnly: false,
  samples: 1,
  failurePatterns: true,
  rejectedEdits: true,
  mode: 'patch',
  skillAware: { enabled: false, successes: false },
  limit: undefined,
}

const analysis = (edits: object[]) =>
  JSON.stringify({
    batch_size: 2,
    failure_summary: [{ failure_type: 'rounding', count: 2, description: 'rounded down' }],
    patch: { reasoning: 'because', edits },
  })

const reply = analysis([{ op: 'append', content: 'Round up.', trajectories: [2] }])

describe('reflect', () => {
  it('cuts failures and successes into minibatches in the order of the batch', async () => {
    const run = fakeRun(() => ({ text: reply }))
    const hards = [0, 1, 0, 0, 1, 1, 0]
    const attempts = hards.map((hard, index) => Promise.resolve(scoredAttempt(run, `t${index}`, hard)))
    const { patches, failed } = await reflect(
      run,
      { skill: 'skill', attempts, memory: nothing, place },
      options,
    ).whole
    expect(failed).toBe(0)
    expect(patches.map(patch => `${patch.from} ${patch.tasks.join()}`)).toEqual([
      'failure t0,t2',
      'failure t3,t6',
      'success t1,t4',
      'success t5',
    ])
  })

  it('starts a minibatch as soon as every earlier attempt is known, not when all are', async () => {
    const run = fakeRun(() => ({ text: reply }))
    let finishLast: (attempt: Attempt) => void = () => undefined
    const last = new Promise<Attempt>(resolve => {
      finishLast = resolve
    })
    const attempts = [scoredAttempt(run, 'a', 0), scoredAttempt(run, 'b', 0)].map(attempt =>
      Promise.resolve(attempt),
    )
    const reflection = reflect(
      run,
      { skill: 'skill', attempts: [...attempts, last], memory: nothing, place },
      options,
    )
    await expect.poll(() => run.effects.length).toBe(1)
    finishLast(scoredAttempt(run, 'c', 0))
    expect((await reflection.whole).patches).toHaveLength(2)
  })

  it('reads each side from the log when the step was already reflected on, without a call', async () => {
    const run = fakeRun(() => ({ text: reply }))
    const attempts = [0, 1, 0].map((hard, index) => Promise.resolve(scoredAttempt(run, `t${index}`, hard)))
    const first = reflect(run, { skill: 'skill', attempts, memory: nothing, place }, options)
    const sides = [await first.failure, await first.success]
    expect(sides.map(patches => patches.map(({ tasks }) => tasks.join()))).toEqual([['t0,t2'], ['t1']])
    await first.whole
    const asked = run.effects.length
    const again = reflect(run, { skill: 'skill', attempts, memory: nothing, place }, options)
    expect([await again.failure, await again.success]).toEqual(sides)
    expect(run.effects).toHaveLength(asked)
    const scopes = run.effects.map(effect => effect.scope)
    expect(scopes).toEqual(['step 4.0 failure 0', 'step 4.0 success 0'])
    await reflect(run, { skill: 'skill', attempts, memory: nothing, place }, { ...options, round: 1 }).whole
    expect(run.effects).toHaveLength(2 * asked)
  })

  it('counts the analysts of both sides whose replies stayed unusable', async () => {
    const run = fakeRun(() => ({ text: 'no' }))
    const attempts = [0, 1, 0, 0].map((hard, index) => Promise.resolve(scoredAttempt(run, `t${index}`, hard)))
    expect(await reflect(run, { skill: 'skill', attempts, memory: nothing, place }, options).whole).toEqual({
      epoch: 1,
      step: 4,
      patches: [],
      failed: 3,
    })
  })

  it('tells analysts how many edits they may propose and how long the skill may get', async () => {
    const run = fakeRun(() => ({ text: analysis([]) }))
    const limit = tokenLimit(90, () => 12)
    const attempts = [Promise.resolve(scoredAttempt(run, 'a', 0))]
    const memory = { ...nothing, metaSkill: 'notebook' }
    await reflect(run, { skill: '# Skill', attempts, memory, place }, { ...options, limit }).whole
    const shown = userText(run.effects[0])
    for (const part of [
      '<skill>\n# Skill\n</skill>',
      '<meta_skill>\nnotebook\n</meta_skill>',
      '<skill_length>\nThe skill has about 12 tokens.',
      '<edit_limit>\n2\n</edit_limit>',
    ])
      expect(shown).toContain(part)
  })

  it('keeps why and which tasks: those the analyst names, or the whole minibatch', async () => {
    const run = fakeRun(() => ({
      text: analysis([
        { op: 'append', content: 'one', trajectories: [2] },
        { op: 'delete', target: 'two' },
        { op: 'append', content: 'over the limit' },
      ]),
    }))
    const attempts = ['a', 'b'].map(task => Promise.resolve(scoredAttempt(run, task, 0)))
    const { patches } = await reflect(run, { skill: 'skill', attempts, memory: nothing, place }, options)
      .whole
    expect(patches[0]?.edits).toEqual([
      {
        id: 's4.0.f0.0',
        op: 'append',
        content: 'one',
        why: 'because',
        support: 1,
        from: 'failure',
        tasks: ['b'],
      },
      {
        id: 's4.0.f0.1',
        op: 'delete',
        target: 'two',
        why: 'because',
        support: 1,
        from: 'failure',
        tasks: ['a', 'b'],
      },
    ])
    expect(patches[0]?.patterns).toEqual([{ type: 'rounding', count: 2, description: 'rounded down' }])
  })

  it('shows the skill, the trajectories whole, the rejected edits, the patterns and the meta skill', async () => {
    const run = fakeRun(() => ({ text: reply }))
    const memory: Memory = {
      metaSkill: 'notebook text',
      steps: [
        {
          step: 3,
          outcome: 'rejected',
          before: 0.5,
          after: 0.4,
          edits: [
            { id: 'e', op: 'append', content: 'Guess.', why: '', support: 1, from: 'failure', tasks: ['t'] },
          ],
          patterns: [{ type: 'units', count: 4, description: 'forgot the units' }],
        },
      ],
    }
    const attempts = [Promise.resolve({ ...scoredAttempt(run, 'a', 0), hidden: run.put('the proof sketch') })]
    await reflect(run, { skill: 'the skill text', attempts, memory, place }, options).whole
    const prompt = userText(run.effects[0])
    for (const part of [
      'the skill text',
      'notebook text',
      'step 3 rejected (0.500 -> 0.400): append "Guess."',
      '4 × units: forgot the units',
      'question of a',
      'answer of a',
      'feedback on a',
      'the proof sketch',
    ]) {
      expect(prompt).toContain(part)
    }
    expect(prompt.indexOf('the skill text')).toBeLessThan(prompt.indexOf('question of a'))
    const blind = { ...options, failurePatterns: false, rejectedEdits: false }
    await reflect(run, { skill: 'the skill text', attempts, memory, place }, { ...blind, round: 1 }).whole
    expect(userText(run.effects[1])).not.toContain('step 3')
  })

  it('leaves out external failures and, if configured, the successes', async () => {
    const run = fakeRun(() => ({ text: reply }))
    const broken: Attempt = {
      ...scoredAttempt(run, 'b', 0),
      outcome: { status: 'failed', failure: { kind: 'timeout', message: 'silence' } },
    }
    const attempts = [scoredAttempt(run, 'a', 1), broken, scoredAttempt(run, 'c', 0)].map(a =>
      Promise.resolve(a),
    )
    const { patches } = await reflect(
      run,
      { skill: 'skill', attempts, memory: nothing, place },
      { ...options, failureOnly: true },
    ).whole
    expect(patches.map(patch => patch.tasks)).toEqual([['c']])
  })

  it('counts an unusable analysis instead of treating it as empty', async () => {
    const run = fakeRun(() => ({ text: 'sorry' }))
    const attempts = [Promise.resolve(scoredAttempt(run, 'a', 0))]
    const reflection = reflect(run, { skill: 'skill', attempts, memory: nothing, place }, options)
    expect(await reflection.whole).toMatchObject({ patches: [], failed: 1 })
    expect(await reflection.failure).toEqual([])
  })

  const reflectOn = async (text: string, changed: Partial<ReflectOptions>, hard = 0) => {
    const run = fakeRun(() => ({ text }))
    const attempts = ['a', 'b'].map(task => Promise.resolve(scoredAttempt(run, task, hard)))
    const result = await reflect(
      run,
      { skill: 'skill', attempts, memory: nothing, place },
      { ...options, ...changed },
    ).whole
    const [effect] = run.effects
    const system = effect?.kind === 'call' ? (effect.request.messages[0]?.text ?? '') : ''
    return { ...result, system, prompt: userText(effect), calls: run.effects.length }
  }

  it('asks for suggestions in that mode, and keeps their titles and evidence', async () => {
    const suggestions = [
      { type: 'add', title: 'units', instruction: 'Say units.', trajectories: [1] },
      { type: 'add', title: 'b', instruction: 'B.' },
      { type: 'add', title: 'c', instruction: 'over the limit' },
    ]
    const { patches, system } = await reflectOn(
      JSON.stringify({ failure_summary: [], patch: { reasoning: 'r', suggestions } }),
      { mode: 'rewrite_from_suggestions' },
    )
    expect(patches[0]?.edits).toMatchObject([
      { op: 'suggest', title: 'units', content: 'Say units.', tasks: ['a'], why: 'r' },
      { op: 'suggest', title: 'b', tasks: ['a', 'b'] },
    ])
    expect(system).toContain('"suggestions"')
    expect(system).not.toContain('{{form}}')
  })

  it('asks for the whole skill in that mode, without an edit limit; null means no change', async () => {
    const mode = 'full_rewrite_minibatch'
    const text = (new_skill: string | null) =>
      JSON.stringify({ patch: { reasoning: 'r', new_skill, change_summary: ['one', 'two'] } })
    const changed = await reflectOn(text('# New'), { mode })
    expect(changed.patches[0]?.edits).toMatchObject([{ op: 'rewrite', content: '# New', summary: 'one two' }])
    expect(changed.prompt).not.toContain('edit_limit')
    const same = await reflectOn(text(null), { mode })
    expect(same).toMatchObject({ failed: 0, patches: [{ edits: [] }] })
    const missing = await reflectOn(JSON.stringify({ patch: { reasoning: 'r' } }), { mode })
    expect(missing).toMatchObject({ failed: 1, patches: [], calls: 2 })
  })

  it('distinguishes lapses from defects if enabled, on the configured side', async () => {
    const lapses = [{ reminder: 'Mind the units.', trajectories: [2] }]
    const text = JSON.stringify({ lapses, patch: { reasoning: 'r', edits: [] } })
    const skillAware = { enabled: true, successes: false }
    const aware = await reflectOn(text, { skillAware })
    expect(aware.patches[0]?.reminders).toMatchObject([
      { op: 'remind', content: 'Mind the units.', tasks: ['b'], id: 's4.0.f0.lapse0' },
    ])
    expect(aware.system).toContain('"lapses"')
    const successes = await reflectOn(text, { skillAware }, 1)
    expect(successes.system).not.toContain('"lapses"')
    expect(successes.patches[0]?.reminders).toBeUndefined()
    const both = await reflectOn(text, { skillAware: { enabled: true, successes: true } }, 1)
    expect(both.patches[0]?.reminders).toHaveLength(1)
    const without = await reflectOn(reply, { skillAware })
    expect(without).toMatchObject({ failed: 1, patches: [] })
  })

  it('tells the analyst how long the skill is and may be', async () => {
    const { prompt } = await reflectOn(reply, { limit: tokenLimit(900, () => 812) })
    expect(prompt).toMatch(/812 tokens[\s\S]*900/)
    expect((await reflectOn(reply, {})).prompt).not.toContain('skill_length')
  })
})
