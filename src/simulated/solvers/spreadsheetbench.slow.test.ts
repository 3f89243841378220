import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { scoreContext } from '../../../test/score-context.js'
import { realSandbox, sandboxWorks } from '../../../test/support/real-sandbox.js'
import { timeLimit } from '../../../test/support/time-limit.js'
import { createHarness } from '../../agents/chat/chat.js'
import type { ModelReply, ModelRequest } from '../../core/ports/model.js'
import type { Trajectory } from '../../core/task/task.js'
import { create, options } from '../../tasks/benchmarks/spreadsheetbench/index.js'
import type { ChatRequest } from '../chat.js'
import { diceOf } from '../random.js'
import { lessonsIn } from './index.js'
import { solver } from './spreadsheetbench.js'

const example = fileURLToPath(new URL('../../../examples/spreadsheetbench/', import.meta.url))
const open = (mode: string) => create(options.parse({ splitDir: 'data', mode }), { baseDir: example })
const environment = await open('multi')
const all = (
  await Promise.all((['train', 'val', 'test'] as const).map(split => environment.tasks(split)))
).flat()
type Task = (typeof all)[number]
/** The kinds of tasks alternate, so half of the tasks include every kind. */
const some = all.filter((_, index) => index % 2 === 0)
/** Each attempt starts Python several times, which takes seconds. */
const atMost = 3

const works = await sandboxWorks('Simulated spreadsheet tasks', async sandbox =>
  environment.checkSandbox?.(sandbox),
)
const context = { ...scoreContext, sandbox: realSandbox }
const slow = { timeout: timeLimit(240_000) }

type LessonId = keyof typeof solver.lessons
const lessonIds = Object.keys(solver.lessons) as LessonId[]
const stating = (ids: readonly LessonId[]) => ids.map(id => `- ${solver.lessons[id].wordings[0]}`).join('\n')
const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8')

function reply({ messages, tools = [] }: ModelRequest, stated: ReadonlySet<string>): ModelReply {
  const request: ChatRequest = {
    model: 'target',
    messages: messages.map(({ role, text }) => ({ role, content: text })),
    tools,
  }
  expect(solver.recognises(request)).toBe(true)
  const said = solver.act(request, lesson => stated.has(lesson), diceOf('x'))
  const toolCalls = (said.toolCalls ?? []).map((call, index) => ({
    id: `call-${messages.length}-${index}`,
    name: call.name,
    arguments: JSON.stringify(call.arguments),
  }))
  return {
    text: said.content ?? '',
    toolCalls,
    stop: toolCalls.length > 0 ? 'tool-calls' : 'stop',
    usage: {},
  }
}

/** The attempt in the form that the optimizer's prompt shows. */
function asShown({ messages }: Trajectory, feedback: string) {
  const of = (wanted: string) => messages.findLast(({ role }) => role === wanted)?.text ?? ''
  const whole = messages
    .filter(({ role }) => role !== 'system')
    .map(({ role, text, toolCalls = [] }) =>
      [`[${role}]`, text, ...toolCalls.map(call => `-> ${call.name}(${call.arguments})`)].join('\n'),
    )
    .join('\n')
  return { question: of('user'), reply: of('assistant'), feedback, whole }
}

/** Full attempts at tasks by an agent that follows the skill. */
async function attempts(skill: string, tasks: readonly Task[], mode = 'multi') {
  const stated = lessonsIn(solver, skill)
  const world = await open(mode)
  return Promise.all(
    tasks.map(async task => {
      const session = await world.open(task, context)
      try {
        const call = async (request: ModelRequest) => reply(request, stated)
        const trajectory = await createHarness().run(
          { session, skill, call, reopen: async () => session },
          context.signal,
        )
        const { workspace } = session
        const score = await world.score(task, trajectory, {
          ...context,
          ...(workspace === undefined ? {} : { workspace }),
        })
        return { id: task.id, ...score, trajectory, attempt: asShown(trajectory, score.feedback) }
      } finally {
        await session.close()
      }
    }),
  )
}

const failed = (results: Awaited<ReturnType<typeof attempts>>) => results.filter(({ hard }) => hard < 1)

/** Whether the first program for a task shows that a lesson is missing; the program is not run. */
async function concerns(lesson: LessonId, task: Task, skill: string): Promise<boolean> {
  const question = String((await environment.open(task, context)).prompt)
  const program = reply({ messages: [{ role: 'user', text: question }] }, lessonsIn(solver, skill)).text
  return solver.lessons[lesson].isLackingIn({ question, reply: program, feedback: '', whole: '' })
}

describe.runIf(works)('spreadsheetbench, simulated', () => {
  it(
    'solves about a third with the skill of the example, and sees a cause in every failure',
    slow,
    async () => {
      const results = await attempts(read('../../../examples/spreadsheetbench/SKILL.md'), some)
      const share = 1 - failed(results).length / some.length
      expect(share).toBeGreaterThan(0.3)
      expect(share).toBeLessThan(0.6)
      for (const { id, attempt } of failed(results)) {
        expect([id, lessonIds.filter(lesson => solver.lessons[lesson].isLackingIn(attempt))]).not.toEqual([
          id,
          [],
        ])
      }
      // The agent gives up after its second program, or when it is told that cells are wrong.
      expect(Math.max(...results.map(({ trajectory }) => trajectory.messages.length))).toBeLessThanOrEqual(7)
    },
  )

  it('solves all of them with every lesson, at the first try', slow, async () => {
    const results = await attempts(stating(lessonIds), some)
    expect(failed(results).map(({ id, feedback }) => `${id}: ${feedback}`)).toEqual([])
    expect(new Set(results.map(({ trajectory }) => trajectory.messages.length))).toEqual(new Set([3]))
  })

  it.each(lessonIds)('%s makes a difference of its own, which its failures show', slow, async id => {
    const others = stating(lessonIds.filter(other => other !== id))
    const asked = await Promise.all(all.map(async task => ({ task, is: await concerns(id, task, others) })))
    const concerned = asked.flatMap(({ task, is }) => (is ? [task] : [])).slice(0, atMost)
    const failures = failed(await attempts(others, concerned))
    expect(failures.length).toBeGreaterThanOrEqual(3)
    expect(failures).toHaveLength(concerned.length)
    for (const { id: task, attempt } of failures) {
      const lacking = lessonIds.filter(lesson => solver.lessons[lesson].isLackingIn(attempt))
      expect([task, ...lacking]).toEqual([task, id])
    }
  })

  it('works with tools too', slow, async () => {
    const tasks = all.filter((_, index) => index % 12 === 0)
    expect(failed(await attempts(stating(lessonIds), tasks, 'react'))).toEqual([])
    const [first] = await attempts('', tasks.slice(1, 2), 'react')
    expect(first?.trajectory.messages.map(({ role }) => role).slice(0, 5)).toEqual([
      'system',
      'user',
      'assistant',
      'tool',
      'tool',
    ])
  })
})
