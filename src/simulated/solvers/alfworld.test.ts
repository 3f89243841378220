import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { scoreContext } from '../../../test/score-context.js'
import { createHarness } from '../../agents/chat/chat.js'
import type { ModelRequest } from '../../core/ports/model.js'
import type { Trajectory } from '../../core/task/task.js'
import { create, options } from '../../tasks/benchmarks/alfworld/index.js'
import type { ChatRequest } from '../chat.js'
import { diceOf } from '../random.js'
import { solver } from './alfworld.js'
import { lessonsIn } from './index.js'

const example = fileURLToPath(new URL('../../../examples/alfworld/', import.meta.url))
const environment = await create(options.parse({ splitDir: 'games' }), { baseDir: example })
const tasks = (
  await Promise.all((['train', 'val', 'test'] as const).map(split => environment.tasks(split)))
).flat()

const lessonIds = Object.keys(solver.lessons) as (keyof typeof solver.lessons)[]
const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8')
const seed = read('../../../examples/alfworld/SKILL.md')
const allBut = (left?: string) =>
  [seed, ...lessonIds.filter(id => id !== left).map(id => `- ${solver.lessons[id].wordings[0]}`)].join('\n')

/** The agent's answer to a request, with the given share of slips. */
function answer({ messages }: ModelRequest, stated: ReadonlySet<string>, slips: number): string {
  const request: ChatRequest = {
    model: 'target',
    messages: messages.map(({ role, text }) => ({ role, content: text })),
  }
  expect(solver.recognises(request)).toBe(true)
  const dice = diceOf(JSON.stringify(request))
  return solver.act(request, lesson => stated.has(lesson) && !dice.chance(slips), dice).content ?? ''
}

/** One attempt at every example task by an agent that follows the skill. */
async function attempts(skill: string, slips = 0) {
  const stated = lessonsIn(solver, skill)
  return Promise.all(
    tasks.map(async task => {
      const session = await environment.open(task, scoreContext)
      const call = async (request: ModelRequest) =>
        ({ text: answer(request, stated, slips), stop: 'stop', usage: {} }) as const
      const trajectory = await createHarness().run(
        { session, skill, call, reopen: async () => session },
        scoreContext.signal,
      )
      const { hard, feedback } = await environment.score(task, trajectory, scoreContext)
      return { id: task.id, hard, attempt: asShown(trajectory, feedback) }
    }),
  )
}

function asShown({ messages, answer: reply }: Trajectory, feedback: string) {
  const whole = messages.map(({ role, text }) => `[${role}]\n${text}`).join('\n')
  return { question: messages.findLast(({ role }) => role === 'user')?.text ?? '', reply, feedback, whole }
}

const failedIn = (results: Awaited<ReturnType<typeof attempts>>) => results.filter(({ hard }) => hard < 1)

/** A request from a house with a drawer, a shelf and a table, after the action `done`. */
function asked(task: string, done: string, commands: readonly string[]): ChatRequest {
  const past = done === '' ? '' : `What you saw and did last:\nObservation: …\nAction: ${done}\n\n`
  const listed = commands.map(command => `'${command}'`).join('\n')
  const content = `Your task is to: ${task}\n\n${past}Observation: …\n\nPossible commands:\n${listed}\n\nThink.`
  return { model: 'target', messages: [{ role: 'user', content }] }
}
const said = (request: ChatRequest, follows: boolean) =>
  /<action>(.*)<\/action>/.exec(solver.act(request, () => follows, diceOf('x')).content ?? '')?.[1]

describe('alfworld, simulated', () => {
  it('does some of the chores with the skill of the example, and all with every lesson', async () => {
    const done = tasks.length - failedIn(await attempts(seed)).length
    expect(done / tasks.length).toBeGreaterThan(0.3)
    expect(done / tasks.length).toBeLessThan(0.6)
    expect(failedIn(await attempts(allBut())).map(({ id }) => id)).toEqual([])
  })

  it('recovers from slips', async () => {
    expect(failedIn(await attempts(allBut(), 0.06)).length).toBeLessThanOrEqual(1)
  })

  it.each(['treat', 'light', 'second'] as const)('%s makes a difference of its own', async id => {
    const failed = failedIn(await attempts(allBut(id)))
    expect(failed.length).toBeGreaterThan(1)
    for (const { attempt } of failed) expect(solver.lessons[id].isLackingIn(attempt)).toBe(true)
  })

  it('searches as told: open places before closed ones, and behind doors', () => {
    const commands = ['examine drawer 1', 'go to shelf 1', 'go to table 1', 'open drawer 1']
    const inDrawer = asked('put a cup in shelf.', 'go to drawer 1', commands)
    expect([said(inDrawer, true), said(inDrawer, false)]).toEqual(['open drawer 1', 'go to shelf 1'])
    const atStart = asked('put a cup in shelf.', '', ['go to drawer 1', 'go to shelf 1', 'go to table 1'])
    expect([said(atStart, true), said(atStart, false)]).toEqual(['go to shelf 1', 'go to drawer 1'])
    const lost = {
      question: '',
      reply: '',
      feedback: 'Not done after 50 steps: …\nNo cup was found.',
      whole: '',
    }
    expect(lessonIds.filter(id => solver.lessons[id].isLackingIn(lost))).toEqual(['search'])
  })

  it('copes with a house that lacks what the chore needs', () => {
    const held = ['examine cup 1', 'examine table 1', 'move cup 1 to table 1']
    expect(said(asked('put a hot cup in table.', 'take cup 1 from table 1', held), true)).toBe('look')
    expect(said(asked('sing a song.', '', held), true)).toBe('look')
  })

  it.each(lessonIds)('%s is read in its own words, and in no other line', id => {
    for (const wording of solver.lessons[id].wordings)
      expect(lessonIds.filter(other => solver.lessons[other].isStatedIn(wording))).toEqual([id])
  })

  it('finds no lesson in the seed skills', () => {
    expect([...lessonsIn(solver, seed)]).toEqual([])
    expect([...lessonsIn(solver, read('../../tasks/benchmarks/alfworld/seed-skill.md'))]).toEqual([])
  })

  it('does not recognise other work, and finds no lesson in unreadable attempts', () => {
    const other = { role: 'user', content: 'What does a parcel of 3 kg cost?' }
    expect(solver.recognises({ model: 'target', messages: [other] })).toBe(false)
    expect(solver.recognises({ model: 'target', messages: [] })).toBe(false)
    const blank = { question: '', reply: '', feedback: 'Wrong.', whole: '' }
    expect(lessonIds.filter(id => solver.lessons[id].isLackingIn(blank))).toEqual([])
  })
})
