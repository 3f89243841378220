import { chmod, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type FakeAgent, processesWith, scriptOf } from '../../../../test/support/fake-agent.js'
import { InputError, WorldFailure } from '../../../core/errors/errors.js'
import { type AgentPlace, closePlace, openPlace } from './place.js'
import {
  type AgentCommand,
  type AgentLimits,
  createLineSplitter,
  defaultLimits,
  environmentOf,
  locateProgram,
  runAgent,
} from './process.js'

let root: string
let place: AgentPlace
let lines: string[]
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'skillopt-process-'))
  place = await openPlace(root)
  lines = []
})
afterEach(async () => {
  await closePlace(place)
  expect(await readdir(root)).toEqual([])
  await rm(root, { recursive: true })
})

const never = new AbortController().signal
const limits: AgentLimits = { ...defaultLimits, seconds: 20, graceSeconds: 0.3 }

interface Asked {
  readonly command?: Partial<AgentCommand>
  readonly limits?: Partial<AgentLimits>
  readonly onLine?: (line: string) => void
  readonly isEnough?: (line: string) => boolean
  readonly signal?: AbortSignal
}

function run(agent: FakeAgent, words: readonly string[], asked: Asked = {}) {
  const command: AgentCommand = {
    title: 'Fake agent',
    program: process.execPath,
    arguments: [scriptOf(agent), ...words],
    environment: environmentOf(place, process.env, { named: [], set: {} }),
    ...asked.command,
  }
  const onLine = (line: string) => {
    if (asked.onLine === undefined) lines.push(line)
    else asked.onLine(line)
    return asked.isEnough?.(line) === true ? ('enough' as const) : undefined
  }
  return runAgent(command, {
    place,
    limits: { ...limits, ...asked.limits },
    onLine,
    signal: asked.signal ?? never,
  })
}

const records = () => lines.map(line => JSON.parse(line) as Record<string, unknown>)

describe('an agent that ends by itself', () => {
  it('gets its input on stdin and its folder, and its lines are handed on', async () => {
    const end = await run('answers', ['--quiet'], {
      command: { stdin: 'two\nlines, and ünïcode' },
      limits: { seconds: Number.POSITIVE_INFINITY },
    })
    expect(end).toEqual({
      exitCode: 0,
      signal: undefined,
      timedOut: false,
      exceededOutput: false,
      stoppedByReader: false,
      truncated: false,
      stderr: '',
    })
    const [world, answer] = records()
    expect(world).toMatchObject({
      task: 'two\nlines, and ünïcode',
      arguments: ['--quiet'],
      cwd: place.workspace,
    })
    expect(answer).toEqual({ type: 'answer', text: 'answer to: two\nlines, and ünïcode' })
  })

  it('finds stdin closed if there is no input', async () => {
    await run('answers', [])
    expect(records()[0]).toMatchObject({ task: '' })
  })

  it('reports its exit code and the end of its stderr', async () => {
    const end = await run('exits-3', [], { limits: { errorCharacters: 14 } })
    expect(end).toMatchObject({ exitCode: 3, signal: undefined, stderr: 'no such model\n' })
    expect(lines).toEqual([])
  })

  it('may ignore its input', async () => {
    const end = await run('exits-3', [], { command: { stdin: 'x'.repeat(5_000_000) } })
    expect(end.exitCode).toBe(3)
  })

  it('leaves no child process behind, in its group or in another session', async () => {
    const mark = place.mark
    const end = await run('forks', [mark, 'leaves'])
    expect(end.exitCode).toBe(0)
    expect(records()[0]?.pids).toHaveLength(2)
    expect(await processesWith(mark)).toBe(0)
  })
})

describe('an agent that has to be ended', () => {
  it('is ended when its time is up', async () => {
    const end = await run('hangs', [], { limits: { seconds: 3 } })
    expect(end).toMatchObject({
      timedOut: true,
      signal: 'SIGTERM',
      exitCode: undefined,
      stderr: 'waiting for the server\n',
    })
    expect(lines).toHaveLength(1)
    expect(await processesWith(place.mark)).toBe(0)
  })

  it('is killed if it does not listen', async () => {
    const end = await run('ignores-sigterm', [], { limits: { seconds: 3 } })
    expect(end).toMatchObject({ timedOut: true, signal: 'SIGKILL' })
    // It got SIGTERM first.
    expect(end.stderr).toContain('no\n')
  })

  it('is ended with all its child processes, even those that cleared their environment', async () => {
    const stop = new AbortController()
    const reason = new Error('enough')
    const onLine = () => stop.abort(reason)
    await expect(run('forks', [place.mark], { onLine, signal: stop.signal })).rejects.toBe(reason)
    expect(await processesWith(place.mark)).toBe(0)
  })

  it('is ended while it is forking, and no child process escapes', async () => {
    for (let round = 0; round < 3; round++) {
      const stop = new AbortController()
      const onLine = () => stop.abort('enough')
      await expect(run('keeps-forking', [place.mark], { onLine, signal: stop.signal })).rejects.toBe('enough')
      expect(await processesWith(place.mark)).toBe(0)
    }
  })

  it('does not begin once it is too late', async () => {
    await expect(run('answers', [], { signal: AbortSignal.abort('over') })).rejects.toBe('over')
    expect(await readdir(place.workspace)).toEqual([])
  })

  it.each(['stdout', 'stderr'])(
    'is ended when it prints without end on %s, and little is kept',
    async stream => {
      const before = process.memoryUsage().heapUsed
      let heard = 0
      const end = await run('prints-without-end', [stream], {
        limits: { outputCharacters: 20_000_000, errorCharacters: 5000 },
        onLine: line => {
          heard += line.length
        },
      })
      expect(end).toMatchObject({ exceededOutput: true, truncated: true, timedOut: false })
      expect(heard).toBeLessThanOrEqual(20_000_000)
      expect(heard > 10_000_000).toBe(stream === 'stdout')
      expect(end.stderr.length).toBe(stream === 'stderr' ? 5000 : 0)
      expect(process.memoryUsage().heapUsed - before).toBeLessThan(60_000_000)
    },
  )

  it('is ended by a reader that fails, with that failure', async () => {
    const onLine = () => {
      throw new SyntaxError('what is this?')
    }
    await expect(run('hangs', [], { onLine })).rejects.toThrow('what is this?')
    expect(await processesWith(place.mark)).toBe(0)
  })
})

describe('an agent that cannot be started', () => {
  it('is a failure of the harness, with the system’s message', async () => {
    const attempt = run('answers', [], { command: { program: join(root, 'nothing') } })
    await expect(attempt).rejects.toThrow(WorldFailure)
    await expect(attempt).rejects.toMatchObject({
      kind: 'harness',
      retryable: false,
      message: expect.stringMatching(/^Fake agent could not be started: .*ENOENT/),
    })
  })

  it('is one too if its arguments are impossible', async () => {
    const attempt = run('answers', ['zero\0byte'])
    await expect(attempt).rejects.toMatchObject({
      kind: 'harness',
      message: expect.stringContaining('null bytes'),
    })
  })
})

describe('the environment of an agent', () => {
  it('holds what programs need, what is named, and what is set, and nothing else of ours', () => {
    const env = { PATH: '/bin', HOME: '/home/me', TMPDIR: '/tmp', CLAUDECODE: '1', KEY: 'k', OTHER_KEY: 'o' }
    expect(environmentOf(place, env, { named: ['KEY', 'ABSENT'], set: { MODE: 'quiet' } })).toEqual({
      PATH: '/bin',
      KEY: 'k',
      HOME: place.home,
      USERPROFILE: place.home,
      TMPDIR: place.temporary,
      TEMP: place.temporary,
      TMP: place.temporary,
      MODE: 'quiet',
      SKILLOPT_ATTEMPT: place.mark,
    })
  })

  it('is passed on unchanged', async () => {
    const environment = environmentOf(place, { PATH: process.env.PATH }, { named: [], set: {} })
    await run('answers', [], { command: { environment } })
    expect(records()[0]?.env).toEqual(environment)
  })
})

describe('the program of an agent', () => {
  const agent = { title: 'Codex', program: 'codex', install: 'npm install -g @openai/codex' }
  const put = async (path: string, mode: number) => {
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, '#!/bin/sh\n')
    await chmod(path, mode)
  }
  const bin = () => join(place.folder, 'bin')

  it('is found in the PATH', async () => {
    await put(join(bin(), 'codex'), 0o755)
    const found = await locateProgram(agent, { PATH: `/nowhere:${bin()}` })
    expect(found).toBe(join(bin(), 'codex'))
  })

  it('is an .exe on Windows', async () => {
    await put(join(bin(), 'codex'), 0o755)
    await put(join(bin(), 'codex.exe'), 0o755)
    expect(await locateProgram(agent, { PATH: bin() }, 'win32')).toBe(join(bin(), 'codex.exe'))
  })

  it.each([{}, { PATH: '' }, { PATH: '/nowhere' }])('is missed, with how to install it, in %j', async env => {
    const looking = locateProgram(agent, env)
    await expect(looking).rejects.toThrow(InputError)
    await expect(looking).rejects.toMatchObject({
      message: 'Codex is not installed: no program "codex" in PATH.',
      hint: 'Install it: npm install -g @openai/codex',
    })
  })

  it('is refused if it cannot be executed', async () => {
    await put(join(bin(), 'codex'), 0o644)
    const wanted = { message: expect.stringMatching(/codex is not an executable file\.$/) }
    await expect(locateProgram(agent, { PATH: bin() })).rejects.toMatchObject(wanted)
    await expect(locateProgram({ ...agent, program: join(bin(), 'codex') }, {})).rejects.toMatchObject(wanted)
  })
})

function split(chunks: readonly string[], longest = 100) {
  const found: string[] = []
  const lines = createLineSplitter(line => void found.push(line), longest)
  for (const chunk of chunks) lines.add(chunk)
  const before = [...found]
  lines.finish()
  return { before, found, lost: lines.hasDropped() }
}

describe('lines', () => {
  it.each([
    [['a\nb\n'], ['a', 'b']],
    [
      ['a', 'b', 'c\nd', '\n'],
      ['abc', 'd'],
    ],
    [
      ['a\r', '\nb\r\n'],
      ['a', 'b'],
    ],
    [['\n\na\n\n'], ['a']],
  ])('of %j are %j', (chunks, wanted) => {
    expect(split(chunks)).toEqual({ before: wanted, found: wanted, lost: false })
  })

  it('wait for their end, which the last may lack', () => {
    expect(split(['a\nb'])).toEqual({ before: ['a'], found: ['a', 'b'], lost: false })
  })

  it.each([[['x'.repeat(11), '\nshort\n']], [['xxxxxx', 'xxxxxx', 'xxxx\nshort\n']]])(
    'that are too long are left out, and what comes after is not',
    chunks => {
      expect(split(chunks, 10)).toEqual({ before: ['short'], found: ['short'], lost: true })
    },
  )

  it('of just the longest length are kept', () => {
    expect(split(['0123456789\n'], 10)).toMatchObject({ found: ['0123456789'], lost: false })
  })
})
