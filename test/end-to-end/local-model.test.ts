import { execFileSync } from 'node:child_process'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { localTestModel, skipsLocalModel } from '../support/local-model.js'
import { timeLimit } from '../support/time-limit.js'
import { eventsOf, ofType, put, start, temporaryFolder } from './support.js'

/**
 * A training with real weights. It shows that everything works together and is reported honestly. It does
 * not assert a gain: the model is too weak for one.
 */

const capitals = [
  ['France', 'Paris'],
  ['Italy', 'Rome'],
  ['Spain', 'Madrid'],
  ['Japan', 'Tokyo'],
  ['Egypt', 'Cairo'],
  ['Peru', 'Lima'],
]

async function project(): Promise<string> {
  const folder = await temporaryFolder()
  const split = async (name: string, from: number, to: number) => {
    const tasks = capitals.slice(from, to).map(([country, answer]) => {
      return JSON.stringify({ id: `${name}-${country}`, question: `Capital of ${country}?`, answer })
    })
    await put(folder, `${name}.jsonl`, `${tasks.join('\n')}\n`)
  }
  await split('train', 0, 2)
  await split('val', 2, 4)
  await split('test', 4, 6)
  await put(
    folder,
    'SKILL.md',
    '---\nname: capitals\ndescription: Names capitals.\n---\n\nAnswer with the name of the city only.\n',
  )
  const model = (maxOutputTokens: number) => ({
    model: localTestModel,
    maxOutputTokens,
    extraBody: { contextTokens: 4096 },
  })
  const config = {
    name: 'capitals',
    skill: 'SKILL.md',
    environment: {
      use: 'tasks',
      train: 'train.jsonl',
      val: 'val.jsonl',
      test: 'test.jsonl',
      scorer: 'exact',
    },
    models: { target: model(12), optimizer: model(96) },
    train: { epochs: 2, batchSize: 2 },
    reflect: { minibatchSize: 2 },
    evaluation: { test: ['initial', 'best'] },
  }
  await put(folder, 'skillopt.yaml', JSON.stringify(config))
  return folder
}

/** Processes of the engine below a process. */
function enginesOf(parent: number | undefined): number[] {
  const rows = execFileSync('ps', ['-eo', 'pid=,ppid=,args='], { encoding: 'utf8' }).split('\n')
  return rows.flatMap(row => {
    const [, pid, of, program = ''] = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(row) ?? []
    return Number(of) === parent && /models[/]local[/]serve/.test(program) ? [Number(pid)] : []
  })
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

it.skipIf(skipsLocalModel)(
  'trains with real weights, and continues after the engine was killed',
  async () => {
    const folder = await project()
    const cache = process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache')
    const run = start(['train', '.', '--out', 'run'], {
      cwd: folder,
      env: { XDG_CACHE_HOME: cache, SKILLOPT_LOCAL_THREADS: '1' },
    })
    await run.says(/round 1\/2/)
    await expect.poll(() => enginesOf(run.child.pid), { timeout: timeLimit(60_000) }).toHaveLength(1)
    const [engine] = enginesOf(run.child.pid)
    const directory = join(folder, 'run')
    // A first reply shows that the engine is loaded, so that a later call is the one that fails.
    await expect
      .poll(async () => ofType(await eventsOf(directory), 'call.finished').length, {
        timeout: timeLimit(120_000),
      })
      .toBeGreaterThan(0)
    process.kill(engine ?? 0, 'SIGKILL')
    const restarted = async () => enginesOf(run.child.pid).find(pid => pid !== engine)
    await expect.poll(restarted, { timeout: timeLimit(60_000) }).toBeDefined()
    const second = (await restarted()) ?? 0
    const { code, stdout, stderr } = await run.finished
    expect(`${stdout}${stderr}`).toContain('finished in')
    expect(code).toBe(0)

    const events = await eventsOf(directory)
    const [started] = ofType(events, 'run.started')
    expect(started?.body.simulated).toBe(false)
    const failed = ofType(events, 'call.failed')
    expect(failed.length).toBeGreaterThan(0)
    for (const { body } of failed) expect(body.kind).toBe('transport')
    const calls = ofType(events, 'call.finished').map(({ body }) => body)
    expect(calls.some(({ role }) => role === 'optimizer')).toBe(true)
    for (const { usage, cost, stop } of calls) {
      expect(usage.input).toBeGreaterThan(0)
      expect(usage.output).toBeGreaterThan(0)
      expect(usage.cachedInput).toBeLessThan(usage.input ?? 0)
      expect(cost ?? 0).toBe(0)
      expect(['stop', 'length', 'context-overflow']).toContain(stop)
    }
    // The killed calls were repeated: the model itself answered every task of train and test.
    const attempted = new Set(ofType(events, 'attempt.finished').map(({ body }) => body.task))
    const expected = ['train-France', 'train-Italy', 'test-Egypt', 'test-Peru']
    expect(expected.filter(task => !attempted.has(task))).toEqual([])
    const tests = ofType(events, 'test.finished').map(({ body }) => body.which)
    expect(tests.toSorted()).toEqual(['best', 'initial'])
    expect(ofType(events, 'run.finished')).toHaveLength(1)
    await expect.poll(() => isAlive(second), { timeout: timeLimit(20_000) }).toBe(false)
  },
  timeLimit(180_000),
)
