import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { stringify } from 'yaml'
import { fakeIo } from '../../../../test/support/fake-io.js'
import { sleepBook, sleepTask } from '../../../../test/support/sleep-book.js'
import { evaluate } from '../../../app/evaluate.js'
import { train } from '../../../app/train.js'
import { exitCodes } from '../../../core/errors/errors.js'
import { generateSplits } from '../../../simulated/world/generate.js'
import type { TaskBook } from '../../../sleep/model/sleep-task.js'
import type { Library } from '../../library.js'
import { main } from '../../main.js'

/** Runs the commands on a file of reviewed tasks; the simulated desk's tasks stand in for real requests. */

let cwd = ''
beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'skillopt-sleep-environment-'))
  await copyFile(new URL('../../../../examples/quickstart/SKILL.md', import.meta.url), join(cwd, 'SKILL.md'))
})
afterEach(() => rm(cwd, { recursive: true }))

async function project(book: TaskBook, models: object = {}): Promise<void> {
  await writeFile(join(cwd, 'tasks.yaml'), stringify(book))
  const config = {
    name: 'desk',
    environment: { use: 'sleep-tasks', path: 'tasks.yaml' },
    models: { target: 'simulated/target', optimizer: 'simulated/optimizer', ...models },
    train: { epochs: 1, batchSize: 12 },
  }
  await writeFile(join(cwd, 'skillopt.yaml'), stringify(config))
}

async function run(...words: string[]) {
  const io = fakeIo<Library>({ cwd, library: { train, evaluate } })
  const code = await main([...words, '--yes'], io)
  return { code, out: io.out(), err: io.err() }
}

function deskBook(reviewed: boolean): TaskBook {
  const splits = generateSplits({ train: 12, val: 10, test: 30 }, 7)
  const tasks = (['train', 'val', 'test'] as const).flatMap(split =>
    (splits[split] ?? []).map(({ id, question, answer }) =>
      sleepTask(id.toLowerCase(), {
        split,
        intent: 'Answer a question that reached the desk. Put the answer between <answer> and </answer>.',
        checks: [{ op: 'regex', arg: `<answer>\\s*${answer.replaceAll('.', '\\.')}\\s*</answer>` }],
        examples: [{ text: question, before: ['Look at the next one.'] }],
      }),
    ),
  )
  return { ...sleepBook('desk', tasks), reviewed }
}

it('are trained on and evaluated as any others', async () => {
  await project(deskBook(true))
  const trained = await run('train')
  expect([trained.code, trained.err]).toEqual([exitCodes.ok, ''])
  // Some answers are right and some wrong, because each task uses its own check.
  const initial = Number(/^initial +30 +([\d.]+)%/m.exec(trained.out)?.[1])
  expect(initial).toBeGreaterThan(5)
  expect(initial).toBeLessThan(90)
  const evaluated = await run('eval', '--split', 'val')
  expect(evaluated.code).toBe(exitCodes.ok)
  expect(evaluated.out).toMatch(/\bval\b.* 10 /)
})

it('refuses them before anything is run as long as nobody has read them', async () => {
  await project(deskBook(false))
  const { code, err } = await run('train')
  expect(code).toBe(exitCodes.badInput)
  expect(err).toContain('The tasks in tasks.yaml have not been reviewed.')
  expect(err).toContain('reviewed: true')
})

it('wants a judge where there is a rubric, and says what validation by form is worth', async () => {
  const rubric = ['It is "done".']
  const book = sleepBook('desk', [
    sleepTask('a', { rubric }),
    sleepTask('b', { split: 'val', checks: [{ op: 'min_chars', arg: 3 }] }),
    sleepTask('c', { split: 'test', rubric }),
  ])
  await project({ ...book, reviewed: true })
  const refused = await run('eval')
  expect(refused.code).toBe(exitCodes.badInput)
  expect(refused.err).toContain('the config names no judge model')

  await project({ ...book, reviewed: true }, { judge: 'simulated/judge' })
  const { code, out, err } = await run('eval', '--split', 'val')
  expect(code).toBe(exitCodes.ok)
  expect(`${out}${err}`).toContain('Validation by form alone: b.')
  expect(out).not.toMatch(/^judge /m)
  const judged = await run('eval', '--split', 'test')
  expect(judged.code).toBe(exitCodes.ok)
  expect(judged.out).toMatch(/^judge +3 /m)
})
