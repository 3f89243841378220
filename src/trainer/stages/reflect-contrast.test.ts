import { describe, expect, it } from 'vitest'
import { type FakeRun, fakeRun, scoredAttempt, userText } from '../../../test/fake-run.js'
import type { Effect } from '../../core/ports/run.js'
import type { Attempt } from '../../core/task/task.js'
import { aggregate } from './aggregate.js'
import { loadPrompts } from './prompts.js'
import { type ReflectOptions, reflect } from './reflect.js'

const prompts = await loadPrompts()
const place = { stage: 'reflect', epoch: 1, step: 4 } as const
const options: ReflectOptions = {
  prompts,
  minibatchSize: 2,
  editLimit: 2,
  round: 0,
  samples: 2,
  failureOnly: false,
  failurePatterns: true,
  rejectedEdits: true,
  mode: 'patch',
  skillAware: { enabled: false, successes: false },
  limit: undefined,
}

const patch = (content: string) =>
  JSON.stringify({
    batch_size: 1,
    failure_summary: [],
    patch: { reasoning: 'because', edits: [{ op: 'append', content, trajectories: [1] }] },
  })

const systemText = (effect: Effect | undefined) =>
  effect?.kind === 'call' ? (effect.request.messages[0]?.text ?? '') : ''

/** Successive attempts at a task with these hard scores. */
const tries = (run: FakeRun, task: string, ...hards: readonly number[]) =>
  hards.map(
    async (hard, sample): Promise<Attempt> => ({
      ...scoredAttempt(run, task, hard, `answer ${sample} of ${task}`),
      sample,
    }),
  )

async function reflected(given: (run: FakeRun) => Promise<Attempt>[], changed: Partial<ReflectOptions> = {}) {
  const run = fakeRun(() => ({ text: patch('Round up.') }))
  const memory = { steps: [], metaSkill: undefined }
  const { whole } = reflect(
    run,
    { skill: 'skill', attempts: given(run), memory, place },
    { ...options, ...changed },
  )
  return { run, patches: (await whole).patches }
}

describe('several attempts at a task', () => {
  it('are one trajectory: the worst with the best where they differ, and one of them where they do not', async () => {
    const { run, patches } = await reflected(run => [
      ...tries(run, 'a', 1, 0),
      ...tries(run, 'b', 0, 0),
      ...tries(run, 'c', 1, 1),
    ])
    expect(patches.map(({ from, tasks }) => `${from} ${tasks.join()}`)).toEqual(['failure a,b', 'success c'])
    const failureCall = run.effects.find(({ scope }) => scope.includes('failure'))
    const successCall = run.effects.find(({ scope }) => scope.includes('success'))
    const [failures, successes] = [failureCall, successCall].map(userText)
    expect(failures).toContain(
      [
        '<trajectory number="1" type="kind" result="failed" hard="0" soft="0">',
        '[user]\nquestion of a',
        '[assistant]\nanswer 1 of a',
        '[feedback]\nfeedback on a',
        '<better_attempt result="passed" hard="1" soft="1">',
        '[assistant]\nanswer 0 of a',
        '[feedback]\nfeedback on a',
        '</better_attempt>',
        '</trajectory>',
      ].join('\n'),
    )
    expect(failures?.match(/<better_attempt /g)).toHaveLength(1)
    expect(failures).not.toContain('answer 1 of b')
    expect(successes).not.toContain('better_attempt')
    // The contrast instructions are included only if there is a contrast.
    expect(systemText(failureCall)).toContain(prompts.contrast.text)
    expect(systemText(successCall)).toBe(
      prompts['analyst-success'].text.replace('{{form}}', () => prompts['form-edits'].text),
    )
  })

  it('count as a failure if all were solved, but one much better', async () => {
    const { run, patches } = await reflected(
      run =>
        tries(run, 'a', 1, 1).map(async (attempt, index) => ({ ...(await attempt), reward: 1 - index / 2 })),
      { failureOnly: true },
    )
    expect(patches).toMatchObject([{ from: 'failure', tasks: ['a'] }])
    expect(userText(run.effects[0])).toContain('result="passed" hard="1" soft="1" reward="0.5">')
    expect(systemText(run.effects[0])).toContain(prompts.reward.text)
  })

  it('say what each took, where that is counted', async () => {
    const { run } = await reflected(run =>
      tries(run, 'a', 0, 0).map(async attempt => ({ ...(await attempt), tokens: 250, ms: 1234 })),
    )
    expect(userText(run.effects[0])).toContain('soft="0" tokens="250" seconds="1.234">')
    expect(systemText(run.effects[0])).not.toContain(prompts.reward.text)
  })
})

describe('preferences', () => {
  const preferences = 'Answer in one sentence.'
  const section = `<preferences>\n${preferences}\n</preferences>`

  it('are shown to every analyst, with instructions for applying them', async () => {
    const given = (run: FakeRun) => [...tries(run, 'a', 0, 0), ...tries(run, 'b', 1, 1)]
    const { run } = await reflected(given, { preferences })
    expect(run.effects).toHaveLength(2)
    for (const effect of run.effects) {
      expect(userText(effect)).toContain(section)
      expect(systemText(effect)).toContain(prompts.preferences.text)
    }
    const { run: without } = await reflected(given)
    for (const effect of without.effects) {
      expect(userText(effect)).not.toContain('preferences')
      expect(systemText(effect)).not.toContain(prompts.preferences.text)
    }
  })

  it('are shown to the merge', async () => {
    const merge = async (wanted: { preferences?: string }) => {
      const run = fakeRun(() => ({ text: patch('Round up.') }))
      const reflection = reflect(
        run,
        {
          skill: 'skill',
          attempts: ['a', 'b', 'c', 'd'].flatMap(task => tries(run, task, 0, 0)),
          memory: { steps: [], metaSkill: undefined },
          place,
        },
        options,
      )
      await reflection.whole
      const merging = { prompts, mergeBatchSize: 8, mode: 'patch', ...wanted } as const
      await aggregate(
        run,
        { skill: 'skill', reflections: [reflection], place: { ...place, stage: 'aggregate' } },
        merging,
      )
      return run.effects[2]
    }
    const told = await merge({ preferences })
    expect(userText(told)).toContain(section)
    expect(systemText(told)).toBe(`${prompts.merge.text}\n\n${prompts.preferences.text}`)
    expect(systemText(await merge({}))).toBe(prompts.merge.text)
  })
})
