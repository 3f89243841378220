import { describe, expect, it } from 'vitest'
import { fakeRun, userText } from '../../../test/fake-run.js'
import { PausedError, WorldFailure } from '../../core/errors/errors.js'
import type { RecordedEdit } from '../../core/log/event.js'
import { classifyTasks } from './classify.js'
import { loadPrompts } from './prompts.js'

const prompts = await loadPrompts()
const place = { stage: 'reflect', epoch: 1, step: 3 } as const
const edit = (cause: string, tasks: string[] = []): RecordedEdit => ({
  op: 'append',
  content: `- A remedy for ${cause}.`,
  id: cause,
  why: '',
  support: 1,
  from: 'failure',
  tasks,
  cause,
  condition: `tasks with ${cause}`,
})
const edits = [edit('units'), edit('dates')]
const tasksOf = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    id: `t${index + 1}`,
    text: `Question\nnumber ${index + 1}.`,
  }))
const answering = (reply: object | string) =>
  fakeRun(() => ({ text: typeof reply === 'string' ? reply : JSON.stringify(reply) }))

describe('the optimizer classifies tasks', () => {
  it('for all causes in one call, by numbers, and once only', async () => {
    const reply = {
      concerned: [
        { cause: 1, all_tasks: false, tasks: [3, 1, 3, 0, 77] },
        { cause: 2, all_tasks: true, tasks: [] },
        { cause: 9, tasks: [1] },
      ],
    }
    const run = answering(reply)
    const expected = {
      epoch: 1,
      step: 3,
      shown: 3,
      causes: [
        { cause: 'units', all: false, tasks: ['t3', 't1'] },
        { cause: 'dates', all: true, tasks: [] },
      ],
      failed: 0,
    }
    const options = { edits, tasks: tasksOf(3), prompts }
    expect(await classifyTasks(run, options, place)).toEqual(expected)
    expect(await classifyTasks(run, options, place)).toEqual(expected)
    expect(run.effects).toMatchObject([{ role: 'optimizer', scope: 'step 3' }])
    expect(userText(run.effects[0])).toBe(
      [
        '<tasks>\n[1] Question number 1.\n[2] Question number 2.\n[3] Question number 3.\n</tasks>',
        '<causes>',
        '[1] {"cause":"units","applies_to":"tasks with units","remedy":"- A remedy for units."}',
        '[2] {"cause":"dates","applies_to":"tasks with dates","remedy":"- A remedy for dates."}\n</causes>',
      ]
        .join('\n')
        .replace('</tasks>\n', '</tasks>\n\n'),
    )
  })

  it('in a message of bounded length, with the tasks behind the edits in it', async () => {
    const run = answering({ concerned: [] })
    const tasks = tasksOf(900).map(({ id }) => ({ id, text: `${id} ${'long '.repeat(500)}` }))
    const body = await classifyTasks(run, { edits: [edit('units', ['t899'])], tasks, prompts }, place)
    expect(body.shown).toBe(200)
    const shown = userText(run.effects[0])
    expect(shown.length).toBeLessThan(52_000)
    expect(shown).toContain('] t899 ')
    // An even selection includes tasks from the whole range.
    expect(shown.match(/\] t\d+ /g)?.filter(id => id.length === 7).length).toBeGreaterThan(150)
  })

  it.each(['no JSON', { concerned: 'all' }, {}])('to no effect if the reply is %j', async reply => {
    const run = answering(reply)
    const body = await classifyTasks(run, { edits, tasks: tasksOf(2), prompts }, place)
    expect(body).toMatchObject({ causes: [], failed: 1 })
    expect(run.emitted).toMatchObject([{ type: 'optimizer.failed' }])
  })

  it('pauses the run if it cannot be reached', async () => {
    const run = fakeRun(() => {
      throw new WorldFailure('transport', 'no route', { retryable: false })
    })
    const asked = classifyTasks(run, { edits, tasks: tasksOf(2), prompts }, place)
    await expect(asked).rejects.toThrow(PausedError)
  })
})
