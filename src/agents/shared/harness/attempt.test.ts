import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type FakeAgent, fakeAgent, fakeSession, processesWith } from '../../../../test/support/fake-agent.js'
import { timeLimit } from '../../../../test/support/time-limit.js'
import { InputError, WorldFailure } from '../../../core/errors/errors.js'
import type { Session } from '../../../core/ports/environment.js'
import { type AgentSettings, type AgentTask, runAttempt } from './attempt.js'
import type { AgentDefinition, AgentOutcome } from './definition.js'
import { defaultLimits } from './process.js'

let root: string
let workspace: string
beforeEach(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'skillopt-attempt-'))
  root = join(folder, 'attempts')
  workspace = join(folder, 'workspace')
  await mkdir(root)
  await mkdir(workspace)
})
afterEach(async () => {
  expect(await readdir(root)).toEqual([])
  expect(await processesWith(root)).toBe(0)
  await rm(join(root, '..'), { recursive: true })
})

const never = new AbortController().signal
const limits = { ...defaultLimits, seconds: 20, graceSeconds: 0.3, tokens: 1000 }

type Changed = Partial<AgentSettings & AgentTask>

function attemptAt(session: Partial<Session>, changed: Changed = {}): AgentSettings & AgentTask {
  return {
    session: fakeSession(session),
    skill: '# Sums\n\nAdd them.\n',
    program: process.execPath,
    model: undefined,
    effort: undefined,
    endpoint: undefined,
    key: undefined,
    env: {
      HOME: root,
      PATH: process.env.PATH,
      FAKE_KEY: 'key-of-the-user',
      FAKE_REGION: 'north',
      ANTHROPIC_API_KEY: 'no',
    },
    access: 'workspace',
    inherit: false,
    limits,
    root,
    ...changed,
  }
}

function run(
  agent: FakeAgent | AgentDefinition,
  session: Partial<Session> = {},
  changed: Changed = {},
  signal: AbortSignal = never,
): Promise<AgentOutcome> {
  const definition = typeof agent === 'string' ? fakeAgent(agent, [root]) : agent
  const at = attemptAt(session, changed)
  return runAttempt(definition, at, { task: at, signal })
}

/** The environment that the fake agent reports in its answer. */
function worldOf(outcome: AgentOutcome): Record<string, unknown> & { env: Record<string, string> } {
  if (outcome.status === 'failed') throw outcome.failure
  const found = outcome.messages.find(({ text }) => text.includes('"type":"world"'))
  return JSON.parse(found?.text ?? '{}') as ReturnType<typeof worldOf>
}

describe('an attempt', () => {
  it('gives the agent the task, the skill and folders of its own', async () => {
    const outcome = await run('answers')
    expect(outcome).toMatchObject({
      status: 'ended',
      answer: 'answer to: /sums What is 2 + 2?',
      stop: 'answered',
    })
    const { env, files, cwd } = worldOf(outcome)
    expect(files).toEqual(['.fake', 'FAKE.md', 'made'])
    expect(env.FAKE_REGION).toBe('north')
    expect(env).not.toHaveProperty('ANTHROPIC_API_KEY')
    // Local paths are removed from the agent's output.
    expect([env.HOME, env.FAKE_CONFIG, cwd]).toEqual(['/attempt/home', '/attempt/config', '/attempt/work'])
    expect(env.TMPDIR).toMatch(/^\/attempt\/tmp/)
  })

  it('pauses the run if its folders cannot be created', async () => {
    await expect(run('answers', {}, { root: join(root, 'missing') })).rejects.toMatchObject({
      code: 'paused',
      message: expect.stringMatching(/^Could not create the folders for an attempt of Fake agent: ENOENT/),
    })
  })

  it('writes no skill if there is none', async () => {
    const outcome = await run('answers', {}, { skill: '' })
    expect(outcome).toMatchObject({ answer: 'answer to: What is 2 + 2?' })
    expect(worldOf(outcome).files).toEqual(['FAKE.md', 'made'])
  })

  it('keeps the keys of the user out of what is recorded', async () => {
    const outcome = await run('answers')
    // The agent had the key and printed it.
    expect(worldOf(outcome).env.FAKE_KEY).toBe('[redacted]')
    expect(JSON.stringify(outcome)).not.toContain('key-of-the-user')
  })

  it('keeps the tokens of a login out of it, and brings a renewed one back although it was stopped', async () => {
    const home = join(root, '..', 'home')
    const [old, renewed] = ['old', 'new'].map(word => `${word}-token-of-the-user-${'x'.repeat(12)}`)
    await mkdir(join(home, '.fake'), { recursive: true })
    const file = join(home, '.fake', 'login.json')
    await writeFile(file, JSON.stringify({ token: old }))
    const script = `
      const fs = require('fs')
      const file = process.env.FAKE_CONFIG + '/login.json'
      const old = JSON.parse(fs.readFileSync(file, 'utf8')).token
      fs.writeFileSync(file, JSON.stringify({ token: '${renewed}' }))
      console.log(JSON.stringify({ type: 'answer', text: old + ' and ${renewed}' }))`
    const agent = fakeAgent('answers')
    const prepared = (more: string): AgentDefinition => ({
      ...agent,
      prepare: (job, place) => ({ ...agent.prepare(job, place), arguments: ['-e', script + more] }),
    })
    const env = { PATH: process.env.PATH, HOME: home }
    const outcome = await run(prepared(''), {}, { env })
    expect(outcome).toMatchObject({ answer: '[redacted] and [redacted]' })
    expect(JSON.parse(await readFile(file, 'utf8'))).toEqual({ token: renewed })

    await writeFile(file, JSON.stringify({ token: old }))
    const stop = new AbortController()
    const watched = {
      ...prepared('; setInterval(() => {}, 1000)'),
      isNoise: () => {
        stop.abort('stop')
        return false
      },
    }
    await expect(run(watched, {}, { env }, stop.signal)).rejects.toBe('stop')
    expect(JSON.parse(await readFile(file, 'utf8'))).toEqual({ token: renewed })
  })

  it('works on a copy, of which the work comes back and nothing of the harness', async () => {
    await writeFile(join(workspace, 'given.txt'), 'given')
    const outcome = await run('answers', { workspace })
    expect(worldOf(outcome).files).toContain('given.txt')
    expect((await readdir(workspace, { recursive: true })).sort()).toEqual([
      'given.txt',
      'made',
      join('made', 'answer.txt'),
    ])
    expect(await readFile(join(workspace, 'made', 'answer.txt'), 'utf8')).toBe(
      'answer to: /sums What is 2 + 2?',
    )
  })

  it('gets no copy if only the session’s tools work in the workspace', async () => {
    await writeFile(join(workspace, 'given.txt'), 'given')
    const write = {
      name: 'write',
      description: 'Writes.',
      parameters: {},
      call: async () => {
        await writeFile(join(workspace, 'by-tool.txt'), 'made')
        return 'written'
      },
    }
    const outcome = await run('answers', { workspace, toolsOnly: true, tools: [write] })
    expect(worldOf(outcome).files).not.toContain('given.txt')
    expect(outcome).not.toHaveProperty('changes')
    expect((await readdir(workspace)).sort()).toEqual(['by-tool.txt', 'given.txt'])
  })

  it('drops noise lines', async () => {
    const isNoise = (line: string) => line.includes('"type":"world"')
    const outcome = await run({ ...fakeAgent('answers'), isNoise })
    expect(outcome.messages.map(({ text }) => text)).toEqual([
      '{"type":"answer","text":"answer to: /sums What is 2 + 2?"}',
    ])
  })

  it('offers the session’s tools, and turns with its environment', async () => {
    const heard: string[] = []
    const look = {
      name: 'look',
      description: 'Looks.',
      parameters: {},
      call: async (given: string) => `saw ${given}`,
    }
    const reply = async (text: string) => {
      heard.push(text)
      return 'Go on.'
    }
    const outcome = await run('answers', { tools: [look], reply, turnLimit: 1 })
    expect(outcome).toMatchObject({ status: 'ended', stop: 'turn-limit' })
    const said = JSON.stringify(outcome)
    expect(said).toContain('saw {')
    expect(heard).toEqual(['hello'])
    // The token of the tool server stays out of the log as well.
    expect(worldOf(outcome).env.TASK_TOKEN).toBe('[redacted]')
  })
})

describe('an attempt that fails', () => {
  it('reports an agent that dies at once, in its own words', async () => {
    await writeFile(join(workspace, 'given.txt'), 'given')
    const outcome = await run('exits-3', { workspace })
    expect(outcome).toMatchObject({
      status: 'failed',
      failure: {
        kind: 'harness',
        message: 'Fake agent: it ended with 3. Error: no such model',
      },
    })
    expect(await readdir(workspace)).toEqual(['given.txt'])
  })

  it('hides keys in those words', async () => {
    const words: AgentDefinition = {
      ...fakeAgent('answers'),
      prepare: () => ({
        files: [],
        environment: {},
        arguments: ['-e', 'console.error("bad key " + process.env.FAKE_KEY + ", not sk-abcdefgh")'],
      }),
    }
    expect(await run(words)).toMatchObject({
      failure: { message: expect.stringMatching(/bad key \[redacted\], not \[redacted\]$/) },
    })
  })

  it('is an external time-out if the task sets no limit, and the agent’s own otherwise', async () => {
    const short = { ...limits, seconds: 3 }
    expect(await run('hangs', {}, { limits: short })).toMatchObject({
      status: 'failed',
      failure: {
        kind: 'timeout',
        message: 'Fake agent did not finish within 3 s. It said: waiting for the server',
      },
    })
    expect(await run('hangs', { secondsLimit: 3 })).toMatchObject({
      status: 'ended',
      stop: 'time-limit',
      answer: expect.stringContaining('I am thinking'),
    })
  })

  it('is not a failure of the task if the agent never started', async () => {
    const silent: AgentDefinition = {
      ...fakeAgent('hangs'),
      prepare: () => ({ files: [], environment: {}, arguments: ['-e', 'setInterval(() => {}, 1000)'] }),
    }
    expect(await run(silent, { secondsLimit: 1 })).toMatchObject({ failure: { kind: 'timeout' } })
  })

  it('is scored if the agent printed without end', async () => {
    const quiet = { ...limits, outputCharacters: 100_000 }
    expect(await run('prints-without-end', {}, { limits: quiet })).toMatchObject({
      status: 'ended',
      stop: 'output-limit',
    })
  })

  it('ends with the failure of a tool that is not the agent’s doing', async () => {
    const failure = new WorldFailure('harness', 'no sandbox', { retryable: true })
    const broken = {
      name: 'broken',
      description: 'Breaks.',
      parameters: {},
      call: () => Promise.reject(failure),
    }
    await expect(run('answers', { tools: [broken] })).rejects.toBe(failure)
  })

  it('is refused before the agent starts if the skill is invalid or the workspace is missing', async () => {
    const broken = run('exits-3', {}, { skill: '---\nname: A B\ndescription: x\n---\nBody\n' })
    await expect(broken).rejects.toThrow(InputError)
    await expect(run('exits-3', { workspace: join(root, 'missing') })).rejects.toThrow('ENOENT')
  })

  it('throws what stopped it', async () => {
    const stop = new AbortController()
    const definition: AgentDefinition = {
      ...fakeAgent('hangs'),
      isNoise: () => {
        stop.abort(new Error('Ctrl-C'))
        return false
      },
    }
    await expect(run(definition, {}, {}, stop.signal)).rejects.toThrow('Ctrl-C')
    await expect(run('hangs', {}, {}, AbortSignal.abort(new Error('before')))).rejects.toThrow('before')
  })
})

it('leaves no process and no folder of 100 attempts that are killed midway', {
  timeout: timeLimit(180_000),
}, async () => {
  await writeFile(join(workspace, 'given.txt'), 'given')
  const agents = ['forks', 'hangs', 'ignores-sigterm', 'prints-without-end', 'answers'] as const
  let killed = 0
  const attempt = async (number: number) => {
    const stop = new AbortController()
    const agent = fakeAgent(agents[number % agents.length] ?? 'forks', [root])
    const definition: AgentDefinition = {
      ...agent,
      // Half of the agents are killed mid-work, the others at any point, even before they start.
      isNoise: () => {
        if (number % 2 === 0) stop.abort('killed')
        return false
      },
    }
    const timer = number % 2 === 0 ? undefined : setTimeout(() => stop.abort('killed'), number * 3)
    const given = attemptAt(
      { workspace, tools: [], reply: async () => 'Go on.' },
      { limits: { ...limits, seconds: 60, graceSeconds: 0.05 } },
    )
    await runAttempt(definition, given, { task: given, signal: stop.signal }).catch((error: unknown) => {
      expect(error).toBe('killed')
      killed += 1
    })
    clearTimeout(timer)
  }
  const numbers = Array.from({ length: 100 }, (_, index) => index).values()
  const lane = async () => {
    for (const number of numbers) await attempt(number)
  }
  await Promise.all([lane(), lane(), lane(), lane(), lane(), lane()])
  expect(killed).toBeGreaterThan(80)
  expect(await readdir(root)).toEqual([])
  expect(await processesWith(root)).toBe(0)
  expect(process.listenerCount('exit')).toBeLessThan(10)
})
