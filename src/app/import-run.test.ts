import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { InputError } from '../core/errors/errors.js'
import { parseEvent } from '../core/log/event.js'
import { lineOrigins, type Span } from '../core/skill/document.js'
import { skillHash } from '../core/skill/skill.js'
import { readRun } from '../store/read-run.js'
import { importRun } from './import-run.js'

/**
 * A training run of the Python SkillOpt as stored on disk; the tests import it complete, incomplete and
 * damaged.
 */

const fixture = fileURLToPath(new URL('../../test/fixtures/reference-run', import.meta.url))

let cwd: string
let theirs: string

beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'skillopt-import-'))
  theirs = join(cwd, 'units')
  await cp(fixture, theirs, { recursive: true })
})
afterEach(() => rm(cwd, { recursive: true, force: true, maxRetries: 5 }))

const bring = (name?: string) => importRun({ from: 'units', name, cwd })
const without = (...names: readonly string[]) =>
  Promise.all(names.map(name => rm(join(theirs, name), { recursive: true })))
const textOf = (name: string) => readFile(join(theirs, name), 'utf8')

async function change(name: string, edit: (data: Record<string, unknown>[]) => unknown): Promise<void> {
  const data = JSON.parse(await textOf(name)) as Record<string, unknown>[]
  await writeFile(join(theirs, name), JSON.stringify(edit(data) ?? data))
}

async function refusal(): Promise<string> {
  const error = await bring().then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  expect(error).toBeInstanceOf(InputError)
  return (error as InputError).message
}

async function eventsOf(directory: string) {
  const events = []
  for await (const event of (await readRun(directory)).events()) events.push(event)
  return events
}

describe('a whole run', () => {
  it('becomes a log of valid events', async () => {
    const { directory, notes } = await bring()
    const events = await eventsOf(directory)
    for (const event of events) expect(event).toMatchObject(parseEvent(JSON.parse(JSON.stringify(event))))
    expect(events.filter(({ type }) => type === 'attempt.finished')).toHaveLength(4 + 4 * 2 + 3 * 4 + 3 * 5)
    expect(notes).toEqual([])
  })

  it('records that it was imported, from where, and which program made it', async () => {
    const { view, directory } = await bring()
    expect(directory).toBe(join(cwd, 'runs', 'units'))
    expect(view).toMatchObject({
      run: 'units',
      kind: 'train',
      importedFrom: 'units',
      product: 'the Python SkillOpt (skillopt-0.1.0)',
      outcome: 'finished',
      simulated: false,
      epochs: 2,
      stepsPerEpoch: 2,
      sessions: 0,
      tasks: { train: 4, val: 4, test: 5 },
    })
    // The durations are on record: 60 seconds in total, and one for each step.
    expect(view.activeMs).toBe(60_000)
    expect(view.steps.map(({ activeFrom, activeTo = 0 }) => activeTo - activeFrom)).toEqual([
      12_500, 11_000, 3_000, 10_500,
    ])
  })

  it('has its steps, with what was proposed, selected, applied and decided', async () => {
    const { view } = await bring()
    expect(view.steps.map(({ step, epoch, outcome, budget }) => [step, epoch, outcome, budget])).toEqual([
      [1, 1, 'accepted', 2],
      [2, 1, 'rejected', 2],
      [3, 2, 'no-edits', undefined],
      [4, 2, 'accepted', 1],
    ])
    const [first, second, third, fourth] = view.steps
    expect(first).toMatchObject({
      rollout: { hard: 0.5, soft: 0.75, scored: 2, failed: 0 },
      proposed: { patches: 2, failure: 2, success: 1 },
      evaluation: { hard: 0.5, scored: 4 },
      gate: { action: 'accept_new_best', current: 0.25, score: 0.5, best: 0.5 },
    })
    expect(first?.edits.map(({ id, fate, support, from }) => [id, fate, support, from])).toEqual([
      ['1.0', 'applied', 2, 'failure'],
      ['1.1', 'applied', 1, 'success'],
      ['1.2', 'dropped', 1, 'failure'],
    ])
    expect(second?.edits.map(({ fate, reason }) => [fate, reason])).toEqual([
      ['applied', 'Its anchor was not in the skill; it was appended.'],
      ['unmatched', 'The target is not in the skill.'],
    ])
    expect(third).toMatchObject({ candidate: undefined, gate: undefined, edits: [] })
    expect(fourth?.edits).toMatchObject([{ support: 0, from: 'unknown', fate: 'applied', why: '' }])
  })

  it('scores only texts that were evaluated, not forced ones', async () => {
    const { view } = await bring()
    expect(view.versions.map(({ version, score, because }) => [version, score, because])).toEqual([
      [0, 0.25, 'the seed skill'],
      [1, 0.5, 'step 1: accepted'],
      [2, undefined, 'slow update of epoch 1: placed'],
      [3, undefined, 'step 3: no-edits'],
      [4, undefined, 'slow update of epoch 2: forced'],
    ])
    expect(view.best).toMatchObject({
      version: 4,
      score: 0.75,
      skill: skillHash(await textOf('best_skill.md')),
    })
    expect(view.baseline).toMatchObject({ hard: 0.25, scored: 4 })
    expect(view.series.validation.map(({ value }) => value)).toEqual([0.25, 0.5, 0.25, 0.75])
  })

  it('traces every line of the best skill to the edit that brought it', async () => {
    const { view, directory } = await bring()
    const reader = await readRun(directory)
    const text = await reader.get(view.best?.text ?? '')
    const origins = JSON.parse(await reader.get(view.best?.origins ?? '')) as Span[]
    const lines = lineOrigins({ text, origins }).filter(({ line }) => line !== '')
    expect(lines.map(({ line, origins: from }) => [line, from.join()])).toEqual([
      ['# Converting units', 'seed'],
      ['Answer the question with one number.', '1.1'],
      ['- Name the unit behind the number.', '1.0'],
      ['- Round to two decimals.', '4.0'],
      ['<!-- SLOW_UPDATE_START -->', 'slow-update:1'],
      ['<!-- SLOW_UPDATE_END -->', 'slow-update:1'],
    ])
  })

  it('has the ends of its epochs and its tests, by type too', async () => {
    const { view } = await bring()
    expect(view.epochEnds).toMatchObject([
      { epoch: 1, slowUpdate: { outcome: 'placed' }, metaSkill: undefined },
      {
        epoch: 2,
        slowUpdate: {
          outcome: 'forced',
          guidance: 'Keep the unit when you round.',
          pairs: { improved: 1, regressed: 1, persistent: 1, stable: 1 },
        },
        metaSkill: { content: 'Prefer one short rule per edit.' },
      },
    ])
    expect(view.tests.map(({ which, score, scored }) => [which, score, scored])).toEqual([
      ['initial', 0.4, 5],
      ['best', 0.8, 5],
      ['last', 0.6, 5],
    ])
    expect(view.tests[1]?.types.map(({ type, scored, hard }) => [type, scored, hard])).toEqual([
      ['length', 3, 1],
      ['weight', 2, 0.5],
    ])
  })

  it('has its token usage without a price; calls without tokens are unknown', async () => {
    const { spending } = (await bring()).view
    expect(spending.total).toMatchObject({ calls: 57, unknownCost: 57, cost: 0, unknownUsage: 1 })
    expect(spending.roles.target).toMatchObject({ calls: 47, input: 4700, output: 470 })
    expect(spending.stages['slow-update']).toMatchObject({ calls: 1, input: 300, output: 50 })
    expect(Object.keys(spending.stages)).toEqual(
      expect.arrayContaining(['rollout', 'reflect', 'aggregate', 'select', 'meta-skill']),
    )
  })

  it('has its settings under their own names, without anything secret', async () => {
    await change('config.json', data => ({ ...data, azure_openai_api_key: 'sk-secret', made_up: 7 }))
    const { view, directory } = await bring()
    expect(view.config).toMatchObject({
      train: { num_epochs: 2, batch_size: 2 },
      optimizer: { learning_rate: 2 },
      env: { name: 'searchqa', made_up: 7 },
      model: { optimizer: 'gpt-5.5' },
    })
    expect(view.sources).toMatchObject({ 'train.num_epochs': 'imported' })
    expect(await readFile(join(directory, 'events.jsonl'), 'utf8')).not.toContain('sk-secret')
  })

  it('keeps conversations, and leaves the folder that it came from as it was', async () => {
    const before = await readdir(theirs, { recursive: true })
    const { directory } = await bring()
    const events = await eventsOf(directory)
    const attempt = events.find(event => event.type === 'attempt.finished' && event.body.task === 't1')
    expect(attempt).toMatchObject({
      body: {
        stage: 'rollout',
        step: 1,
        type: 'length',
        messages: [{ role: 'system' }, { role: 'user' }, { role: 'assistant' }],
        outcome: { status: 'scored', stop: 'unknown', score: { feedback: 'the number is another one' } },
      },
    })
    expect(await readdir(theirs, { recursive: true })).toEqual(before)
  })
})

describe('an incomplete run', () => {
  it('keeps means from records alone; tasks and texts are unknown', async () => {
    await without('steps', 'selection_eval_baseline', 'slow_update', 'meta_skill', 'runtime_state.json')
    for (const name of ['test_eval', 'test_eval_baseline', 'test_eval_final'])
      await rm(join(theirs, name, 'results.jsonl'))
    const { view } = await bring()
    expect(view.tasks).toEqual({ train: 4, val: 0, test: 0 })
    expect(view.baseline).toBeUndefined()
    expect(view.steps.map(({ outcome }) => outcome)).toEqual(['accepted', 'rejected', 'no-edits', 'accepted'])
    expect(view.steps[0]).toMatchObject({
      gate: { current: 0.25, score: 0.5 },
      evaluation: undefined,
      edits: [],
    })
    expect(view.steps[0]?.candidate?.skill).toBe(skillHash(await textOf('skills/skill_v0001.md')))
    // The candidate of step 2 was rejected and its file is gone, so its text is unknown.
    expect(view.steps[1]?.candidate).toBeUndefined()
    expect(view.tests.map(({ which, score, scored }) => [which, score, scored])).toEqual([
      ['initial', 0.4, 5],
      ['best', 0.8, 5],
      ['last', 0.6, 5],
    ])
    expect(view.tests[0]?.types).toMatchObject([{ type: 'length', scored: 3 }, { type: 'weight' }])
    expect(view.best).toMatchObject({ version: 4, score: 0.75 })
    expect(view.attempts.scored).toBe(0)
  })

  it('leaves the test out, with a note, if the number of test tasks is missing', async () => {
    await without('test_eval', 'test_eval_baseline', 'test_eval_final')
    const { view, notes } = await bring()
    expect(view.tests).toEqual([])
    expect(notes).toContain(
      'The test of the best skill is left out: test_eval has neither its results nor their count.',
    )
  })

  it('becomes a stopped run if it had not finished', async () => {
    await without('summary.json', 'test_eval', 'test_eval_baseline', 'test_eval_final')
    const { view } = await bring()
    expect(view).toMatchObject({
      outcome: 'interrupted',
      product: 'the Python SkillOpt',
      activeMs: 37_000,
      stopped: { message: 'It had not finished when it was imported.' },
    })
    expect(view.best?.version).toBe(4)
  })

  it('falls back to the config of the summary, then to the steps', async () => {
    await without('config.json')
    expect((await bring('a')).view.config).toMatchObject({ train: { num_epochs: 2 } })
    await without('summary.json')
    const { view } = await bring('b')
    expect(view).toMatchObject({ config: {}, epochs: 2, stepsPerEpoch: 2, tasks: { train: 0 } })
  })

  it('keeps all rounds of a step', async () => {
    const step = join(theirs, 'steps/step_0001')
    for (const round of ['batch_0', 'batch_1']) {
      await cp(join(step, 'rollout'), join(step, round, 'rollout'), { recursive: true })
      await cp(join(step, 'patches'), join(step, round, 'patches'), { recursive: true })
    }
    await without('steps/step_0001/rollout', 'steps/step_0001/patches')
    await change('history.json', history => {
      Object.assign(history[0] ?? {}, {
        accumulation_batches: [
          { n_envs: 2, hard: 0.5, soft: 0.75 },
          { n_envs: 2, hard: 1, soft: 1 },
        ],
      })
    })
    const [step1] = (await bring()).view.steps
    expect(step1).toMatchObject({
      taskCount: 4,
      rollout: { hard: 0.75, scored: 4 },
      proposed: { patches: 4 },
    })
  })

  it('has no score for a text whose notes were added without evaluation', async () => {
    const noted = `${await textOf('skills/skill_v0001.md')}\nMind the sign.\n`
    await writeFile(join(theirs, 'skills/skill_v0001.md'), noted)
    const { view } = await bring()
    expect(view.versions[1]).toMatchObject({ skill: skillHash(noted) })
    expect(view.versions[1]?.score).toBeUndefined()
  })

  it('shows rewrites as rewrites', async () => {
    await writeFile(
      join(theirs, 'steps/step_0004/rewrite_result.json'),
      JSON.stringify({ new_skill: '# Anew\n', change_summary: ['Shorter.', 'Clearer.'] }),
    )
    await writeFile(
      join(theirs, 'steps/step_0004/ranked_edits.json'),
      JSON.stringify({ suggestions: [{ title: 'Round', instruction: 'Round to two decimals.' }] }),
    )
    const step = (await bring()).view.steps[3]
    expect(step?.edits).toMatchObject([
      { op: 'rewrite', title: 'Shorter. Clearer.', fate: 'applied' },
      { op: 'suggest', title: 'Round', fate: 'selected' },
      { op: 'append', fate: 'dropped' },
    ])
  })

  it('accepts an odd conversation, a score of true and a missing soft score', async () => {
    await writeFile(
      join(theirs, 'steps/step_0001/rollout/results.jsonl'),
      '{"id": 7, "hard": true}\n\n{"id": "../t2", "hard": 0, "soft": NaN}\n',
    )
    await writeFile(join(theirs, 'steps/step_0001/rollout/predictions/t1/conversation.json'), '[{"step": 1}]')
    const events = await eventsOf((await bring()).directory)
    const tried = events.flatMap(event =>
      event.type === 'attempt.finished' && event.body.stage === 'rollout' && event.body.step === 1
        ? [[event.body.task, event.body.messages.length, event.body.outcome]]
        : [],
    )
    expect(tried).toEqual([
      ['7', 0, { status: 'scored', stop: 'unknown', score: { hard: 1, soft: 1, feedback: '' } }],
      ['../t2', 0, { status: 'scored', stop: 'unknown', score: { hard: 0, soft: 0, feedback: '' } }],
    ])
  })
})

describe('refuses anything that is not a reference run', () => {
  it.each([
    ['a folder that is not there', ['.'], 'the folder does not exist or is empty'],
    ['a folder without a history', ['history.json'], 'it has no history.json'],
    [
      'a run without the skill that it began with',
      ['skills/skill_v0000.md'],
      'it has no skills/skill_v0000.md, the initial skill',
    ],
  ])('%s', async (_what, gone, sentence) => {
    await without(...gone)
    expect(await refusal()).toBe(`${theirs} is not a run of the Python SkillOpt: ${sentence}.`)
  })

  it('a run of this program, an evaluation, a file', async () => {
    await writeFile(join(theirs, 'events.jsonl'), '')
    expect(await refusal()).toContain('it is already a skillopt run')
    await without('events.jsonl', 'history.json')
    await writeFile(join(theirs, 'eval_summary.json'), '{}')
    expect(await refusal()).toContain('it is an evaluation without training')
  })

  it.each([
    ['history.json', '[{"step": 1,', 'history.json is not valid JSON'],
    ['history.json', '{}', "history.json is not in the Python SkillOpt's format"],
    ['history.json', '[{"step": 1, "epoch": 1}]', '0.action: '],
    [
      'summary.json',
      '{"test_hard": "high"}',
      "summary.json is not in the Python SkillOpt's format: test_hard: ",
    ],
    ['steps/step_0002/merged_patch.json', 'oops', 'merged_patch.json is not valid JSON'],
    ['test_eval/results.jsonl', '{"id": "a", "hard": 1}\n{"id": "b"}\n', 'results.jsonl, line 2 is not in'],
  ])('a broken %s: %s', async (name, text, sentence) => {
    await writeFile(join(theirs, name), text)
    expect(await refusal()).toContain(sentence)
    // A partial import would pass for a complete run.
    expect(await readdir(join(cwd, 'runs')).catch(() => [])).toEqual([])
  })

  it('an unknown action, and steps out of order', async () => {
    await change('history.json', history => void Object.assign(history[1] ?? {}, { action: 'ponder' }))
    expect(await refusal()).toContain('step 2 has the unknown action "ponder"')
    await change('history.json', history => [...history].reverse())
    expect(await refusal()).toContain('step 3 comes after step 4')
  })

  it('a name that is taken or cannot be one', async () => {
    await bring()
    await expect(bring()).rejects.toThrow('runs/units already exists.')
    await expect(bring('../elsewhere')).rejects.toThrow('Invalid run name "../elsewhere".')
    expect((await bring('other')).view.run).toBe('other')
  })
})
