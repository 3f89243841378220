import { describe, expect, it } from 'vitest'
import { scoreContext } from '../../test/score-context.js'
import { InputError } from '../core/errors/errors.js'
import { diceOf } from '../simulated/random.js'
import { lessonsIn, solverOf } from '../simulated/solvers/index.js'
import { createReplay } from '../sleep/replay/replay.js'
import { said } from '../testing/environment.js'
import { controlTasks } from './control.js'
import { controlRequests } from './generate.js'
import { loadPersona, personaNames } from './personas.js'

const refusal = (name: string) =>
  loadPersona(name).then(
    () => undefined,
    (error: unknown) => error,
  )

describe('the personas', () => {
  it('are known by the names of their files', () => {
    expect(personaNames()).toEqual(['analyst', 'programmer', 'researcher'])
  })

  it('are suggested for a name that is nearly one of theirs', async () => {
    const error = await refusal('reseacher')
    expect(error).toBeInstanceOf(InputError)
    expect(error).toMatchObject({
      message: 'There is no persona called reseacher.',
      hint: 'Did you mean researcher? There are: analyst, programmer, researcher; `all` takes each of them.',
    })
    expect(await refusal('poet')).toMatchObject({ hint: expect.not.stringContaining('Did you mean') })
  })
})

describe.each(personaNames())('%s', async name => {
  const persona = await loadPersona(name)
  const requests = controlRequests(persona, 7, 3)

  it('has a dozen intents or more, in several wordings, and a few conventions that each of them goes by', () => {
    expect(persona.intents.length).toBeGreaterThanOrEqual(12)
    expect(new Set(persona.intents.map(({ id }) => id)).size).toBe(persona.intents.length)
    const conventions = Object.keys(persona.conventions)
    expect(conventions.length).toBeLessThanOrEqual(4)
    for (const { wordings, wants } of persona.intents) {
      expect(new Set(wordings).size).toBeGreaterThanOrEqual(4)
      for (const want of wants) expect(conventions).toContain(want)
    }
  })

  it('does not say in a request what a right answer has', () => {
    for (const { intent, facts, text } of requests) {
      const checks = intent.wants.flatMap(want => persona.conventions[want]?.checks(facts) ?? [])
      for (const { op, arg } of checks) {
        if (op === 'contains' && arg !== facts.effect) expect(text).not.toContain(arg)
      }
    }
  })

  /** Scores the simulated agent's answers with these lessons by the persona's own checks. */
  async function score(skip: (lesson: string) => boolean) {
    const tasks = controlTasks(persona, 7)
    const environment = await createReplay(tasks, { files: 'none' })
    const replayed = await environment.tasks('test')
    const hard = await Promise.all(
      replayed.map(async task => {
        const prompt = (await environment.open(task, scoreContext)).prompt
        const request = { model: 'target', messages: [{ role: 'user', content: String(prompt) }] }
        const solver = solverOf(request)
        if (solver === undefined) throw new Error(`Nobody knows what ${task.id} is about.`)
        const lessons = Object.entries(solver.lessons).filter(([lesson]) => !skip(lesson))
        const skill = lessons.map(([, { wordings }]) => `- ${wordings[0]}`).join('\n')
        const stated = lessonsIn(solver, skill)
        const reply = solver.act(request, lesson => stated.has(lesson), diceOf(task.id)).content ?? ''
        return (await environment.score(task, said(reply), scoreContext)).hard
      }),
    )
    return hard.reduce((sum, one) => sum + one, 0) / hard.length
  }

  it('is content with an agent that was told all, and seldom with one that was told nothing', async () => {
    expect(await score(lesson => lesson === 'always-alone')).toBe(1)
    expect(await score(() => true)).toBeLessThan(0.3)
  })

  it('suffers from the one thing that is tempting and wrong', async () => {
    expect(await score(() => false)).toBeLessThan(0.1)
  })
})
