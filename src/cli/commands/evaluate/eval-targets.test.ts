import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { stringify } from 'yaml'
import { fakeIo } from '../../../../test/support/fake-io.js'
import { finish, sampleLog } from '../../../../test/support/sample-run.js'
import * as api from '../../../app/index.js'
import { exitCodes } from '../../../core/errors/errors.js'
import { textOfRoles } from '../../../simulated/chat.js'
import { type LoopbackServer, startLoopbackServer } from '../../../simulated/server.js'
import { openDiskStore } from '../../../store/disk.js'
import type { Library } from '../../library.js'
import { main } from '../../main.js'

/**
 * End-to-end against scripted models. `apt` knows the numbers that its skill lists; `deaf` ignores the skill
 * and knows every third number; `contrary` answers wrongly for numbers its skill lists and correctly for all
 * others; `gone` does not exist.
 */

let cwd = ''
let server: LoopbackServer
/** `model number` pairs for which the server simulates an external failure. */
const broken = new Set<string>()
let onRequest = () => {}

const knows: Readonly<Record<string, (number: number, known: readonly number[]) => boolean>> = {
  apt: (number, known) => known.includes(number),
  deaf: number => number % 3 === 0,
  contrary: (number, known) => !known.includes(number),
}

beforeAll(async () => {
  server = await startLoopbackServer({
    keepLog: true,
    respond(request) {
      onRequest()
      const number = Number(/number (\d+)\?/.exec(textOfRoles(request, ['user']))?.[1])
      if (broken.has(`${request.model} ${number}`)) return { error: { status: 503, message: 'overloaded' } }
      const known =
        /Known: (.*)\./
          .exec(textOfRoles(request, ['system']))?.[1]
          ?.split(' ')
          .map(Number) ?? []
      const isKnown = knows[request.model]
      if (isKnown === undefined) return { error: { status: 404, message: 'no such model' } }
      return { content: `<answer>${isKnown(number, known) ? `word ${number}` : 'no idea'}</answer>` }
    },
  })
})
afterAll(() => server.close())

const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index)

const target = () => ({ model: 'openai-compatible/apt', endpoint: `${server.url}/v1`, retries: 0 })

beforeEach(async () => {
  broken.clear()
  onRequest = () => {}
  if (cwd !== '') await rm(cwd, { recursive: true })
  cwd = await mkdtemp(join(tmpdir(), 'skillopt-transfer-'))
  const tasks = { train: range(1, 4), val: range(5, 8), test: range(11, 30) }
  await mkdir(join(cwd, 'desk'))
  for (const [split, numbers] of Object.entries(tasks)) {
    const lines = numbers.map(number => ({
      id: `q${number}`,
      question: `Which word is number ${number}?`,
      answer: `word ${number}`,
    }))
    await writeFile(join(cwd, 'desk', `${split}.jsonl`), lines.map(line => JSON.stringify(line)).join('\n'))
  }
  await configure({})
  await writeFile(join(cwd, 'desk', 'SKILL.md'), '# Words\n\nKnown: 11 12.\n')
  await writeFile(join(cwd, 'best.md'), `# Words\n\nKnown: ${range(11, 28).join(' ')}.\n`)
})
afterAll(() => rm(cwd, { recursive: true }))

const configure = (changed: object) =>
  writeFile(
    join(cwd, 'desk', 'skillopt.yaml'),
    stringify({
      environment: {
        use: 'tasks',
        train: 'train.jsonl',
        val: 'val.jsonl',
        test: 'test.jsonl',
        scorer: 'exact',
      },
      models: { target: target(), optimizer: 'simulated/optimizer' },
      ...changed,
    }),
  )

const all = ['openai-compatible/apt', 'openai-compatible/deaf', 'openai-compatible/contrary']

async function run(...argv: string[]) {
  const before = server.counters.requests
  const io = fakeIo<Library>({ cwd, library: api })
  const code = await main(['eval', 'desk', ...argv], io)
  const json = () => JSON.parse(io.out())
  return { code, out: io.out(), err: io.err(), calls: server.counters.requests - before, json }
}

const toAll = ['--skill', 'best.md', '--on', all.join(','), '--yes']

describe('several targets', () => {
  it('are scored without a skill, with the seed and the trained one, and said where it transfers', async () => {
    const { code, out, calls } = await run(...toAll, '--quiet')
    expect([code, calls]).toEqual([exitCodes.ok, 3 * 3 * 20])
    expect(out).toMatch(
      /^openai-compatible\/apt +0\.0% +10\.0% +90\.0% +\+80\.0 +60 +unknown\n +0\.0% to \S+ +\S+ to \S+ +\S+ to \S+ +\+\d\S+ to \+\d/m,
    )
    expect(out).toMatch(/^openai-compatible\/deaf +35\.0% +35\.0% +35\.0% +0\.0 /m)
    expect(out).toMatch(/^openai-compatible\/contrary +100\.0% +90\.0% +10\.0% +−80\.0 /m)
    expect(out).toMatch(/^The skill transfers to openai-compatible\/apt \(\+80\.0 points, \+\d.*\)\.$/m)
    expect(out).toMatch(/^It does worse than the seed on openai-compatible\/contrary \(−80\.0 points/m)
    expect(out).toMatch(/^These tasks cannot tell for openai-compatible\/deaf \(0\.0 points, −/m)
    expect(out).toContain('The 3 intervals are simultaneous')
    expect(out).toContain('Trained: best.md. Seed: SKILL.md.')
    expect(out).toContain('In all: 180 calls')
    expect((await readdir(join(cwd, 'runs'))).filter(name => name.startsWith('desk-eval-'))).toHaveLength(3)
  })

  it('are all in the JSON, and read from their logs the second time', async () => {
    await run(...toAll, '--quiet')
    // The results are in the logs already, so there is no cost to confirm.
    const { code, calls, json } = await run(...toAll.filter(word => word !== '--yes'), '--json')
    expect([code, calls]).toEqual([exitCodes.ok, 0])
    const result = json()
    expect(result).toMatchObject({ outcome: 'finished', split: 'test', tasks: 20, samples: 1 })
    expect(result.verdict[0]).toMatch(/^The skill transfers to/)
    expect(result.targets.map((one: api.TransferredTo) => one.target)).toEqual(all)
    expect(result.targets[0]).toMatchObject({
      outcome: 'finished',
      simulated: false,
      spending: { total: { calls: 60 } },
      scores: {
        none: { hard: 0, scored: 20, failed: 0 },
        seed: { hard: 0.1 },
        trained: { hard: 0.9, split: 'test' },
        gain: { tasks: 20, better: 16, worse: 0, difference: { mean: 0.8 } },
        overNone: { better: 18, worse: 0 },
        verdict: 'transfers',
      },
    })
    expect(result.targets[0].scores.changed).toHaveLength(18)
    expect(result.targets[0].directory).toMatch(/^runs\/desk-eval-\w+$/)
  })

  it('show no gain if the interval rules out the minimum effect of the config', async () => {
    const argv = ['--skill', 'best.md', '--on', 'openai-compatible/deaf', '--yes', '--quiet']
    const { out } = await run(...argv, '--set', 'evaluation.smallestGain=0.2')
    expect(out).toMatch(
      /^It does not transfer to openai-compatible\/deaf \(.*\): a gain of 20\.0 points is ruled out\.$/m,
    )
  })

  it('have wider gain intervals than a single target', async () => {
    const gainOf = async (...argv: string[]) => (await run(...argv, '--json')).json().targets[0].scores.gain
    const [several, one] = [
      await gainOf(...toAll),
      await gainOf('--skill', 'best.md', '--on', 'openai-compatible/apt', '--yes'),
    ]
    expect(several.difference.mean).toBe(one.difference.mean)
    expect(several.difference.low).toBeLessThan(one.difference.low)
  })
})

describe('without --skill', () => {
  const toApt = ['--on', 'openai-compatible/apt', '--max-tasks', '2', '--yes', '--quiet']

  it('takes the newest finished run of the project, and says which', async () => {
    await mkdir(join(cwd, 'runs', 'desk-001'), { recursive: true })
    const log = finish(sampleLog())
    const store = await openDiskStore(join(cwd, 'runs', 'desk-001'))
    for (const text of log.blobs.values()) store.put(text)
    for (const event of log.events) await store.append(event)
    await store.flush()
    await store.close()
    const { code, out } = await run(...toApt)
    expect(code).toBe(exitCodes.ok)
    expect(out).toMatch(/^Trained: \S+@v1\. Seed: \S+@v0\.$/m)
  })

  it('is rejected when nothing was trained', async () => {
    const { code, err, calls } = await run(...toApt)
    expect([code, calls]).toEqual([exitCodes.badInput, 0])
    expect(err).toContain('No finished training run of "desk" in runs/.')
  })
})

describe('what is paid', () => {
  const toApt = ['--skill', 'best.md', '--on', 'openai-compatible/apt', '--yes', '--quiet']

  it('is not paid again: not after eval, and not for the tasks of a smaller look', async () => {
    const io = fakeIo<Library>({ cwd, library: api })
    expect(await main(['eval', 'desk', 'best.md', '--split', 'test', '--yes', '--quiet'], io)).toBe(0)
    expect((await run(...toApt, '--max-tasks', '5')).calls).toBe(2 * 5)
    expect((await run(...toApt)).calls).toBe(2 * 15)
    expect((await run(...toApt, '--samples', '2')).calls).toBe(3 * 20)
  })

  it('asks for consent with a forecast of all targets, and refuses in a non-interactive terminal', async () => {
    const { code, err, calls } = await run(...toAll.filter(word => word !== '--yes'))
    expect([code, calls]).toEqual([exitCodes.badInput, 0])
    expect(err).toMatch(/Pass --yes to agree\. Expected: 180 calls, /)
    await expect(readdir(join(cwd, 'runs'))).rejects.toThrow('ENOENT')
  })

  it('is forecast by --dry-run, which calls and writes nothing', async () => {
    const { code, out, calls } = await run(...toAll, '--dry-run', '--max-tasks', '5', '--samples', '2')
    expect([code, calls]).toEqual([exitCodes.ok, 0])
    expect(out).toMatch(/^openai-compatible\/deaf +30 +30 +[\d,]+ to [\d,]+ +unknown$/m)
    expect(out).toMatch(/^total +90 +90 /m)
    expect(out).toContain(
      '5 tasks of the test split with no skill, the seed and the trained skill, 2 times each',
    )
    expect(out).not.toContain('optimizer')
    expect(out).toContain('No model was called, nothing was written or spent.')
    await expect(readdir(join(cwd, 'runs'))).rejects.toThrow('ENOENT')
    const json = (await run(...toAll, '--dry-run', '--json')).json()
    expect(json).toMatchObject({ tasks: 20, total: { calls: { likely: 180 } }, refused: [] })
  })

  it('stays within caps on all targets together, and resumes when they are raised', async () => {
    const first = await run(...toAll, '--quiet', '--max-calls', '100')
    expect([first.code, first.calls]).toEqual([exitCodes.capReached, 100])
    expect(first.out).toMatch(/^openai-compatible\/apt +0\.0% +10\.0% +90\.0%/m)
    expect(first.out).toMatch(/^openai-compatible\/deaf +– +– +– +cap reached +40 /m)
    expect(first.out).toMatch(/^openai-compatible\/contrary +– +– +– +cap reached +– +–/m)
    expect(first.out).toContain('Not measured: openai-compatible/deaf, openai-compatible/contrary.')
    expect(first.err).toContain('The cap of 100 calls for all targets together is reached.')
    const lower = await run(...toAll, '--quiet', '--max-calls', '30')
    expect([lower.code, lower.calls]).toEqual([exitCodes.capReached, 0])
    expect(lower.out).toMatch(/^openai-compatible\/apt +0\.0% +10\.0% +90\.0%/m)
    const last = await run(...toAll, '--quiet', '--max-calls', '180')
    expect([last.code, last.calls]).toEqual([exitCodes.ok, 80])
  })

  it('skips a target of unknown price under a cost cap', async () => {
    await configure({
      models: { target: { ...target(), price: { input: 1, output: 1 } }, optimizer: 'simulated/optimizer' },
    })
    const { code, out, err, calls } = await run(...toAll, '--quiet', '--max-cost', '5')
    expect([code, calls]).toEqual([exitCodes.paused, 60])
    expect(out).toMatch(/^openai-compatible\/apt .* 60 +(< )?\$0/m)
    expect(err).toMatch(
      /left out: openai-compatible\/deaf: Cannot cap the cost: the price of openai-compatible\/deaf is unknown\.\nCap tokens/,
    )
  })
})

describe('a target that fails', () => {
  it('is rejected before any call, and the results of other targets stay', async () => {
    const to = 'openai-compatible/apt,anthropic/claude-sonnet-4-5,nobody/model'
    const { code, out, err, calls } = await run('--skill', 'best.md', '--on', to, '--yes', '--quiet')
    expect([code, calls]).toEqual([exitCodes.paused, 60])
    expect(out).toMatch(/^openai-compatible\/apt +0\.0% +10\.0% +90\.0%/m)
    expect(out).toMatch(/^anthropic\/claude-sonnet-4-5 +– +– +– +impossible/m)
    expect(out).toContain('Not measured: anthropic/claude-sonnet-4-5, nobody/model.')
    expect(err).toMatch(/warning: anthropic\/claude-sonnet-4-5 is left out: .*ANTHROPIC_API_KEY/)
    expect(err).toMatch(/left out: nobody\/model: /)
    const dry = await run('--skill', 'best.md', '--on', to, '--dry-run', '--json')
    expect(dry.code).toBe(exitCodes.paused)
    expect(dry.json().refused).toMatchObject([
      { target: 'anthropic/claude-sonnet-4-5' },
      { target: 'nobody/model' },
    ])
  })

  it('is paused if it fails while being called, and the same command resumes it', async () => {
    for (const number of range(11, 30)) broken.add(`deaf ${number}`)
    const to = [
      '--skill',
      'best.md',
      '--on',
      'openai-compatible/gone',
      '--on',
      all.join(','),
      '--yes',
      '--quiet',
    ]
    const first = await run(...to)
    expect(first.code).toBe(exitCodes.paused)
    expect(first.out).toMatch(/^openai-compatible\/gone +– +– +– +paused/m)
    expect(first.out).toMatch(/^openai-compatible\/deaf +– +– +– +paused/m)
    expect(first.out).toMatch(/^openai-compatible\/contrary +100\.0%/m)
    expect(first.err).toMatch(
      /paused: openai-compatible\/gone: .*no such model.*\n.*\nEverything so far is kept in runs\//,
    )
    broken.clear()
    const second = await run(...to)
    expect(second.out).toMatch(/^openai-compatible\/deaf +35\.0%/m)
  })

  it('excludes failed tasks from every score, and says so', async () => {
    broken.add('apt 12').add('apt 13')
    const { out, code } = await run('--skill', 'best.md', '--on', 'openai-compatible/apt', '--yes', '--quiet')
    expect(code).toBe(exitCodes.ok)
    expect(out).toMatch(
      /^openai-compatible\/apt +0\.0% \(2 failed\) +5\.6% \(2 failed\) +88\.9% \(2 failed\)/m,
    )
    expect(out).toContain('openai-compatible/apt: 2 tasks left out of the gain')
  })

  it('is not started after Ctrl-C', async () => {
    const io = fakeIo<Library>({ cwd, library: api })
    let requests = 0
    onRequest = () => {
      requests += 1
      if (requests === 70) io.interrupt()
    }
    expect(await main(['eval', 'desk', ...toAll], io)).toBe(exitCodes.interrupted)
    expect(io.out()).toMatch(/^target openai-compatible\/apt in runs\/desk-eval-/m)
    expect(io.out()).toMatch(/^openai-compatible\/apt +0\.0% +10\.0% +90\.0%/m)
    expect(io.err()).toMatch(/stopped: openai-compatible\/deaf: Interrupted\./)
    expect(io.err()).toMatch(/stopped: openai-compatible\/contrary: Not started\./)
    expect(requests).toBeLessThan(120)
  })
})

describe('the skills', () => {
  const to = ['--on', 'openai-compatible/apt', '--yes', '--json']

  it('may be a version of a run, which is compared with the seed of that run', async () => {
    await api.train({
      project: 'desk',
      cwd,
      env: {},
      flags: { 'train.epochs': 1, 'models.target': 'simulated/target', 'train.batchSize': 4 },
    })
    // The project's skill has changed since the run.
    await writeFile(join(cwd, 'desk', 'SKILL.md'), '# Words\n\nKnown: 29.\n')
    const same = await run('--skill', 'desk-001@v0', ...to)
    expect(same.code).toBe(exitCodes.badInput)
    expect(same.err).toContain('The skill desk-001@v0 and the seed desk-001@v0 have the same text')
    const other = await run('--skill', 'desk-001@v0', '--seed-skill', 'desk/SKILL.md', ...to)
    expect(other.json()).toMatchObject({
      trained: 'desk-001@v0',
      seed: 'desk/SKILL.md',
      targets: [{ scores: { seed: { hard: 0.05 }, trained: { hard: 0.1 } } }],
    })
  })

  it('are scored on the split that is named', async () => {
    await writeFile(join(cwd, 'best.md'), '# Words\n\nKnown: 5 6.\n')
    const { json } = await run('--skill', 'best.md', '--split', 'valid_seen', ...to)
    expect(json()).toMatchObject({
      split: 'val',
      tasks: 4,
      targets: [{ scores: { trained: { hard: 0.5 } } }],
    })
  })

  it.each([
    [
      'no skill of that name',
      ['--skill', 'nobody.md', ...to],
      'The skill nobody.md cannot be read: there is no such file.',
    ],
    [
      'no such version',
      ['--skill', 'desk-007@v3', ...to],
      'There is no skill file or run "desk-007@v3" here.',
    ],
    [
      'no seed of that name',
      ['--skill', 'best.md', '--seed-skill', 'nobody.md', ...to],
      'The skill nobody.md',
    ],
    [
      'the seed itself',
      ['--skill', 'desk/SKILL.md', ...to],
      'have the same text, so there is no gain to measure.',
    ],
    [
      'all splits',
      ['--skill', 'best.md', '--split', 'all', ...to],
      '--on compares targets on one split; "all" is not possible.',
    ],
    ['no targets', ['--skill', 'best.md', '--on', ',', '--yes'], 'No target given.'],
    ['a target twice', ['--skill', 'best.md', ...to, '--on', 'openai-compatible/apt'], 'is given twice'],
    [
      'targets that are all wrong',
      ['--skill', 'best.md', '--on', 'simulated/nobody,small', '--yes'],
      /No target can be used\.\n {2}simulated\/nobody: .*\n {2}small: The model "small" has no provider/,
    ],
  ])('are refused: %s', async (_what, argv, message) => {
    const { code, err, calls } = await run(...argv)
    expect([code, calls]).toEqual([exitCodes.badInput, 0])
    expect(err).toMatch(message)
  })
})

it('takes models with options of their own from a program, and refuses what no number is', async () => {
  const options = { project: 'desk', cwd, env: {}, skill: 'best.md' }
  const other = { model: 'openai-compatible/deaf', endpoint: `${server.url}/v1`, maxOutputTokens: 77 }
  const before = server.log.length
  const { outcome, targets } = await api.transfer({
    ...options,
    to: ['openai-compatible/apt', other],
    limit: 2,
  })
  expect([outcome, targets.length]).toEqual(['finished', 2])
  const sent = server.log.slice(before).map(({ body }) => body as { model: string; max_tokens?: number })
  expect(new Set(sent.map(({ model, max_tokens }) => `${model} ${max_tokens}`))).toEqual(
    new Set(['apt 4096', 'deaf 77']),
  )
  await expect(api.transfer({ ...options, to: [other], limit: 0 })).rejects.toThrow(
    'Invalid number of tasks: 0.',
  )
  await expect(api.transfer({ ...options, to: [other], samples: 0.5 })).rejects.toThrow(
    'Invalid number of attempts: 0.5',
  )
})

it('declined, starts nothing', async () => {
  const confirm = async (forecast: api.TransferForecast) => forecast.targets.length === 0
  const options = { project: 'desk', cwd, env: {}, skill: 'best.md', to: ['openai-compatible/apt'], confirm }
  expect(await api.transfer(options)).toMatchObject({ outcome: 'declined', targets: [] })
  await expect(readdir(join(cwd, 'runs'))).rejects.toThrow('ENOENT')
})
