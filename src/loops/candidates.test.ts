import { describe, expect, it } from 'vitest'
import { fakeRun } from '../../test/fake-run.js'
import { seedDocument } from '../core/document.js'
import type { RecordedEdit } from '../core/event.js'
import type { ComposeOptions } from '../stages/compose.js'
import { loadPrompts } from '../stages/prompts.js'
import { composeAll, editGroups } from './candidates.js'

const prompts = await loadPrompts()
const place = { stage: 'update', epoch: 1, step: 3 } as const
const origin = { why: 'because', support: 1, from: 'failure' as const, tasks: ['t'] }
const edit = (id: string): RecordedEdit => ({ op: 'append', id, content: `- ${id}`, ...origin })
const merged = ['a', 'b', 'c', 'd', 'e', 'f'].map(edit)

describe('groups of edits', () => {
  const groups = (selected: string, dropped: string, budget: number, most: number) =>
    editGroups(
      merged,
      {
        ...{ epoch: 1, step: 3, budget, failed: 0 },
        edits: merged.filter(({ id }) => selected.includes(id)),
        dropped: [...dropped],
      },
      most,
    ).map(group => group.map(({ id }) => id).join(''))

  it('are what was selected, then what follows in the ranking, as much as the budget each', () => {
    expect(groups('ab', 'fdec', 2, 3)).toEqual(['ab', 'fd', 'ec'])
    expect(groups('ab', 'fde', 2, 4)).toEqual(['ab', 'fd', 'e'])
    expect(groups('abc', 'fde', 4, 4)).toEqual(['abc', 'fde'])
  })

  it('are no more than asked for, and one where nothing was left over', () => {
    expect(groups('a', 'bcdef', 1, 1)).toEqual(['a'])
    expect(groups('a', 'bcdef', 1, 3)).toEqual(['a', 'b', 'c'])
    expect(groups('abcdef', '', 6, 4)).toEqual(['abcdef'])
    expect(groups('', '', 4, 4)).toEqual([''])
  })
})

describe('candidates', () => {
  const current = seedDocument('# A\n\n- one\n')
  const options = (mode: ComposeOptions['mode']) => ({
    ...{ prompts, mode, skillAware: { notes: 12 }, limit: undefined },
  })
  const reminder: RecordedEdit = { op: 'remind', id: 'n', content: 'Mind the units.', ...origin }

  it('all begin with the current skill; reminders go with the first', async () => {
    const run = fakeRun(() => ({}))
    const groups = [[edit('a')], [edit('b'), edit('c')]]
    const made = await composeAll(run, current, groups, [reminder], undefined, options('patch'), place)
    const [first, second] = made.map(({ update }) => update.document.text)
    expect(made.map(({ number, edits }) => `${number} ${edits.map(({ id }) => id).join('')}`)).toEqual([
      '1 an',
      '2 bc',
    ])
    expect(first).toContain('- a')
    expect(first).toContain('Mind the units.')
    expect(second).toBe('# A\n\n- one\n\n- b\n\n- c\n')
    expect(made[1]?.update.applied.map(({ id }) => id)).toEqual(['b', 'c'])
  })

  it('are each rewritten on their own, the first under the name that it has without others', async () => {
    const run = fakeRun(effect => {
      const number = effect.scope.includes('candidate 2') ? 'two' : 'one'
      return { text: JSON.stringify({ new_skill: `# ${number}\n`, change_summary: [number] }) }
    })
    const suggest = (id: string): RecordedEdit => ({ op: 'suggest', id, title: id, content: id, ...origin })
    const groups = [[suggest('x')], [suggest('y')]]
    const made = await composeAll(
      run,
      current,
      groups,
      [],
      undefined,
      options('rewrite_from_suggestions'),
      place,
    )
    expect(run.effects.map(({ scope }) => scope)).toEqual(['step 3 rewrite', 'step 3 candidate 2 rewrite'])
    expect(made.map(({ update }) => update.document.text)).toEqual(['# one\n', '# two\n'])
    expect(made.map(({ update }) => update.applied[0]?.id)).toEqual(['s3.rewrite', 's3.rewrite2'])
    const again = await run.once('rewrite.finished', 'step 3 candidate 2', async () => ({
      ...{ epoch: 0, step: 0, failed: 9 },
    }))
    expect(again).toMatchObject({ candidate: 2, failed: 0 })
  })
})
