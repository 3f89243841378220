import { describe, expect, it } from 'vitest'
import { createHarness } from '../../src/agents/chat/chat.js'
import { WorldFailure } from '../../src/core/errors/errors.js'
import type { Session } from '../../src/core/ports/environment.js'
import type { Harness, Job } from '../../src/core/ports/harness.js'
import type { ModelRequest } from '../../src/core/ports/model.js'
import { promptParts, userMessage } from '../../src/core/task/parts.js'
import { harnessChecks } from './harness.js'

const good = createHarness()

describe('chat', () => {
  it.each(harnessChecks)('$name', check => check.run(good))
})

type Run = Harness['run']

/** Each breaks one requirement: by changing the job that a correct harness gets, or its result. */
const changing =
  (change: (job: Job) => Job): Run =>
  (job, signal) =>
    good.run(change(job), signal)
const session = (job: Job, fields: Partial<Session>): Job => ({
  ...job,
  session: { ...job.session, ...fields },
})

const brokenHarnesses: readonly (readonly [string, Run, string])[] = [
  [
    'forgets the skill',
    changing(job => ({ ...job, skill: '' })),
    'puts instructions and skill into the system message, the task into the user’s',
  ],
  [
    'announces a skill that is not there',
    changing(job => ({ ...job, skill: job.skill === '' ? '(none)' : job.skill })),
    'mentions no skill where there is none',
  ],
  [
    'always puts the skill into the system message',
    changing(job => session(job, { skillAt: 'system' })),
    'puts the skill before the prompt where the environment wants it there',
  ],
  [
    'shows the model what is hidden',
    changing(job => session(job, { prompt: `${job.session.prompt} ${job.session.hidden ?? ''}` })),
    'keeps hidden text from the model',
  ],
  [
    'sends the words of a prompt and forgets its files',
    changing(job => session(job, { prompt: userMessage(promptParts(job.session.prompt)).text })),
    'hands on images and documents as they are, in their order',
  ],
  [
    'remembers what it should not',
    changing(job => session(job, { stateless: false })),
    'asks every turn anew where the world says all that counts',
  ],
  [
    'forgets what was said',
    changing(job => session(job, { stateless: true })),
    'keeps a conversation whole, with the skill in it once',
  ],
  [
    'has all the time in the world',
    changing(job => session(job, { secondsLimit: Number.POSITIVE_INFINITY })),
    'ends when its time is over, with the words that were said',
  ],
  [
    'knows no turn limit',
    changing(job => session(job, { turnLimit: Number.POSITIVE_INFINITY })),
    'stops at the turn limit',
  ],
  [
    'takes every end for an answer',
    async (job, signal) => ({ ...(await good.run(job, signal)), stop: 'answered' }),
    'scores length as output-limit',
  ],
  [
    'turns a failure of the world into an answer',
    (job, signal) =>
      good.run(job, signal).catch((error: unknown) => {
        if (!(error instanceof WorldFailure)) throw error
        return { messages: [], answer: error.message, stop: 'answered' }
      }),
    'hands on a failure of the world',
  ],
  [
    'shows the model a failure of the world as a result',
    changing(job =>
      session(job, {
        tools: job.session.tools.map(tool => ({
          ...tool,
          call: (text, signal) => tool.call(text, signal).catch((error: Error) => error.message),
        })),
      }),
    ),
    'hands on a failure of the world inside a tool',
  ],
  [
    'ignores the world’s reply',
    changing(job => session(job, { reply: async () => 'done' })),
    'goes on as long as the world answers',
  ],
  [
    'offers no tools',
    changing(job => session(job, { tools: [] })),
    'uses the tool and shows its result to the model',
  ],
  [
    'goes on with the same list of messages',
    changing(job => {
      const messages: ModelRequest['messages'][number][] = []
      return {
        ...job,
        call: (request, turn) => {
          messages.splice(0, messages.length, ...request.messages)
          return job.call({ ...request, messages }, turn)
        },
      }
    }),
    'does not change a request after it was made',
  ],
  [
    'records no system message',
    async (job, signal) => {
      const trajectory = await good.run(job, signal)
      return { ...trajectory, messages: trajectory.messages.filter(message => message.role !== 'system') }
    },
    'records everything that was said',
  ],
  [
    'does not hear the signal',
    job => good.run(job, new AbortController().signal),
    'makes no call once aborted',
  ],
]

describe('the suite fails a harness that', () => {
  it.each(brokenHarnesses)('%s', async (_name, run, checkName) => {
    const check = harnessChecks.find(candidate => candidate.name === checkName)
    expect(check, checkName).toBeDefined()
    await expect(check?.run({ ...good, run })).rejects.toThrow()
  })
})
