import { describe, expect, it } from 'vitest'
import { fakeRun, userText } from '../../../test/fake-run.js'
import { sleepTask } from '../../../test/support/sleep-book.js'
import { worldSetup } from '../../../test/world.js'
import { loadPrompts } from '../../trainer/stages/prompts.js'
import { splitProblems } from '../model/sleep-splits.js'
import { dreamTasks, forecastDreams } from './dream-tasks.js'

const prompts = await loadPrompts()
const rubric = ['It is done.']
const notes = sleepTask('notes', { rubric, examples: [{ text: 'write the notes for 1.2' }] })
const broken = sleepTask('broken', { rubric, examples: [{ text: 'mend what is broken' }] })
const recalled = sleepTask('letters', { rubric, origin: 'recalled', examples: [{ text: 'a letter to ada' }] })
const bare = sleepTask('bare', { examples: [{ text: 'do something' }] })
const measuring = sleepTask('measuring', { rubric, split: 'val', examples: [{ text: 'measure it' }] })
const earlier = sleepTask('notes-dream-1', { rubric, origin: 'dream', derivedFrom: 'notes', family: 'notes' })
const tasks = [notes, broken, recalled, bare, measuring, earlier]

const guard = { key: 'k', problems: async () => [] }
const options = { prompts, variants: 2, guard, lanes: 2, writtenBy: 'openai/gpt-5.4' }
const optimizer = () =>
  fakeRun(effect => {
    if (userText(effect).includes('broken')) return { text: 'no' }
    const [, text] = /\[begin requests \w+\]\n"(.*)"/.exec(userText(effect)) ?? []
    return { text: JSON.stringify({ variants: [`${text}, anew`, '', `${text}, once more`] }) }
  })

describe('dreamTasks', () => {
  it('derives train tasks from train tasks only', async () => {
    const run = optimizer()
    const { tasks: made, dreamed } = await dreamTasks(run, tasks, options)
    expect(made.map(({ id, intent, derivedFrom }) => [id, intent, derivedFrom])).toEqual([
      ['notes-dream-1', 'write the notes for 1.2, anew', 'notes'],
      ['notes-dream-2', 'write the notes for 1.2, once more', 'notes'],
      ['letters-dream-1', 'a letter to ada, anew', 'letters'],
      ['letters-dream-2', 'a letter to ada, once more', 'letters'],
    ])
    expect(
      splitProblems(
        [notes, broken, recalled, bare, measuring, ...made].filter(({ origin }) => origin !== 'recalled'),
      ),
    ).toEqual([])
    expect(made.every(({ writtenBy, reviewed }) => writtenBy === 'openai/gpt-5.4' && !reviewed)).toBe(true)
    expect(dreamed.map(({ status, task }) => [status, task])).toEqual([
      ['written', 'notes'],
      ['failed', 'broken'],
      ['written', 'letters'],
      ['skipped', 'bare'],
    ])
    expect(run.effects.map(userText).join('\n')).not.toContain('measure')
    expect(run.emitted.map(({ type, body }) => [type, body])).toEqual([
      ['stage.started', { stage: 'dream', epoch: 0, step: 0, total: 4 }],
      ['optimizer.failed', expect.anything()],
      ['mining.finished', { written: 4, skipped: 2, failed: 1 }],
    ])
  })

  it('makes no call twice, not even a failed one', async () => {
    const run = optimizer()
    const first = await dreamTasks(run, tasks, options)
    const asked = run.effects.length
    expect(await dreamTasks(run, tasks, options)).toEqual(first)
    expect(run.effects).toHaveLength(asked)
  })

  it('does nothing without tasks', async () => {
    const run = optimizer()
    expect(await dreamTasks(run, [measuring, earlier], options)).toEqual({ tasks: [], dreamed: [] })
    expect(run.emitted.at(-1)).toMatchObject({ body: { written: 0, skipped: 0, failed: 0 } })
  })
})

describe('forecastDreams', () => {
  it('forecasts one to two calls for each task that can have variants', async () => {
    const { models } = await worldSetup()
    const { rows, total } = await forecastDreams({ models, prompts }, tasks, 2)
    expect(rows).toMatchObject([
      { stage: 'dream', role: 'optimizer', calls: { low: 3, likely: 3, high: 6 }, tokens: total.tokens },
    ])
    expect((await forecastDreams({ models, prompts }, [measuring, bare], 2)).total.calls.high).toBe(0)
  })
})
