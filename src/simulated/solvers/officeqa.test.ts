import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { scoreContext } from '../../../test/score-context.js'
import { createHarness } from '../../agents/chat/chat.js'
import type { ModelReply, ModelRequest } from '../../core/ports/model.js'
import type { Message, Trajectory } from '../../core/task/task.js'
import { create, options } from '../../tasks/benchmarks/officeqa/index.js'
import type { ChatMessage, ChatRequest } from '../chat.js'
import { diceOf } from '../random.js'
import { lessonsIn } from './index.js'
import { solver } from './officeqa.js'

const example = fileURLToPath(new URL('../../../examples/officeqa/', import.meta.url))
const data = {
  train: 'tasks/train.jsonl',
  val: 'tasks/val.jsonl',
  test: 'tasks/test.jsonl',
  sourcesDir: 'sources',
}
const open = (mode: string) => create(options.parse({ ...data, mode }), { baseDir: example })

type LessonId = keyof typeof solver.lessons
const lessonIds = Object.keys(solver.lessons) as LessonId[]
const stating = (ids: readonly LessonId[]) => ids.map(id => `- ${solver.lessons[id].wordings[0]}`).join('\n')
const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8')

/** The message in the form that the loopback server receives. */
function onTheWire({ role, text, toolCalls = [], toolCallId }: Message): ChatMessage {
  return {
    role,
    content: text,
    ...(toolCallId === undefined ? {} : { tool_call_id: toolCallId }),
    ...(toolCalls.length === 0
      ? {}
      : {
          tool_calls: toolCalls.map(call => ({
            id: call.id,
            type: 'function',
            function: { name: call.name, arguments: call.arguments },
          })),
        }),
  }
}

function reply({ messages, tools = [] }: ModelRequest, stated: ReadonlySet<string>): ModelReply {
  const request: ChatRequest = { model: 'target', messages: messages.map(onTheWire), tools }
  expect(solver.recognises(request)).toBe(true)
  const said = solver.act(request, lesson => stated.has(lesson), diceOf(JSON.stringify(request)))
  const toolCalls = (said.toolCalls ?? []).map(call => ({
    id: call.id ?? '',
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
function asShown({ messages, answer }: Trajectory, feedback: string) {
  const whole = messages
    .filter(({ role }) => role !== 'system')
    .map(({ role, text, toolCalls = [] }) =>
      [`[${role}]`, text, ...toolCalls.map(call => `-> ${call.name}(${call.arguments})`)].join('\n'),
    )
    .join('\n')
  const question = messages.find(({ role }) => role === 'user')?.text ?? ''
  return { question, reply: answer, feedback, whole }
}

/** One attempt at every example task by an agent that follows the skill. */
async function attempts(skill: string, mode = 'tools') {
  const environment = await open(mode)
  const stated = lessonsIn(solver, skill)
  const tasks = await Promise.all((['train', 'val', 'test'] as const).map(split => environment.tasks(split)))
  return Promise.all(
    tasks.flat().map(async task => {
      const session = await environment.open(task, scoreContext)
      const call = async (request: ModelRequest) => reply(request, stated)
      const job = { session, skill, call, reopen: async () => session }
      const trajectory = await createHarness().run(job, scoreContext.signal)
      const { hard, feedback } = await environment.score(task, trajectory, scoreContext)
      return { id: task.id, type: task.type, hard, trajectory, attempt: asShown(trajectory, feedback) }
    }),
  )
}

type Result = Awaited<ReturnType<typeof attempts>>[number]
const failed = (results: readonly Result[]) => results.filter(({ hard }) => hard < 1)
const share = (results: readonly Result[]) => 1 - failed(results).length / results.length

describe('officeqa, simulated', () => {
  it('finds some of the figures with the skill of the example, and all with every lesson', async () => {
    const plain = await attempts(read('../../../examples/officeqa/SKILL.md'))
    expect(plain.filter(({ hard }) => hard === 1).map(({ type }) => type)).not.toContain('hard')
    expect(failed(plain).map(({ type }) => type)).not.toContain('easy')
    expect(share(plain)).toBeGreaterThan(0.3)
    expect(share(plain)).toBeLessThan(0.6)
    const taught = await attempts(stating(lessonIds))
    expect(failed(taught).map(({ id, attempt }) => `${id}: ${attempt.feedback}`)).toEqual([])
  })

  it('searches, reads and answers, in three turns', async () => {
    const [first] = await attempts('')
    expect(first?.trajectory.messages.map(({ role }) => role)).toEqual([
      'system',
      'user',
      'assistant',
      'tool',
      'assistant',
      'tool',
      'assistant',
    ])
    // Ids from a server-wide counter would make the next request differ in every run.
    const calls = first?.trajectory.messages.flatMap(({ toolCalls = [] }) => toolCalls.map(({ id }) => id))
    expect(calls).toEqual(['call_0', 'call_2'])
    expect(first?.attempt.whole).toContain('-> grep({"pattern":"customs duties"')
    expect(first?.attempt.whole).toContain('-> read({"path":"marenne_bulletin_1951_06.txt"')
  })

  it('answers at once from pages that it is given', async () => {
    for (const mode of ['pages', 'both']) {
      const results = await attempts(stating(lessonIds), mode)
      expect(failed(results).map(({ id, attempt }) => `${id}: ${attempt.feedback}`)).toEqual([])
      expect(new Set(results.map(({ trajectory }) => trajectory.messages.length))).toEqual(new Set([3]))
    }
  })

  it.each(lessonIds)('%s makes a difference of its own, which its failures show', async id => {
    const results = await attempts(stating(lessonIds.filter(other => other !== id)))
    expect(failed(results).length).toBeGreaterThanOrEqual(4)
    for (const { id: task, attempt } of failed(results)) {
      const lacking = lessonIds.filter(lesson => solver.lessons[lesson].isLackingIn(attempt))
      expect([task, ...lacking]).toContain(id)
      expect(lacking.length).toBeLessThanOrEqual(2)
    }
  })

  it('sees a cause in every failure of the example’s skill', async () => {
    for (const { id, attempt } of failed(await attempts(read('../../../examples/officeqa/SKILL.md')))) {
      expect([id, lessonIds.filter(lesson => solver.lessons[lesson].isLackingIn(attempt))]).not.toEqual([
        id,
        [],
      ])
    }
  })

  it.each(lessonIds)('%s is told from the other lessons, in every wording', id => {
    for (const wording of solver.lessons[id].wordings) {
      expect([wording, ...lessonsIn(solver, wording)]).toEqual([wording, id])
    }
  })

  it.each(['../../tasks/benchmarks/officeqa/seed-skill.md', '../../../examples/officeqa/SKILL.md'])(
    'finds no lesson in %s',
    path => {
      expect([...lessonsIn(solver, read(path))]).toEqual([])
    },
  )

  it('leaves other work alone, and says when it does not understand', () => {
    const request = (content: string) => ({ model: 'target', messages: [{ role: 'user', content }] })
    expect(solver.recognises(request('Question: How many?\nSearch results: none'))).toBe(false)
    const odd = request('Question: Who was minister?\n\nSources of this task:\n- a.txt (3 lines)')
    expect(solver.recognises(odd)).toBe(true)
    expect(solver.act(odd, () => true, diceOf('x')).content).not.toContain('<answer>')
  })
})
