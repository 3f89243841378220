import { describe, expect, it } from 'vitest'
import { fakeIo } from '../../test/support/fake-io.js'
import { LogBuilder } from '../../test/support/sample-run.js'
import { CapReachedError, exitCodes, InputError, PausedError } from '../core/errors/errors.js'
import type { Forecast } from '../trainer/forecast/forecast.js'
import type { Library } from './library.js'
import { main } from './main.js'

const groups = {
  Start: ['quickstart', 'init', 'doctor', 'try'],
  'Train and evaluate': ['train', 'eval', 'runs', 'show', 'view', 'report'],
  Use: ['install', 'trust'],
  Sleep: ['sleep'],
  More: ['tasks', 'data', 'models', 'completion', 'help'],
}
const commands = Object.values(groups)
  .flat()
  .filter(name => name !== 'help')
const result = {
  outcome: 'finished',
  directory: '/nowhere/runs/a',
  view: undefined,
  error: undefined,
  verdict: undefined,
  bestSkill: undefined,
} as const
const forecast: Forecast = {
  rows: [
    {
      stage: 'rollout',
      role: 'target',
      calls: { low: 40, likely: 40, high: 40 },
      tokens: { low: 4000, likely: 6000, high: 9000 },
      cost: undefined,
    },
  ],
  total: {
    calls: { low: 40, likely: 60, high: 90 },
    tokens: { low: 4000, likely: 6000, high: 9000 },
    cost: { low: 0.1, likely: 1, high: 2 },
  },
  onTop: [],
  measured: [],
  assumptions: ['about 4 characters per token'],
  guessesLengths: true,
}

describe('help', () => {
  it('is what the bare command shows', async () => {
    const io = fakeIo<Library>()
    expect(await main([], io)).toBe(exitCodes.ok)
    expect(io.err()).toBe('')
    for (const [heading, names] of Object.entries(groups)) {
      const [, block = ''] = io.out().split(`\n${heading}:\n`)
      const listed = block.split('\n\n')[0]?.split('\n') ?? []
      expect(listed.map(line => line.trim().split(' ')[0])).toEqual(names)
    }
  })

  it('fits each command on one line of 80 columns', async () => {
    const io = fakeIo<Library>()
    await main([], { ...io, stdout: { ...io.stdout, columns: 80 } })
    for (const name of Object.values(groups).flat())
      expect(io.out()).toMatch(new RegExp(`^  ${name} +\\S.*\\n(\\n|  \\w)`, 'm'))
    expect(
      Math.max(
        ...io
          .out()
          .split('\n')
          .map(line => line.length),
      ),
    ).toBeLessThanOrEqual(80)
  })

  it.each(['baseline', 'transfer', 'gate-check', 'judge-check', 'diff', 'cache', 'import'])(
    'no longer knows %s',
    async name => {
      const io = fakeIo<Library>()
      expect(await main([name, 'project'], io)).toBe(exitCodes.badInput)
      expect(io.err()).toContain(`unknown command '${name}'`)
    },
  )

  it.each(commands)('of %s has an example', async command => {
    const io = fakeIo<Library>()
    expect(await main([command, '--help'], io)).toBe(exitCodes.ok)
    expect(io.out()).toMatch(new RegExp(`Examples?:\\n  skillopt ${command}`))
  })

  it('knows its version', async () => {
    const io = fakeIo<Library>()
    expect(await main(['--version'], io)).toBe(exitCodes.ok)
    expect(io.out()).toMatch(/^\d+\.\d+\.\d+\n$/)
  })
})

describe('bad arguments', () => {
  it.each([
    [['trian'], /Did you mean train\?/],
    [['train', '--max-cal', '3'], /Did you mean --max-calls\?/],
    [['train', '--max-calls', 'many'], /whole number above 0/],
    [['train', '--max-calls', '0'], /whole number above 0/],
    [['train', '--max-cost', '-1'], /number above 0/],
    [['train', '--max-time', 'soon'], /90s, 45m, 2h/],
    [['train', '--set', 'epochs'], /--set expects section\.key=value/],
    [['train', 'a', 'b'], /too many arguments/],
    [['try', 'project'], /--task <id>/],
    [['eval', '--split', 'dev'], /Unknown split "dev".*\n.*valid_seen/],
  ])('%j is refused with exit code 2', async (argv, message) => {
    const io = fakeIo<Library>()
    expect(await main(argv, io)).toBe(exitCodes.badInput)
    expect(io.err()).toMatch(message)
    expect(io.out()).toBe('')
  })
})

describe('flags of train', () => {
  it('become options of the library', async () => {
    const seen: Parameters<Library['train']>[0][] = []
    const train: Library['train'] = async options => {
      seen.push(options)
      return { ...result, outcome: 'declined' }
    }
    const io = fakeIo<Library>({ library: { train } })
    const argv =
      'train p --out o --new --fork r@v2 --max-calls 10 --max-cost 2.5 --max-time 2h --set train.seed=1 --set a.b=c=d'
    await main([...argv.split(' '), '--cfg-options', 'x.y=1', 'z=2'], io)
    expect(seen[0]).toMatchObject({
      project: 'p',
      out: 'o',
      fresh: true,
      fork: 'r@v2',
      cfgOptions: ['x.y=1', 'z=2'],
      cwd: '/nowhere',
      flags: {
        'limits.maxCalls': 10,
        'limits.maxCost': 2.5,
        'limits.maxTime': 120,
        'train.seed': '1',
        'a.b': 'c=d',
      },
    })
  })
})

describe('consent', () => {
  const asking: Library['train'] = async options =>
    (await options.confirm?.(forecast)) === true ? result : { ...result, outcome: 'declined' }

  it('is refused in a non-interactive terminal', async () => {
    const io = fakeIo<Library>({ library: { train: asking } })
    expect(await main(['train'], io)).toBe(exitCodes.badInput)
    expect(io.err()).toContain('--yes')
    expect(io.err()).toContain('40 to 90 calls')
  })

  it('is given by --yes, and the forecast is shown all the same', async () => {
    const io = fakeIo<Library>({ library: { train: asking } })
    expect(await main(['train', '--yes'], io)).toBe(exitCodes.ok)
    expect(io.out()).toMatch(/rollout +target +40 +4,000 to 9,000 +unknown/)
    expect(io.out()).toMatch(/total +40 to 90 +4,000 to 9,000 +\$0\.10 to \$2\.00/)
  })

  it('leaves stdout to the events with --json', async () => {
    const event = new LogBuilder().start().events[0]
    const train: Library['train'] = async options => {
      await asking(options)
      if (event) options.onEvent?.(event)
      return result
    }
    const io = fakeIo<Library>({ library: { train } })
    expect(await main(['train', '--yes', '--json'], io)).toBe(exitCodes.ok)
    expect(
      io
        .out()
        .trimEnd()
        .split('\n')
        .map(line => JSON.parse(line)),
    ).toEqual([event])
    expect(io.err()).toContain('rollout')
  })
})

describe('how a run ends', () => {
  it.each([
    ['paused', new PausedError('The key was refused.', { hint: 'Set OPENAI_API_KEY.' }), exitCodes.paused],
    ['cap', new CapReachedError('maxCalls', 'The cap of 5 calls is reached.'), exitCodes.capReached],
    ['interrupted', undefined, exitCodes.interrupted],
    ['declined', undefined, exitCodes.interrupted],
  ] as const)('%s has its words and its exit code', async (outcome, error, code) => {
    const io = fakeIo<Library>({ library: { train: async () => ({ ...result, outcome, error }) } })
    expect(await main(['train'], io)).toBe(code)
    expect(io.err()).toContain(error?.message ?? (outcome === 'declined' ? 'Nothing was started' : 'stopped'))
    if (outcome !== 'declined') expect(io.err()).toContain('kept in runs/a')
    if (error?.hint) expect(io.err()).toContain(error.hint)
  })

  it('is stopped by Ctrl-C, and at once by a second one', async () => {
    const train: Library['train'] = ({ signal }) =>
      new Promise(resolve =>
        signal?.addEventListener('abort', () =>
          setTimeout(() => resolve({ ...result, outcome: 'interrupted' })),
        ),
      )
    const io = fakeIo<Library>({ library: { train } })
    const ended = main(['train'], io)
    await new Promise(resolve => setTimeout(resolve, 50))
    io.interrupt()
    expect(io.err()).toContain('Press Ctrl-C again')
    expect(io.quits).toEqual([])
    io.interrupt()
    expect(io.quits).toEqual([exitCodes.interrupted])
    expect(await ended).toBe(exitCodes.interrupted)
    io.interrupt()
    expect(io.quits).toEqual([exitCodes.interrupted])
  })
})

describe('errors', () => {
  const failing = (error: unknown, env = {}) =>
    fakeIo<Library>({ env, library: { train: () => Promise.reject(error) } })

  it('say what happened and what to do, without a stack', async () => {
    const io = failing(new InputError('The train split has no tasks.', { hint: 'Add some.' }))
    expect(await main(['train'], io)).toBe(exitCodes.badInput)
    expect(io.err()).toBe('error: The train split has no tasks.\nAdd some.\n')
  })

  it('of the system name the file and the reason, and are no bug', async () => {
    const path = '/nowhere/runs/a/lock.json'
    const io = failing(Object.assign(new Error('EROFS: read-only file system'), { code: 'EROFS', path }))
    expect(await main(['train'], io)).toBe(exitCodes.badInput)
    expect(io.err()).toContain(`error: Cannot use ${path}: the disk is read-only.\n`)
    expect(io.err()).not.toContain('bug')
  })

  it('that are unexpected say so, and where to look', async () => {
    const io = failing(new TypeError('x is undefined'))
    expect(await main(['train'], io)).toBe(exitCodes.unexpected)
    expect(io.err()).toContain('unexpected error: x is undefined')
    expect(io.err()).toContain('SKILLOPT_DEBUG=1')
    expect(io.err()).not.toContain('main.test.ts')
  })

  it('show their stack when asked', async () => {
    const io = failing(new TypeError('x is undefined'), { SKILLOPT_DEBUG: '1' })
    await main(['train'], io)
    expect(io.err()).toContain('main.test.ts')
  })
})
