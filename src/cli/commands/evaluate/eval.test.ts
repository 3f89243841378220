import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { stringify } from 'yaml'
import { fakeIo } from '../../../../test/support/fake-io.js'
import * as api from '../../../app/index.js'
import { exitCodes } from '../../../core/errors/errors.js'
import { textOfRoles } from '../../../simulated/chat.js'
import { type LoopbackServer, startLoopbackServer } from '../../../simulated/server.js'
import type { Library } from '../../library.js'
import { main } from '../../main.js'

/** End-to-end against a scripted target that knows only the numbers its skill lists. */

let cwd = ''
let server: LoopbackServer
/** Questions for which the server simulates an external failure. */
const broken = new Set<number>()

beforeAll(async () => {
  server = await startLoopbackServer({
    respond(request) {
      const number = Number(/number (\d+)\?/.exec(textOfRoles(request, ['user']))?.[1])
      if (broken.has(number)) return { error: { status: 503, message: 'overloaded' } }
      const skill = textOfRoles(request, ['system'])
      const known = /Known: (.*)\./.exec(skill)?.[1]?.split(' ').map(Number) ?? []
      const knows = known.includes(number) || (skill.includes('Guess.') && (request.seed ?? 0) % 2 === 0)
      return { content: `<answer>${knows ? `word ${number}` : 'no idea'}</answer>` }
    },
  })
})
afterAll(() => server.close())

beforeEach(async () => {
  broken.clear()
  if (cwd !== '') await rm(cwd, { recursive: true })
  cwd = await mkdtemp(join(tmpdir(), 'skillopt-eval-'))
  const range = (from: number, to: number) =>
    Array.from({ length: to - from + 1 }, (_, index) => from + index)
  const tasks = { train: range(1, 4), val: range(5, 8), test: range(11, 22) }
  await mkdir(join(cwd, 'desk'))
  for (const [split, numbers] of Object.entries(tasks)) {
    const lines = numbers.map(number => ({
      id: `q${number}`,
      type: number % 2 === 0 ? 'even' : 'odd',
      question: `Which word is number ${number}?`,
      answer: `word ${number}`,
    }))
    const text = lines.map(line => JSON.stringify(line)).join('\n')
    await writeFile(join(cwd, 'desk', `${split}.jsonl`), text)
  }
  const config = {
    environment: {
      use: 'tasks',
      train: 'train.jsonl',
      val: 'val.jsonl',
      test: 'test.jsonl',
      scorer: 'exact',
    },
    models: {
      target: { model: 'openai-compatible/small', endpoint: `${server.url}/v1`, retries: 0 },
      optimizer: 'simulated/optimizer',
    },
  }
  await writeFile(join(cwd, 'desk', 'skillopt.yaml'), stringify(config))
  await writeFile(join(cwd, 'desk', 'SKILL.md'), '# Words\n')
  await writeSkill('old.md', 11, 12)
  await writeSkill('new.md', 12, 13, 14, 15, 16, 17, 18, 19, 20, 21)
})
afterAll(() => rm(cwd, { recursive: true }))

const writeSkill = (name: string, ...known: number[]) =>
  writeFile(join(cwd, name), `# Words\n\nKnown: ${known.join(' ')}.\n`)

async function run(...argv: string[]) {
  const before = server.counters.requests
  const io = fakeIo<Library>({ cwd, library: api })
  const code = await main(['eval', ...argv], io)
  const json = () => JSON.parse(io.out())
  return { code, out: io.out(), err: io.err(), calls: server.counters.requests - before, json }
}
const read = (name: string) => readFile(join(cwd, name), 'utf8')

describe('one skill', () => {
  it('is scored by split and type, with intervals, and its directory is printed', async () => {
    const { code, out, calls } = await run('desk', 'old.md', '--yes', '--quiet')
    expect([code, calls]).toEqual([exitCodes.ok, 20])
    expect(out).toMatch(/^ {2}even +6 +16\.7% +3\.0% to 56\.4%$/m)
    expect(out).toMatch(/^test +12 +16\.7% +4\.7% to 44\.8%$/m)
    const directory = /^Details: (runs\/desk-eval-\w+)$/m.exec(out)?.[1] ?? ''
    expect(await read(`${directory}/events.jsonl`)).toContain('"skills.named"')

    const again = await run('desk', '--skill', 'old.md', '--yes', '--split', 'valid_unseen', '--json')
    expect(again.calls).toBe(0)
    expect(again.json()).toMatchObject({
      outcome: 'finished',
      directory,
      samples: 1,
      comparisons: [],
      splits: [
        { split: 'test', scored: 12, failed: 0, score: 2 / 12, types: [{ type: 'even' }, { type: 'odd' }] },
      ],
      skills: [{ name: 'old.md', splits: [{ split: 'test', attempts: { scored: 12, failed: 0 } }] }],
      spending: { total: { calls: 20 } },
    })
  })

  it('is the one of the project if none is named', async () => {
    const { code, json } = await run('desk', '--split', 'val', '--yes', '--json')
    expect(code).toBe(exitCodes.ok)
    expect(json()).toMatchObject({ skills: [{ name: 'SKILL.md', splits: [{ split: 'val', score: 0 }] }] })
  })

  it('skips empty splits, and is rejected if all are empty', async () => {
    const environment = api.defineEnvironment({
      id: 'one-split',
      tasks: split => (split === 'val' ? [{ id: 'q5' }] : []),
      prompt: () => 'Which word is number 5?',
      score: () => 1,
    })
    const config = stringify({
      environment: {},
      models: { target: 'simulated/target', optimizer: 'simulated/x' },
    })
    await writeFile(join(cwd, 'desk', 'skillopt.yaml'), config)
    const warnings: string[] = []
    const onWarnings = (said: readonly string[]) => void warnings.push(...said)
    const options = { environment, project: join(cwd, 'desk'), cwd, env: {}, onWarnings }
    expect((await api.evaluate(options)).splits).toMatchObject([{ split: 'val', scored: 1 }])
    expect(warnings).toContain('No tasks in train and test: nothing to score there.')
    await expect(api.evaluate({ ...options, split: 'test' })).rejects.toThrow('The test split has no tasks.')
  })

  it('shows external failures, excludes them from averages, and retries only them', async () => {
    broken.add(21).add(22)
    const argv = ['desk', 'new.md', '--split', 'test', '--yes', '--quiet']
    const first = await run(...argv)
    expect(first.out).toMatch(/^test +10 \(2 failed\) +90\.0%/m)
    broken.clear()
    const second = await run(...argv)
    expect(second.calls).toBe(2)
    expect(second.out).toMatch(/^test +12 +83\.3%/m)
    const directory = /Details: (\S+)/.exec(second.out)?.[1] ?? ''
    const io = fakeIo<Library>({ cwd, library: api })
    await main(['show', directory], io)
    expect(io.out()).toMatch(/^new\.md +test +12 +83\.3%$/m)
    expect((await run(...argv)).calls).toBe(0)
  })

  it('may be sampled several times, and pays only for added samples', async () => {
    await writeFile(join(cwd, 'guess.md'), '# Words\n\nGuess.\n')
    const argv = ['desk', 'guess.md', '--split', 'test', '--yes', '--quiet']
    expect((await run(...argv)).calls).toBe(12)
    const repeated = await run(...argv, '--samples', '3')
    expect(repeated.calls).toBe(24)
    expect(repeated.out).toMatch(/^test +12 /m)
    expect(repeated.out).toContain('3 attempts per task and skill')
    const { splits } = (await run(...argv, '--samples', '3', '--json')).json()
    expect(splits).toMatchObject([{ scored: 12, attempts: { scored: 36, failed: 0 } }])
    expect(splits[0].score * 36).toBeCloseTo(Math.round(splits[0].score * 36), 6)
  })
})

describe('several skills', () => {
  const both = ['desk', 'old.md', 'new.md', '--split', 'test', '--yes']

  it('are compared task by task on the same tasks', async () => {
    const { code, out, calls } = await run(...both, '--quiet')
    expect([code, calls]).toEqual([exitCodes.ok, 24])
    expect(out).toMatch(/^old\.md +12 +16\.7%/m)
    expect(out).toMatch(/^new\.md +12 +83\.3%/m)
    expect(out).toMatch(/^odd +6 +16\.7% +83\.3%$/m)
    expect(out).toMatch(/^new\.md against old\.md +12 +9 +1 +2 +\+66\.7 +\+\d/m)
    expect(out).toContain('new.md is better than old.md: +67 points')
    expect(out).toMatch(/^q11 +100\.0% +0\.0%$/m)
    expect(out).not.toMatch(/^q12 /m)
  })

  it('reuse scores from earlier evaluations, alone or compared, in any order', async () => {
    await run('desk', 'old.md', '--split', 'test', '--yes')
    expect((await run(...both)).calls).toBe(12)
    await writeSkill('third.md', 22)
    const three = await run('desk', 'third.md', 'new.md', 'old.md', '--split', 'test', '--yes', '--quiet')
    expect(three.calls).toBe(12)
    expect(three.out).toContain('24 attempts reused from other evaluations at no cost')
    expect(three.out).toContain('95% interval, for all 3 together')
    const otherOrder = await run('desk', 'old.md', 'third.md', 'new.md', '--split', 'test', '--yes', '--json')
    expect(otherOrder.calls).toBe(0)
    expect(otherOrder.json().directory).toBe(/Details: (\S+)/.exec(three.out)?.[1])
  })

  it('share nothing with an evaluation of other tasks or settings', async () => {
    await run('desk', 'old.md', '--split', 'test', '--yes')
    expect((await run(...both, '--set', 'train.seed=7')).calls).toBe(24)
    await writeFile(join(cwd, 'desk', 'train.jsonl'), `${await read('desk/train.jsonl')}\n`)
    expect((await run(...both)).calls).toBe(12)
  })

  it('make a report in Markdown, HTML and JSON', async () => {
    const { out } = await run(...both, '--report', 'reports/compared.md', '--quiet')
    expect(out).toMatch(/^wrote reports\/compared\.md \(/m)
    const page = await read('reports/compared.md')
    expect(page).toContain('| new.md against old.md | 12 | 9 | 1 | 2 | +66.7 |')
    expect(page).toContain('new.md is better than old.md')
    expect(page).toContain('| `q11` | odd | 100.0% | 0.0% |')
    const { out: json } = await run(...both, '--report', 'compared.json', '--json')
    expect(JSON.parse(await read('compared.json'))).toEqual(JSON.parse(json))
    expect(JSON.parse(json)).toMatchObject({
      comparisons: [
        { split: 'test', pairs: [{ which: 'new.md', against: 'old.md', tasks: 12, better: 9, worse: 1 }] },
      ],
    })
    await run(...both, '--report', 'compared.html')
    expect(await read('compared.html')).toContain('Tasks of test that changed (10)')
  })

  it('exclude tasks that failed under one of them, and say so', async () => {
    await run('desk', 'old.md', '--split', 'test', '--yes')
    broken.add(13)
    const { out } = await run(...both, '--quiet')
    expect(out).toMatch(/^new\.md against old\.md +11 +8 +1 +2/m)
    expect(out).toContain('1 task is left out of the comparison: an attempt failed for external reasons')
    expect(out).toMatch(/^new\.md +11 \(1 failed\)/m)
  })

  it('with the same text are evaluated once', async () => {
    await writeSkill('copy.md', 11, 12)
    const { err, out, calls } = await run('desk', 'old.md', 'copy.md', '--split', 'test', '--yes', '--quiet')
    expect(calls).toBe(12)
    expect(err).toContain('old.md and copy.md have the same text')
    expect(out).toContain('No task changed.')
  })

  it('resume after a cap without paying twice', async () => {
    const capped = await run(...both, '--max-calls', '10')
    expect([capped.code, capped.calls]).toEqual([exitCodes.capReached, 10])
    expect(capped.err).toContain('cap reached')
    const rest = await run(...both)
    expect([rest.code, rest.calls]).toEqual([exitCodes.ok, 14])
  })
})

describe('a trained run', () => {
  const train = async (...argv: string[]) => {
    const io = fakeIo<Library>({ cwd, library: api })
    const models = ['models.target=simulated/target', 'train.epochs=1']
    await main(['train', 'desk', '--quiet', ...models.flatMap(one => ['--set', one]), ...argv], io)
  }

  it('is named by --skill, and is the newest finished one when --skill has no value', async () => {
    await train()
    await train('--new')
    const argv = ['desk', '--split', 'val', '--yes', '--json']
    const first = await run(...argv, '--skill', 'desk-001')
    expect(first.code).toBe(exitCodes.ok)
    expect(first.json().skills).toMatchObject([{ name: expect.stringMatching(/^desk-001@v\d+$/) }])
    const newest = await run(...argv, '--skill')
    expect(newest.json().skills).toMatchObject([{ name: expect.stringMatching(/^desk-002@v\d+$/) }])
    const seed = await run(...argv, '--skill', '@v0', '--skill', 'old.md')
    expect(seed.json().skills).toMatchObject([{ name: 'desk-002@v0' }, { name: 'old.md' }])
  })

  it('is reported as missing when there is none', async () => {
    const { code, err, calls } = await run('desk', '--skill', '--yes')
    expect([code, calls]).toEqual([exitCodes.badInput, 0])
    expect(err).toMatch(/No finished training run of "desk" in runs\/\.\nTrain it first/)
  })
})

describe('mistakes', () => {
  it.each([
    [['desk', '--baselines', '--on', 'a/b'], /--baselines and --on cannot be combined/],
    [['desk', '--baselines', '--samples', '2'], /--baselines does not support --samples: it runs every test/],
    [['desk', '--baselines', '--split', 'val'], /--baselines does not support --split/],
    [
      ['desk', '--baselines', 'old.md', 'new.md'],
      /--baselines measures one trained skill, but 2 were given\./,
    ],
    [
      ['desk', '--on', 'a/b', '--out', 'x'],
      /--on does not support --out: each target has its own run directory/,
    ],
    [['desk', '--on', 'a/b', '--split', 'all'], /--on compares targets on one split; /],
    [
      ['desk', '--on', 'a/b', 'old.md', '--skill', 'new.md'],
      /--on measures one trained skill, but 2 were given\./,
    ],
    [['desk', '--max-tasks', '3'], /--max-tasks requires --on/],
    [['desk', '--seed-skill', 'old.md'], /--seed-skill requires --on/],
    [['desk', '--dry-run'], /--dry-run requires --on/],
    [['desk', '--skill', 'nobody'], /There is no skill file or run "nobody" here\./],
    [['desk', 'old.md', './old.md'], /The skill \.\/old\.md is given twice/],
    [['desk', 'gone.md'], /The skill gone\.md cannot be read: there is no such file/],
    [['desk', 'other', 'old.md'], /Two projects were given: desk and other[\s\S]*with --skill/],
    [['nowhere', 'old.md'], /nowhere/],
    [['desk', 'old.md', '--split', 'dev'], /Unknown split "dev"[\s\S]*valid_unseen/],
    [['desk', 'old.md', '--samples', '0'], /whole number above 0/],
    [['desk', 'old.md', '--report', 'report.pdf'], /ending in \.md, \.html or \.json/],
    [['desk', 'old.md', '--report', 'folder.md'], /folder\.md: this is a folder/],
  ])('%j is refused before anything is paid', async (argv, message) => {
    await mkdir(join(cwd, 'folder.md'))
    const { code, err, calls } = await run(...argv, '--yes')
    expect([code, calls]).toEqual([exitCodes.badInput, 0])
    expect(err).toMatch(message)
  })

  it('asks before paying, with the calls of all skills and samples', async () => {
    const { code, err } = await run('desk', 'old.md', 'new.md', '--split', 'test', '--samples', '2')
    expect(code).toBe(exitCodes.badInput)
    expect(err).toContain('at least 48 target calls')
  })
})

it('the API gives the same result, and rejects bad numbers too', async () => {
  const options = { project: join(cwd, 'desk'), cwd, env: {}, split: 'test' as const }
  const { splits, skills, comparisons } = await api.evaluate({ ...options, skill: ['old.md', 'new.md'] })
  expect(splits).toEqual(skills[0]?.splits)
  expect(comparisons[0]?.changed).toHaveLength(10)
  await expect(api.evaluate({ ...options, samples: 1.5 })).rejects.toThrow('Invalid number of attempts: 1.5')
})
