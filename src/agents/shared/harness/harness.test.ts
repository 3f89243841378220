import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { fakeAgent, fakeSession, processesWith } from '../../../../test/support/fake-agent.js'
import { WorldFailure } from '../../../core/errors/errors.js'
import type { Session } from '../../../core/ports/environment.js'
import type { Job, Worker } from '../../../core/ports/harness.js'
import type { ModelReply, ModelRequest } from '../../../core/ports/model.js'
import type { AgentSettings } from './attempt.js'
import type { AgentDefinition } from './definition.js'
import { createAgentHarness, recordSession } from './harness.js'
import { defaultLimits } from './process.js'

let folder: string
let root: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'skillopt-harness-'))
  root = join(folder, 'attempts')
  await mkdir(root)
})
afterEach(async () => {
  expect(await readdir(root)).toEqual([])
  expect(await processesWith(root)).toBe(0)
  await rm(folder, { recursive: true })
})

const never = new AbortController().signal

const settings = (): AgentSettings => ({
  program: process.execPath,
  model: undefined,
  effort: undefined,
  endpoint: undefined,
  key: undefined,
  env: { PATH: process.env.PATH, HOME: root },
  access: 'workspace',
  inherit: false,
  limits: { ...defaultLimits, seconds: 20, graceSeconds: 0.3, tokens: 1000 },
  root,
})

/** Sessions for one task, each with its own folder and an environment that counts turns. */
function sessions() {
  const opened: { workspace: string; heard: string[]; closed: boolean }[] = []
  const open = async (): Promise<Session> => {
    const workspace = join(folder, `session-${opened.length}`)
    await mkdir(workspace)
    await writeFile(join(workspace, 'given.txt'), 'given')
    const own = { workspace, heard: [] as string[], closed: false }
    opened.push(own)
    return fakeSession({
      workspace,
      tools: [
        {
          name: 'count',
          description: 'Counts.',
          parameters: {},
          call: async () => `${own.heard.push('count')}`,
        },
      ],
      reply: async said => (own.heard.push(said) > 1 ? 'done' : 'go on'),
      close: async () => {
        own.closed = true
      },
    })
  }
  return { opened, open }
}

type Answer = (request: ModelRequest, worker: Worker) => Promise<ModelReply>

async function run(agent: AgentDefinition, answer: Answer, signal = never) {
  const { opened, open } = sessions()
  const requests: ModelRequest[] = []
  const session = await open()
  const job: Job = {
    session,
    skill: '# Sums\n\nAdd them.\n',
    call: (request, turn, worker) => {
      requests.push(request)
      expect(turn).toBe(0)
      if (worker === undefined) throw new Error('the agent’s own work was not handed on')
      return answer(request, worker)
    },
    reopen: open,
  }
  const trajectory = await createAgentHarness(agent, settings()).run(job, signal)
  return { trajectory, requests, opened }
}

const madeIn = (workspace: string) => readFile(join(workspace, 'made', 'answer.txt'), 'utf8')

describe('an agent at a task', () => {
  it('is one call, known by rules, skill, task and tools, and its turns are the conversation', async () => {
    const { trajectory, requests, opened } = await run(fakeAgent('answers'), (_, worker) => worker(never))
    expect(requests).toHaveLength(1)
    expect(requests[0]?.messages.map(({ role, text }) => [role, text])).toEqual([
      ['system', 'Be brief.\n\n## Skill\n\n# Sums\n\nAdd them.\n'],
      ['user', 'What is 2 + 2?'],
    ])
    expect(requests[0]?.tools).toEqual([{ name: 'count', description: 'Counts.', parameters: {} }])
    expect(trajectory).toMatchObject({ answer: 'hello', stop: 'answered' })
    expect(trajectory.messages.slice(0, 2)).toEqual(requests[0]?.messages)
    expect(trajectory.messages.slice(2)).toEqual([
      {
        role: 'assistant',
        text: '',
        toolCalls: [{ id: 'call-0', name: 'count', arguments: '{"message":"hello"}' }],
      },
      { role: 'tool', text: '1', toolCallId: 'call-0' },
      { role: 'assistant', text: 'hello' },
    ])
    expect(opened).toHaveLength(1)
    expect(opened[0]?.heard).toEqual(['count', 'hello'])
  })

  it('is recorded by its own output if no environment replies', async () => {
    const { reply: _, ...session } = await sessions().open()
    const job: Job = {
      session,
      skill: '',
      call: (_, __, worker) => worker?.(never) ?? Promise.reject(new Error('no work')),
      reopen: async () => session,
    }
    const trajectory = await createAgentHarness(fakeAgent('answers'), settings()).run(job, never)
    expect(trajectory.answer).toBe('answer to: What is 2 + 2?')
    expect(trajectory.messages.length).toBeGreaterThan(2)
    expect(trajectory.messages.slice(2).every(({ role }) => role === 'assistant')).toBe(true)
  })

  it('leaves a later session as it left its own, without being started again', async () => {
    let recorded: ModelReply | undefined
    const first = await run(fakeAgent('answers'), async (_, worker) => {
      recorded = await worker(never)
      return recorded
    })
    expect(recorded?.work).toMatchObject({
      isWhole: true,
      calls: [
        { tool: 'count', arguments: '{"message":"hello"}' },
        { tool: 'reply', arguments: '{"message":"hello"}' },
      ],
      files: [{ path: 'made/', content: '' }, { path: 'made/answer.txt' }],
    })
    await rm(join(folder, 'session-0'), { recursive: true })
    const again = await run(fakeAgent('exits-3'), async () => recorded as ModelReply)
    expect(again.trajectory).toEqual(first.trajectory)
    const [session] = again.opened
    expect(session?.heard).toEqual(['count', 'hello'])
    expect(await madeIn(session?.workspace ?? '')).toBe('answer to: /sums What is 2 + 2?')
    expect(await readFile(join(session?.workspace ?? '', 'given.txt'), 'utf8')).toBe('given')
  })

  it('starts over after a failed try, in a fresh session', async () => {
    let tries = 0
    const agent = fakeAgent('answers')
    const flaky: AgentDefinition = {
      ...agent,
      read: output => {
        const read = agent.read(output)
        tries += 1
        if (tries > 1) return read
        const { messages, usage, skipped } = read
        return { messages, usage, skipped, failure: { kind: 'server', message: 'busy', retryable: true } }
      },
    }
    const { opened, trajectory } = await run(flaky, async (_, worker) => {
      await expect(worker(never)).rejects.toMatchObject({ kind: 'server', message: 'Fake agent: busy' })
      return worker(never)
    })
    expect(trajectory.stop).toBe('answered')
    expect(opened.map(({ heard }) => heard)).toEqual([
      ['count', 'hello'],
      ['count', 'hello'],
    ])
    expect(await madeIn(opened[1]?.workspace ?? '')).toContain('answer to')
    await expect(madeIn(opened[0]?.workspace ?? '')).rejects.toThrow('ENOENT')
  })

  it('has ended when the attempt does, even if the stopped call did not wait for it', async () => {
    const stop = new AbortController()
    const failure = new WorldFailure('timeout', 'too late', { retryable: false })
    const stopped = run(fakeAgent('ignores-sigterm'), async (_, worker) => {
      worker(stop.signal).catch(() => undefined)
      await new Promise(resolve => setTimeout(resolve, 700))
      stop.abort(failure)
      throw failure
    })
    await expect(stopped).rejects.toBe(failure)
    expect(await processesWith(root)).toBe(0)
  })

  it('does not start if the run was stopped', async () => {
    const reason = new Error('stop')
    const begun = run(
      fakeAgent('answers'),
      () => Promise.reject(new Error('asked')),
      AbortSignal.abort(reason),
    )
    await expect(begun).rejects.toBe(reason)
  })

  it('is repeated if its changes are too large to keep', async () => {
    const big: AgentDefinition = {
      ...fakeAgent('answers'),
      prepare: () => ({
        files: [],
        environment: {},
        arguments: [
          '-e',
          `require('fs').writeFileSync('big', Buffer.alloc(17 * 1024 * 1024)); console.log('{"type":"answer","text":"made"}')`,
        ],
      }),
    }
    await run(big, async (_, worker) => {
      const reply = await worker(never)
      expect(reply.work).toMatchObject({ isWhole: false, files: [] })
      return reply
    })
  })
})

const { signal } = new AbortController()

describe('overhear', () => {
  it('gives turns and calls of tools as a conversation', async () => {
    const answers = ['You see a door.', 'done'] as const
    let turn = 0
    const look = {
      name: 'look',
      description: 'Looks.',
      parameters: {},
      call: async (given: string) => `nothing at ${given}`,
    }
    const { session, conversation } = recordSession(
      fakeSession({ tools: [look], reply: async () => answers[turn++] ?? 'done' }),
    )
    expect(await session.reply?.('I look around.')).toBe('You see a door.')
    expect(await session.tools[0]?.call('{"at":"door"}', signal)).toBe('nothing at {"at":"door"}')
    expect(await session.reply?.('I leave.')).toBe('done')
    expect(conversation()).toEqual([
      { role: 'assistant', text: 'I look around.' },
      { role: 'user', text: 'You see a door.' },
      {
        role: 'assistant',
        text: '',
        toolCalls: [{ id: 'call-2', name: 'look', arguments: '{"at":"door"}' }],
      },
      { role: 'tool', text: 'nothing at {"at":"door"}', toolCallId: 'call-2' },
      { role: 'assistant', text: 'I leave.' },
    ])
  })

  it('leaves a session alone if the environment does not reply', () => {
    const session = fakeSession()
    const overheard = recordSession(session)
    expect(overheard.session).toBe(session)
    expect(overheard.conversation()).toBeUndefined()
  })

  it('takes a session that is an object of a class', async () => {
    class Lamp implements Session {
      readonly skillAt = 'system'
      readonly tools = []
      readonly turnLimit = 3
      #isLit = false
      get instructions() {
        return this.#isLit ? 'The lamp is lit.' : 'The lamp is out.'
      }
      get prompt() {
        return 'Light it.'
      }
      async reply() {
        this.#isLit = true
        return 'done'
      }
      async close() {}
    }
    const { session, conversation } = recordSession(new Lamp())
    expect(session).toMatchObject({ instructions: 'The lamp is out.', prompt: 'Light it.', turnLimit: 3 })
    await session.reply?.('I strike a match.')
    expect(session.instructions).toBe('The lamp is lit.')
    expect(conversation()).toEqual([{ role: 'assistant', text: 'I strike a match.' }])
  })
})
