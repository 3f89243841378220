import { describe, expect, it } from 'vitest'
import { fakeRun } from '../../../test/fake-run.js'
import { scoreContext } from '../../../test/score-context.js'
import { PausedError, WorldFailure } from '../../core/errors/errors.js'
import type { Environment } from '../../core/ports/environment.js'
import type { Harness } from '../../core/ports/harness.js'
import type { ModelReply } from '../../core/ports/model.js'
import { attemptTask } from './attempt.js'

const { sandbox } = scoreContext
const place = { stage: 'rollout', epoch: 1, step: 1 } as const

const environment: Environment = {
  id: 'my-environment',
  needs: ['chat'],
  tasks: async () => [],
  open: async () => ({
    instructions: 'rules',
    prompt: 'question',
    skillAt: 'system',
    tools: [],
    turnLimit: 1,
    hidden: 'the proof',
    close: async () => undefined,
  }),
  score: async () => ({ hard: 1, soft: 0.5, feedback: 'fine' }),
}

const harness: Harness = {
  id: 'chat',
  supports: ['chat'],
  async run({ call, session }) {
    const { text } = await call({ messages: [{ role: 'user', text: String(session.prompt) }] }, 0)
    return {
      messages: [
        { role: 'user', text: 'question' },
        { role: 'assistant', text },
      ],
      answer: text,
      stop: 'answered',
    }
  },
}

function attempt(changed: Partial<Environment>, replies: Partial<ModelReply> = {}, by = harness) {
  const run = fakeRun(() => ({ text: 'reply', ...replies }))
  const effect = {
    kind: 'attempt',
    skill: 'skill',
    task: { id: 'task-7', type: 'sums' },
    sample: 0,
    scope: '',
  } as const
  return {
    run,
    result: attemptTask({ environment: { ...environment, ...changed }, harness: by, sandbox }, effect, {
      key: 'key',
      place,
      run,
    }),
  }
}

describe('attemptTask', () => {
  it('opens, runs, scores and stores the texts, including the hidden one', async () => {
    const { run, result } = attempt({})
    const done = await result
    expect(done).toMatchObject({
      task: 'task-7',
      type: 'sums',
      outcome: { status: 'scored', score: { hard: 1, soft: 0.5 } },
    })
    expect(await run.get(done.hidden ?? '')).toBe('the proof')
    expect(await run.get(done.messages[0]?.blob ?? '')).toBe('question')
    expect(run.effects).toMatchObject([{ kind: 'call', role: 'target', scope: 'key', sample: 0 }])
  })

  it('sums the usage of all target calls, if known', async () => {
    const twice: Harness = {
      ...harness,
      run: async (job, signal) => {
        await job.call({ messages: [{ role: 'user', text: 'first' }] }, 1)
        return harness.run(job, signal)
      },
    }
    const usage = { input: 10, output: 5, cachedInput: 8 }
    expect(await attempt({}, { usage, ms: 30.4 }, twice).result).toMatchObject({ tokens: 30, ms: 61 })
    const silent = await attempt({}, { usage: { input: 10 } }).result
    expect(silent.tokens).toBeUndefined()
    expect(silent.ms).toBeUndefined()
  })

  it("does not count the judge's usage", async () => {
    const score: Environment['score'] = async (_task, _trajectory, { judge }) => {
      await judge({ messages: [{ role: 'user', text: 'is it right?' }] })
      return { hard: 1, soft: 1, feedback: '' }
    }
    const { run, result } = attempt({ score }, { usage: { input: 1, output: 1 }, ms: 5 })
    expect(await result).toMatchObject({ tokens: 2, ms: 5 })
    expect(run.effects).toHaveLength(2)
  })

  it.each([Number.NaN, -0.1, 1.5, undefined])(
    'pauses on the score %s, naming task and scorer',
    async value => {
      const { result } = attempt({ score: async () => ({ hard: value as number, soft: 0, feedback: '' }) })
      const error = await result.catch((thrown: unknown) => thrown)
      expect(error).toBeInstanceOf(PausedError)
      expect((error as Error).message).toContain('task-7')
      expect((error as Error).message).toContain('my-environment')
    },
  )

  it.each(['open', 'score'] as const)('pauses when the environment throws in %s', async step => {
    const { result } = attempt({
      [step]: async () => {
        throw new TypeError('cannot read properties of undefined')
      },
    })
    const error = await result.catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(PausedError)
    expect((error as Error).message).toMatch(new RegExp(`my-environment.*${step}.*task-7.*cannot read`))
  })

  it('lets a scorer call the judge, once per vote, and never turns a judge failure into a score', async () => {
    const judging: Partial<Environment> = {
      score: async (_task, { answer }, { judge }) => {
        const question = { messages: [{ role: 'user', text: `Is "${answer}" right?` }] } as const
        const votes = [await judge(question), await judge(question), await judge(question, 7)]
        return { hard: votes.every(vote => vote.text === 'reply') ? 1 : 0, soft: 0, feedback: '' }
      },
    }
    const { run, result } = attempt(judging)
    expect((await result).outcome).toMatchObject({ score: { hard: 1 } })
    expect(run.effects.slice(1)).toMatchObject([
      { role: 'judge', scope: 'key', sample: 0 },
      { role: 'judge', scope: 'key', sample: 1 },
      { role: 'judge', scope: 'key', sample: 7 },
    ])
    const broken = fakeRun(effect => {
      if (effect.kind === 'call' && effect.role === 'judge') {
        throw new WorldFailure('server', 'overloaded', { retryable: true })
      }
      return { text: 'reply' }
    })
    const effect = { kind: 'attempt', skill: '', task: { id: 'x' }, sample: 0, scope: '' } as const
    const failed = attemptTask({ environment: { ...environment, ...judging }, harness, sandbox }, effect, {
      key: 'key',
      place,
      run: broken,
    })
    await expect(failed).rejects.toBeInstanceOf(WorldFailure)
  })

  it('closes the session even if the harness fails', async () => {
    let closed = 0
    const session = await environment.open({ id: 'x' }, scoreContext)
    const close = async () => {
      closed += 1
    }
    const counting = { ...environment, open: async () => ({ ...session, close }) }
    const broken = { ...harness, run: async () => Promise.reject(new Error('lost the connection')) }
    const effect = { kind: 'attempt', skill: '', task: { id: 'x' }, sample: 0, scope: '' } as const
    const run = fakeRun(() => ({ text: '' }))
    await expect(
      attemptTask({ environment: counting, harness: broken, sandbox }, effect, { key: 'key', place, run }),
    ).rejects.toThrow('lost the connection')
    expect(closed).toBe(1)
  })

  it('works without a type and a hidden text', async () => {
    const { hidden: _, ...session } = await environment.open({ id: 'x' }, scoreContext)
    const run = fakeRun(() => ({ text: 'reply' }))
    const effect = { kind: 'attempt', skill: '', task: { id: 'x' }, sample: 2, scope: '' } as const
    const parts = { environment: { ...environment, open: async () => session }, harness, sandbox }
    const done = await attemptTask(parts, effect, { key: 'key', place, run })
    expect(done).toMatchObject({ type: '', sample: 2 })
    expect(done.hidden).toBeUndefined()
  })

  it('pauses when the environment throws in close, with what to do and the cause', async () => {
    const session = await environment.open({ id: 'x' }, scoreContext)
    const cause = new Error('still in use')
    const { result } = attempt({ open: async () => ({ ...session, close: () => Promise.reject(cause) }) })
    await expect(result).rejects.toMatchObject({
      message: 'The environment "my-environment" failed to close the task "task-7": still in use',
      hint: expect.stringContaining('--new'),
      cause,
    })
  })

  it.each(['0.5', null, true])('pauses on %j in place of a number, with what to do', async value => {
    const { result } = attempt({
      score: async () => ({ hard: 1, soft: value as unknown as number, feedback: '' }),
    })
    await expect(result).rejects.toMatchObject({
      message: expect.stringContaining(`soft = ${String(value)}`),
      hint: expect.stringContaining('was not scored'),
    })
  })
})
