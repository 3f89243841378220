import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { defineEnvironment, evaluate, InputError, PausedError, train } from '../../src/app/index.js'
import { startLoopbackServer } from '../../src/testing/index.js'

/** The library without a config file: config and environment are passed as values. */

let directory = ''
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'skillopt-inline-'))
  await writeFile(join(directory, 'SKILL.md'), '# Shouting\n\n- Answer in one word.\n')
})
afterAll(() => rm(directory, { recursive: true, force: true, maxRetries: 5 }))

const words = ['red', 'blue', 'green', 'amber', 'pink', 'grey', 'gold', 'teal', 'navy']
const shouting = defineEnvironment({
  id: 'shouting',
  tasks: split => words.map(word => ({ id: `${split} ${word}`, word: `${split} ${word}` })),
  prompt: task => `Say: ${task.word}`,
  score: (task, answer) => ({
    hard: answer === task.word.toUpperCase() ? 1 : 0,
    soft: 0,
    feedback: `Expected "${task.word.toUpperCase()}"; got "${answer}".`,
  }),
})

const rule = 'Write the answer in capital letters.'
const server = await startLoopbackServer({
  respond: ({ model, messages }) => {
    const last = String(messages.at(-1)?.content)
    if (model === 'target') {
      const word = last.replace('Say: ', '')
      return { content: String(messages[0]?.content).includes(rule) ? word.toUpperCase() : word }
    }
    const edits = [{ op: 'append', content: `- ${rule}` }]
    return {
      content: JSON.stringify({ batch_size: 1, failure_summary: [], patch: { reasoning: '', edits } }),
    }
  },
})
afterAll(() => server.close())

const model = (name: string) => ({ model: `openai-compatible/${name}`, endpoint: `${server.url}/v1` })
const config = {
  environment: {},
  models: { target: model('target'), optimizer: model('optimizer') },
  train: { loop: 'steps' as const, epochs: 1, batchSize: 9 },
  evaluation: { gate: 'guarded' },
}

it('trains and evaluates from values alone', async () => {
  const options = { config, environment: shouting, cwd: directory, env: {} }
  const { outcome, bestSkill, view } = await train({ ...options, out: 'run' })
  expect(outcome).toBe('finished')
  expect(bestSkill).toContain(rule)
  expect(view?.tests.map(test => `${test.which} ${test.hard}`).sort()).toEqual([
    'best 1',
    'initial 0',
    'last 1',
    'none 0',
  ])
  const { splits } = await evaluate({ ...options, skill: join('run', 'best_skill.md'), split: 'test' })
  expect(splits).toMatchObject([{ split: 'test', hard: 1, scored: 9, failed: 0 }])
})

it('says so when the files of a run cannot be written, and writes them later without paying again', async () => {
  const options = { config, environment: shouting, cwd: directory, env: {}, out: 'blocked' }
  // A folder in place of a file makes writing fail even for root, unlike a read-only folder.
  await mkdir(join(directory, 'blocked', 'summary.json'), { recursive: true })
  const failed = await train(options).catch((error: unknown) => error)
  expect(failed).toBeInstanceOf(PausedError)
  expect((failed as Error).message).toMatch(/Can't write the run's files to .*blocked/)
  await rm(join(directory, 'blocked', 'summary.json'), { recursive: true })
  const paid = server.counters.requests
  expect((await train(options)).outcome).toBe('finished')
  expect(server.counters.requests).toBe(paid)
  expect(await readFile(join(directory, 'blocked', 'summary.json'), 'utf8')).toContain('finished')
})

it('refuses an unknown key of a given config as it would in a file', async () => {
  const wrong = { ...config, trian: { epochs: 1 } } as unknown as typeof config
  const refused = train({ config: wrong, environment: shouting, cwd: directory, env: {}, out: 'never' })
  await expect(refused).rejects.toBeInstanceOf(InputError)
  await expect(refused).rejects.toThrow(/trian.*train/)
})
