import assert from 'node:assert/strict'
import { WorldFailure } from '../../src/core/errors/errors.js'
import type { Session, Tool } from '../../src/core/ports/environment.js'
import type { Harness } from '../../src/core/ports/harness.js'
import type { ModelReply, ModelRequest } from '../../src/core/ports/model.js'
import type { Trajectory } from '../../src/core/task/task.js'
import { timeLimit } from '../support/time-limit.js'

export interface HarnessCheck {
  readonly name: string
  /** Rejects if the harness breaks the requirement. */
  run(harness: Harness): Promise<void>
}

type Scripted = Partial<ModelReply> | Error

interface Played {
  readonly trajectory: Trajectory
  readonly requests: readonly ModelRequest[]
  readonly turns: readonly number[]
}

const patience = timeLimit(2000)
const skillText = 'Always answer in one word.'

function sessionOf(fields: Partial<Session> = {}): Session {
  return {
    instructions: 'You answer questions.',
    prompt: 'Which animal purrs?',
    skillAt: 'system',
    tools: [],
    turnLimit: 5,
    close: async () => undefined,
    ...fields,
  }
}

/** Plays a session against a model that gives its lines in order and repeats the last one. */
async function play(
  harness: Harness,
  session: Session,
  lines: readonly Scripted[],
  options: { skill?: string; signal?: AbortSignal } = {},
): Promise<Played> {
  const requests: ModelRequest[] = []
  const turns: number[] = []
  const left = [...lines]
  const call = async (request: ModelRequest, turn: number): Promise<ModelReply> => {
    requests.push(request)
    turns.push(turn)
    assert(requests.length <= 50, 'the harness does not stop')
    const line = left.length > 1 ? left.shift() : left[0]
    if (line instanceof Error) throw line
    return { text: 'cat', stop: 'stop', usage: {}, ...line }
  }
  const signal = options.signal ?? new AbortController().signal
  const running = harness.run(
    { session, skill: options.skill ?? skillText, call, reopen: async () => session },
    signal,
  )
  const trajectory = await Promise.race([running, late()])
  return { trajectory, requests, turns }
}

async function late(): Promise<never> {
  return new Promise((_, reject) => {
    setTimeout(() => reject(new Error(`nothing happened within ${patience} ms`)), patience).unref()
  })
}

const textOf = (request: ModelRequest | undefined, role: string) =>
  (request?.messages ?? [])
    .filter(message => message.role === role)
    .map(message => message.text)
    .join('\n')

const toolCall = (name: string, id = 'call_1') => ({
  text: '',
  stop: 'tool-calls' as const,
  toolCalls: [{ id, name, arguments: '{"word":"purr"}' }],
})

const lookUp = (call: Tool['call']): Tool => ({
  name: 'look_up',
  description: 'Looks a word up.',
  parameters: { type: 'object', properties: { word: { type: 'string' } } },
  call,
})

const check = (name: string, run: HarnessCheck['run']): HarnessCheck => ({ name, run })

const asking: readonly HarnessCheck[] = [
  check('puts instructions and skill into the system message, the task into the user’s', async harness => {
    const { requests, trajectory } = await play(harness, sessionOf(), [{}])
    const system = textOf(requests[0], 'system')
    assert(system.startsWith('You answer questions.'), `system was: ${system}`)
    assert(system.includes(`## Skill\n\n${skillText}`), `system was: ${system}`)
    assert.equal(textOf(requests[0], 'user'), 'Which animal purrs?')
    assert.deepEqual([trajectory.answer, trajectory.stop], ['cat', 'answered'])
  }),
  check('puts the skill before the prompt where the environment wants it there', async harness => {
    const { requests } = await play(harness, sessionOf({ skillAt: 'user' }), [{}])
    const user = textOf(requests[0], 'user')
    assert(!textOf(requests[0], 'system').includes(skillText))
    assert(
      user.indexOf(skillText) >= 0 && user.indexOf(skillText) < user.indexOf('Which animal'),
      `user was: ${user}`,
    )
  }),
  check('hands on images and documents as they are, in their order', async harness => {
    const parts = [
      { type: 'text', text: 'Before:' },
      { type: 'image', name: 'a.png', mediaType: 'image/png', data: 'AAEC' },
      { type: 'text', text: 'After:' },
      { type: 'document', name: 'b.pdf', mediaType: 'application/pdf', data: 'AwQF', pages: 1 },
    ] as const
    for (const skillAt of ['system', 'user'] as const) {
      const { requests, trajectory } = await play(harness, sessionOf({ prompt: parts, skillAt }), [{}])
      const sent = requests[0]?.messages.find(({ role }) => role === 'user')?.parts ?? []
      assert.deepEqual(sent.slice(-parts.length), parts)
      assert.equal(JSON.stringify(sent.slice(0, -parts.length)).includes(skillText), skillAt === 'user')
      const asked = trajectory.messages.find(({ role }) => role === 'user')?.text ?? ''
      assert.match(asked, /Before:\s+\[image a\.png.*\]\s+After:\s+\[document b\.pdf/)
    }
  }),
  check('asks every turn anew where the world says all that counts', async harness => {
    for (const skillAt of ['system', 'user'] as const) {
      const session = sessionOf({
        skillAt,
        stateless: true,
        turnLimit: 3,
        reply: async said => `You said ${said}.`,
      })
      const { requests, trajectory } = await play(harness, session, [
        { text: 'cat' },
        { text: 'dog' },
        { text: 'cow' },
      ])
      const shown = requests.map(({ messages }) => messages.map(({ role }) => role))
      assert.deepEqual(shown, [
        ['system', 'user'],
        ['system', 'user'],
        ['system', 'user'],
      ])
      const last = requests[2]
      assert(textOf(last, 'user').includes('You said dog.') && !textOf(last, 'user').includes('Which animal'))
      const skillIn = (role: 'system' | 'user') => textOf(last, role).includes(skillText)
      assert.deepEqual([skillIn('system'), skillIn('user')], [skillAt === 'system', skillAt === 'user'])
      assert.equal(trajectory.messages.filter(({ role }) => role === 'assistant').length, 3)
    }
  }),
  check('keeps a conversation whole, with the skill in it once', async harness => {
    const session = sessionOf({ skillAt: 'user', turnLimit: 2, reply: async () => 'Are you sure?' })
    const { requests } = await play(harness, session, [{}])
    const said = requests[1]?.messages.map(({ text }) => text).join('\n') ?? ''
    assert.equal(said.split(skillText).length, 2)
    assert(said.includes('Which animal') && said.includes('Are you sure?'))
  }),
  check('ends when its time is over, with the words that were said', async harness => {
    const slow = async (): Promise<string> => {
      await new Promise(resolve => setTimeout(resolve, 30))
      return 'Go on.'
    }
    const session = sessionOf({ turnLimit: 40, secondsLimit: 0.02, reply: slow })
    const { trajectory, requests } = await play(harness, session, [{ text: 'cat' }])
    assert.deepEqual([trajectory.stop, trajectory.answer, requests.length], ['time-limit', 'cat', 1])
  }),
  check('mentions no skill where there is none', async harness => {
    const { requests } = await play(harness, sessionOf(), [{}], { skill: '' })
    assert.equal(textOf(requests[0], 'system'), 'You answer questions.')
  }),
  check('keeps hidden text from the model', async harness => {
    const { requests } = await play(harness, sessionOf({ hidden: 'the-answer-is-cat' }), [{}])
    assert.doesNotMatch(JSON.stringify(requests), /the-answer-is-cat/)
  }),
  check('records everything that was said', async harness => {
    const session = sessionOf({ tools: [lookUp(async () => 'purr: what cats do')] })
    const { trajectory } = await play(harness, session, [toolCall('look_up'), { text: 'cat' }])
    const roles = trajectory.messages.map(message => message.role)
    assert.deepEqual(roles, ['system', 'user', 'assistant', 'tool', 'assistant'])
    assert.equal(trajectory.messages.at(-1)?.text, 'cat')
  }),
]

const acting: readonly HarnessCheck[] = [
  check('uses the tool and shows its result to the model', async harness => {
    const seen: string[] = []
    const tool = lookUp(async text => {
      seen.push(text)
      return 'purr: what cats do'
    })
    const { requests, turns } = await play(harness, sessionOf({ tools: [tool] }), [
      toolCall('look_up', 'call_9'),
      {},
    ])
    assert.deepEqual(seen, ['{"word":"purr"}'])
    assert.equal(requests[0]?.tools?.[0]?.name, 'look_up')
    const result = requests[1]?.messages.at(-1)
    assert.deepEqual(
      [result?.role, result?.text, result?.toolCallId],
      ['tool', 'purr: what cats do', 'call_9'],
    )
    assert.deepEqual(turns, [0, 1])
  }),
  check('tells the model of a tool that there is not, or that failed', async harness => {
    const failing = lookUp(async () => {
      throw new Error('the dictionary is closed')
    })
    const session = sessionOf({ tools: [failing] })
    const { requests, trajectory } = await play(harness, session, [toolCall('fly'), toolCall('look_up'), {}])
    assert.match(textOf(requests[1], 'tool'), /fly/)
    assert.match(textOf(requests[2], 'tool'), /the dictionary is closed/)
    assert.equal(trajectory.stop, 'answered')
  }),
  check('goes on as long as the world answers', async harness => {
    const heard: string[] = []
    const reply = async (text: string) => {
      heard.push(text)
      return heard.length < 3 ? `again ${heard.length}` : 'done'
    }
    const { requests, trajectory } = await play(harness, sessionOf({ reply }), [
      { text: 'a' },
      { text: 'b' },
      { text: 'c' },
    ])
    assert.deepEqual(heard, ['a', 'b', 'c'])
    assert.equal(requests[1]?.messages.at(-1)?.text, 'again 1')
    assert.deepEqual([trajectory.answer, trajectory.stop], ['c', 'answered'])
  }),
  check('does not change a request after it was made', async harness => {
    const session = sessionOf({ tools: [lookUp(async () => 'x')] })
    const { requests } = await play(harness, session, [toolCall('look_up'), {}])
    assert.deepEqual(
      requests.map(request => request.messages.length),
      [2, 4],
    )
  }),
]

const stopping: readonly HarnessCheck[] = [
  check('stops at the turn limit', async harness => {
    const session = sessionOf({ tools: [lookUp(async () => 'x')], turnLimit: 3 })
    const { requests, trajectory } = await play(harness, session, [{ ...toolCall('look_up'), text: 'hm' }])
    assert.equal(requests.length, 3)
    assert.deepEqual([trajectory.answer, trajectory.stop], ['hm', 'turn-limit'])
  }),
  ...(
    [
      ['length', 'output-limit'],
      ['content-filter', 'refusal'],
      ['context-overflow', 'context-overflow'],
    ] as const
  ).map(([stop, expected]) =>
    check(`scores ${stop} as ${expected}`, async harness => {
      const { trajectory, requests } = await play(harness, sessionOf(), [{ text: '', stop }])
      assert.deepEqual([trajectory.stop, requests.length], [expected, 1])
    }),
  ),
  check('hands on a failure of the world', async harness => {
    const failure = new WorldFailure('server', 'down', { retryable: true })
    await assert.rejects(play(harness, sessionOf(), [failure]), error => error === failure)
  }),
  check('hands on a failure of the world inside a tool', async harness => {
    const failure = new WorldFailure('harness', 'no sandbox', { retryable: true })
    const session = sessionOf({ tools: [lookUp(() => Promise.reject(failure))] })
    await assert.rejects(play(harness, session, [toolCall('look_up'), {}]), error => error === failure)
  }),
  check('makes no call once aborted', async harness => {
    const reason = new Error('stop')
    let called = false
    const session = sessionOf()
    const job = {
      session,
      skill: skillText,
      reopen: async () => session,
      call: async () => {
        called = true
        return { text: 'cat', stop: 'stop' as const, usage: {} }
      },
    }
    await assert.rejects(harness.run(job, AbortSignal.abort(reason)), error => error === reason)
    assert(!called)
  }),
]

/** Requirements of every conversational harness. */
export const harnessChecks: readonly HarnessCheck[] = [...asking, ...acting, ...stopping]
