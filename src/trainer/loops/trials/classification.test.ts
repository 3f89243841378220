import { describe, expect, it } from 'vitest'
import { worldRun, worldSetup } from '../../../../test/world.js'
import type { RecordedEdit } from '../../../core/log/event.js'
import { seedDocument } from '../../../core/skill/document.js'
import { classifyProposals, concernedByCause, doWordsFail } from './classification.js'
import { admitEdits } from './propose.js'
import { prepareTrials } from './training.js'
import { initialTrialState } from './trial-state.js'
import { createWordIndex } from './word-index.js'

const place = { stage: 'reflect', epoch: 1, step: 1 } as const
const proposal = (id: string, cause: string, tasks: readonly string[]): RecordedEdit => ({
  op: 'append',
  content: `- The rule ${id}.`,
  id,
  why: '',
  support: 1,
  from: 'failure',
  tasks: [...tasks],
  cause,
})

async function trainingWith(classify: 'never' | 'when-words-fail' | 'always') {
  const config = { train: { loop: 'trials' as const }, trials: { classify } }
  const setup = await worldSetup({ sizes: { train: 20, val: 4, test: 4 }, config })
  const { run, events } = worldRun(setup)
  const training = await prepareTrials(run, setup, seedDocument(setup.skill))
  const calls = () => events.filter(({ type }) => type === 'call.finished').length
  return { training, events, calls, state: initialTrialState(training.seed) }
}

describe('asking the optimizer which tasks causes concern', () => {
  it('is skipped with `never`', async () => {
    const { training, calls, state } = await trainingWith('never')
    const proposed = [proposal('a', 'nothing in common', training.taskIds)]
    expect((await classifyProposals(training, state, { proposed, place })).size).toBe(0)
    expect(calls()).toBe(0)
  })

  it('takes one call for all causes, and none for causes already classified', async () => {
    const { training, calls, state } = await trainingWith('always')
    const proposed = [
      proposal('a', 'Insured parcels', training.taskIds.slice(0, 2)),
      proposal('b', ' insured parcels', training.taskIds.slice(0, 2)),
      proposal('c', 'discount', training.taskIds.slice(2, 4)),
    ]
    const classified = await classifyProposals(training, state, { proposed, place })
    expect([...classified.keys()]).toEqual(['insured parcels', 'discount'])
    expect(calls()).toBe(1)
    const later = { ...place, step: 2 }
    const again = await classifyProposals(training, { ...state, classified }, { proposed, place: later })
    expect(again.size).toBe(0)
    expect(calls()).toBe(1)
  })

  it.each([
    ['happens', 'share no word with their causes', 'nothing in common', 1],
    ['is left out', 'share words with their causes', 'weighs', 0],
  ])('%s with `when-words-fail` where the tasks behind proposals %s', async (_, __, cause, expected) => {
    const { training, calls, state } = await trainingWith('when-words-fail')
    const weighed = training.texts.filter(({ text }) => /\bweigh(s|ing)?\b/.test(text)).map(({ id }) => id)
    expect(weighed.length).toBeGreaterThan(2)
    await classifyProposals(training, state, { proposed: [proposal('a', cause, weighed)], place })
    expect(calls()).toBe(expected)
  })

  it('decides which tasks the edits of a cause are tried on, now and later', async () => {
    const { training, state } = await trainingWith('always')
    const [first = '', second = '', third = ''] = training.taskIds
    const concerned = new Map([['vague', new Set([first, third])]])
    const joined = await admitEdits(training, state, {
      proposed: [proposal('a', 'Vague', [first])],
      concerned,
      round: 2,
    })
    const proposed = [{ ...proposal('later', 'vague', [first]), content: '- Something else altogether.' }]
    const after = await admitEdits(training, joined, { proposed, round: 3 })
    expect(after.pool.edits.map(one => [...one.concerned])).toEqual([
      [first, third],
      [first, third],
    ])
    expect(after.pool.edits[0]?.concerned.has(second)).toBe(false)
  })
})

it('reads a recorded classification by cause', () => {
  const causes = [
    { cause: 'Units ', all: false, tasks: ['a'] },
    { cause: 'dates', all: true, tasks: [] },
  ]
  expect([...concernedByCause({ causes }, [{ id: 'a' }, { id: 'b' }])]).toEqual([
    ['units', new Set(['a'])],
    ['dates', new Set(['a', 'b'])],
  ])
})

describe('words', () => {
  const tasks = Array.from({ length: 12 }, (_, index) => ({
    id: `${index}`,
    type: '',
    text: index < 6 ? 'A note about an invoice.' : 'A note about a bill.',
  }))
  const words = createWordIndex(tasks)
  const edits = (found: number, missed: number) => [
    proposal(
      'a',
      'invoice',
      tasks.slice(6 - found, 6 + missed).map(({ id }) => id),
    ),
  ]

  it.each([
    [6, 0, false],
    [6, 2, false],
    [3, 1, false],
    [1, 1, true],
    [0, 1, true],
    [4, 6, true],
  ])('that find %i known tasks and miss %i fail: %s', (found, missed, expected) => {
    expect(doWordsFail(words, edits(found, missed))).toBe(expected)
  })

  it('are not matched if the optimizer declares an edit for all tasks', () => {
    const missed = edits(0, 6)[0]
    if (missed === undefined) throw new Error('There is no edit.')
    expect(doWordsFail(words, [missed])).toBe(true)
    expect(doWordsFail(words, [{ ...missed, condition: 'All tasks' }])).toBe(false)
  })

  it('count once for all remedies of a cause', () => {
    const missed = proposal('b', 'invoice', ['11'])
    const others = ['c', 'd', 'e'].map(id => ({ ...missed, id }))
    expect(doWordsFail(words, [...edits(6, 0), missed, ...others])).toBe(false)
  })
})
