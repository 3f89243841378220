import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type NightStep, nightLog, recorded } from '../../../test/support/night-log.js'
import { worldRun, worldSetup } from '../../../test/world.js'
import type { ConfigInput } from '../../core/config/config.js'
import type { RecordedEdit } from '../../core/log/event.js'
import { train } from '../../trainer/loops/steps.js'
import { editRegion, tidyRegion } from '../model/proposal.js'
import { changesOf, lostEdits } from './changes.js'
import { gives, numbered } from './piece-edits.js'
import { proposedEdits } from './proposed-edits.js'
import { learnedVersion, trainingLog } from './training-log.js'

const region = '- Old rule.\n\n- Kept rule.'

async function editsOf(steps: readonly NightStep[], before = region) {
  const log = await nightLog(before, steps)
  const edits = proposedEdits(before, changesOf(log))
  expect(gives(before, edits, learnedVersion(log)?.text ?? '')).toBe(true)
  return edits
}

describe('the edits of a proposal', () => {
  it('are the optimizer’s own if they give the learned text', async () => {
    const edits = await editsOf([
      {
        edits: [recorded('1'), recorded('2', { op: 'replace', target: 'old  RULE.', content: 'New rule.' })],
        accept: true,
      },
      { edits: [recorded('3')], accept: false },
      { edits: [recorded('4', { op: 'delete', target: '- Kept rule.' })], accept: true },
    ])
    // The gate judged two edits together and one alone.
    const [together, alone] = [
      { before: 0.01, after: 0, edits: 2 },
      { before: 0.02, after: 0, edits: 1 },
    ]
    expect(edits).toEqual([
      {
        gate: together,
        op: 'append',
        content: '- Rule 1.',
        why: 'It failed.',
        tasks: ['greet.1'],
      },
      {
        op: 'replace',
        anchor: 'old  RULE.',
        content: 'New rule.',
        gate: together,
        why: 'It failed.',
        tasks: ['greet.1'],
      },
      {
        op: 'delete',
        anchor: '- Kept rule.',
        content: '',
        gate: alone,
        why: 'It failed.',
        tasks: ['greet.1'],
      },
    ])
  })

  it('split a rewrite into pieces, each with its reason', async () => {
    const content = '- Old rule.\n\n- Between.\n\n- Kept rule, better.\n\n- At the end.'
    const rewrite = recorded('r', {
      op: 'rewrite',
      content,
      summary: '',
      why: 'All of it.',
    } as Partial<RecordedEdit>)
    const edits = await editsOf([{ edits: [rewrite], accept: true }])
    expect(edits).toHaveLength(3)
    for (const edit of edits) expect(edit).toMatchObject({ why: 'All of it.', tasks: ['greet.1'] })
  })

  it('include guidance as one edit, added and replaced as a whole', async () => {
    const edits = await editsOf([
      { edits: [recorded('1')], accept: true },
      { guidance: 'Be brief.', outcome: 'accepted' },
      { edits: [recorded('2')], accept: true },
      { guidance: 'Be brief:\n\n- always', outcome: 'accepted' },
    ])
    expect(edits.map(({ op, why }) => [op, why])).toEqual([
      ['append', 'It failed.'],
      ['append', 'It lasts.'],
      ['append', 'It failed.'],
      ['replace', 'It lasts.'],
    ])
  })

  it('create the first text of an empty region', async () => {
    const edits = await editsOf([{ edits: [recorded('1')], accept: true }], '')
    expect(editRegion('', numbered(edits)).text).toBe('- Rule 1.')
  })

  it('are empty if nothing was learned, and all edits are lost', async () => {
    const log = await nightLog(region, [
      {
        edits: [recorded('1'), recorded('2', { op: 'delete', target: 'Nowhere.' })],
        accept: false,
        reason: 'Worse.',
      },
      { guidance: 'Be rude.', outcome: 'rejected' },
    ])
    expect(proposedEdits(region, changesOf(log))).toEqual([])
    expect(lostEdits(log).map(({ edit, status, reason }) => [edit.id, status, reason])).toEqual([
      ['1', 'rejected', 'Worse.'],
      ['2', 'unmatched', 'The target is not in the skill.'],
      ['slow-update:2', 'rejected', 'Why not.'],
    ])
  })
})

describe('whatever the optimizer does', () => {
  const words = fc.constantFrom('Old rule.', '- Kept rule.', 'Rule', '- Rule 1.', 'nowhere', 'old  rule')
  const contents = fc.constantFrom(
    '- One.',
    '- Two:\n\n  ```\n  x\n  ```',
    'Text\nof two.',
    '# H',
    '',
    '- Old rule.',
  )
  const edit = fc.oneof(
    fc.record({ op: fc.constant('append'), content: contents }),
    fc.record({ op: fc.constantFrom('insert_after', 'replace'), target: words, content: contents }),
    fc.record({ op: fc.constant('delete'), target: words }),
    fc.record({ op: fc.constant('rewrite'), content: contents, summary: fc.constant('') }),
    fc.record({ op: fc.constant('remind'), content: contents }),
  )
  const step = fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({ edits: fc.array(edit, { minLength: 1, maxLength: 4 }), accept: fc.boolean() }),
    },
    fc.record({
      guidance: fc.constantFrom('Be brief.', 'Be kind:\n\n- to all'),
      outcome: fc.constantFrom('accepted', 'rejected'),
    }),
  )
  const nights = fc.array(step, { maxLength: 4 }).map(
    steps =>
      steps.map((one, index) =>
        'edits' in one
          ? {
              ...one,
              edits: one.edits.map((each, at) => recorded(`${index}.${at}`, each as Partial<RecordedEdit>)),
            }
          : one,
      ) as NightStep[],
  )

  it('the edits give the learned text, and any subset is applied or refused with a reason', async () => {
    await fc.assert(
      fc.asyncProperty(
        nights,
        fc.array(fc.boolean(), { minLength: 30, maxLength: 30 }),
        async (steps, picks) => {
          const log = await nightLog(region, steps)
          const wanted = tidyRegion(learnedVersion(log)?.text ?? '')
          const edits = proposedEdits(region, changesOf(log))
          expect(gives(region, edits, wanted)).toBe(true)
          const chosen = numbered(edits).filter((_, index) => picks[index])
          for (const { status, reason } of editRegion(region, chosen).reports)
            if (status !== 'applied') expect(reason).not.toBe('')
        },
      ),
      { numRuns: 150 },
    )
  })
})

describe('a real training', () => {
  const configs: [string, Omit<ConfigInput, 'models' | 'environment'>][] = [
    ['by edits', {}],
    [
      'with an appendix',
      { reflect: { minibatchSize: 5, skillAware: { enabled: true, successes: true, notes: 2 } } },
    ],
    ['by rewrites', { optimizer: { mode: 'rewrite_from_suggestions' } }],
  ]
  it.each(configs)('%s: its edits make what it learned', async (_, config) => {
    const setup = { ...(await worldSetup({ config, sizes: { train: 20, val: 15, test: 1 } })), skill: region }
    const { run, store } = worldRun(setup)
    const state = await train(run, setup)
    const log = await trainingLog('/run', store)
    const learned = learnedVersion(log)
    expect(learned?.text).toBe(state.best.document.text)
    expect(learned?.text).not.toBe(region)
    const edits = proposedEdits(region, changesOf(log))
    expect(gives(region, edits, learned?.text ?? '')).toBe(true)
    // Guidance from a slow update concerns the whole epoch, so it has no tasks.
    const guidance = log.slowUpdates.map(({ reasoning }) => reasoning)
    for (const { tasks, why } of edits) if (!guidance.includes(why)) expect(tasks).not.toEqual([])
  })
})
