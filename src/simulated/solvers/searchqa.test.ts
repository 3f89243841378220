import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { scoreContext } from '../../../test/score-context.js'
import { create, options } from '../../tasks/benchmarks/searchqa/index.js'
import type { ChatRequest } from '../chat.js'
import { diceOf } from '../random.js'
import { lessonsIn } from './index.js'
import { solver } from './searchqa.js'

const example = fileURLToPath(new URL('../../../examples/searchqa/', import.meta.url))
const environment = await create(options.parse({ splitDir: 'data' }), { baseDir: example })
const tasks = (
  await Promise.all((['train', 'val', 'test'] as const).map(split => environment.tasks(split)))
).flat()

const lessonIds = Object.keys(solver.lessons) as (keyof typeof solver.lessons)[]
const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8')

/** One attempt at every example task by an agent that follows the skill. */
async function attempts(skill: string) {
  const stated = lessonsIn(solver, skill)
  return Promise.all(
    tasks.map(async task => {
      const session = await environment.open(task, scoreContext)
      const request: ChatRequest = {
        model: 'target',
        messages: [
          { role: 'system', content: `${session.instructions}\n\n## Skill\n${skill}` },
          { role: 'user', content: String(session.prompt) },
        ],
      }
      expect(solver.recognises(request)).toBe(true)
      const reply = solver.act(request, lesson => stated.has(lesson), diceOf(task.id)).content ?? ''
      const trajectory = { messages: [], answer: reply, stop: 'answered' } as const
      const { hard, feedback } = await environment.score(task, trajectory, scoreContext)
      return { id: task.id, hard, attempt: { question: String(session.prompt), reply, feedback, whole: '' } }
    }),
  )
}

const share = (results: readonly { readonly hard: number }[]) =>
  results.reduce((sum, { hard }) => sum + hard, 0) / results.length

const allLessons = lessonIds.map(id => `- ${solver.lessons[id].wordings[0]}`).join('\n')

describe('searchqa, simulated', () => {
  it('solves about a third with the skill of the example, and all with every lesson', async () => {
    const plain = share(await attempts(read('../../../examples/searchqa/SKILL.md')))
    expect(plain).toBeGreaterThan(0.3)
    expect(plain).toBeLessThan(0.6)
    expect((await attempts(allLessons)).filter(({ hard }) => hard < 1).map(({ id }) => id)).toEqual([])
  })

  it.each(lessonIds)('%s makes a difference of its own', async id => {
    const without = lessonIds
      .filter(other => other !== id)
      .map(other => solver.lessons[other].wordings[0])
      .join('\n')
    const results = await attempts(without)
    const failed = results.filter(({ hard }) => hard < 1)
    expect(failed.length).toBeGreaterThan(1)
    const causes = failed.flatMap(({ attempt }) =>
      lessonIds.filter(other => solver.lessons[other].isLackingIn(attempt)),
    )
    expect(causes.filter(cause => cause === id)).toHaveLength(failed.length)
  })

  it.each(lessonIds)('%s is read in its own words, and in no other line', id => {
    for (const wording of solver.lessons[id].wordings)
      expect(lessonIds.filter(other => solver.lessons[other].isStatedIn(wording))).toEqual([id])
  })

  it('finds in the seed skill of the environment what it says, and no more', () => {
    const seed = read('../../tasks/benchmarks/searchqa/seed-skill.md')
    expect([...lessonsIn(solver, seed)]).toEqual(['key-words'])
  })

  it('does not recognise other work, and finds no lesson in unreadable attempts', () => {
    const asked = (content: string): ChatRequest => ({
      model: 'target',
      messages: [{ role: 'user', content }],
    })
    expect(solver.recognises(asked('What does a parcel of 3 kg cost?'))).toBe(false)
    expect(solver.recognises({ model: 'target', messages: [] })).toBe(false)
    const blank = { question: '', reply: 'No idea.', feedback: 'Wrong.', whole: '' }
    expect(lessonIds.filter(id => solver.lessons[id].isLackingIn(blank))).toEqual([])
  })

  it('says so where the results hold no answer', () => {
    const messages = [
      { role: 'user', content: 'Search results:\n[DOC] nothing here.\n\nQuestion: Who was it?' },
    ]
    const reply = solver.act({ model: 'target', messages }, () => false, diceOf('none'))
    expect(reply.content).toContain('<answer>unknown</answer>')
  })
})
