import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import {
  bestText,
  finish,
  LogBuilder,
  sampleLog,
  seedText,
  worseText,
} from '../../../test/support/sample-run.js'
import { trialsLog } from '../../../test/support/trials-run.js'
import { writeBestSkill, writeRunFiles } from './write.js'

let directory: string
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'skillopt-run-files-'))
})
afterEach(() => rm(directory, { recursive: true }))

const text = (name: string) => readFile(join(directory, name), 'utf8')
const json = async (name: string) => JSON.parse(await text(name))
const allFiles = async () =>
  (await readdir(directory, { recursive: true, withFileTypes: true }))
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name).slice(directory.length + 1))
    .sort()

it('has the names that people know from the Python package', async () => {
  await writeRunFiles(directory, finish(sampleLog()).reader())
  expect(await allFiles()).toEqual([
    'best_skill.md',
    'config.json',
    'history.json',
    'meta_skill/epoch_02/meta_skill.json',
    'meta_skill/epoch_02/meta_skill.md',
    'runtime_state.json',
    'skills/skill_v0000.md',
    'skills/skill_v0001.md',
    'skills/skill_v0002.md',
    'slow_update/epoch_02/slow_update.json',
    ...['0001', '0002'].flatMap(step =>
      [
        'candidate_skill.md',
        'edit_reports.json',
        'evaluation.json',
        'merged_patch.json',
        'patches.json',
        'ranked_edits.json',
        'rollouts.jsonl',
      ].map(name => `steps/step_${step}/${name}`),
    ),
    'summary.json',
  ])
})

it('holds what the log says', async () => {
  await writeRunFiles(directory, finish(sampleLog()).reader())
  expect(await text('best_skill.md')).toBe(bestText)
  expect(await text('skills/skill_v0000.md')).toBe(seedText)
  expect(await text('steps/step_0002/candidate_skill.md')).toBe(worseText)
  const rollouts = (await text('steps/step_0001/rollouts.jsonl')).trimEnd().split('\n')
  expect(rollouts.map(line => JSON.parse(line))).toMatchObject(
    ['t1', 't2', 't3', 't4'].map(task => ({
      task,
      status: 'scored',
      score: { hard: 0.5 },
      answer: `Answer of ${task}`,
    })),
  )
  expect(await json('steps/step_0001/evaluation.json')).toMatchObject({
    action: 'accept_new_best',
    hard: 0.75,
    rows: [{ task: 'v1', hard: 1 }],
  })
  expect(await json('history.json')).toMatchObject([
    {
      step: 1,
      outcome: 'accepted',
      edits: [{ id: '1.0', fate: 'applied' }, { fate: 'unmatched' }, { fate: 'dropped' }],
    },
    { step: 2, outcome: 'rejected', gate: { score: 0, current: 0.75 } },
  ])
  expect(await json('summary.json')).toMatchObject({
    run: 'sample-run',
    outcome: 'finished',
    simulated: true,
    best: { version: 1, score: 0.75 },
    trouble: { unmatchedEdits: 2 },
    tests: [{ which: 'none' }, {}, {}, {}],
  })
})

it('can be done at every moment of the run, and again, without a trace', async () => {
  const log = finish(sampleLog())
  for (const end of [1, 2, 9, 30, 45, log.events.length]) {
    const part = new LogBuilder()
    part.events.push(...log.events.slice(0, end))
    for (const [ref, blob] of log.blobs) part.blobs.set(ref, blob)
    await writeRunFiles(directory, part.reader())
    expect(await json('runtime_state.json')).toMatchObject({ events: end })
  }
  const files = await allFiles()
  const contents = await Promise.all(files.map(text))
  const { mtimeMs } = await stat(join(directory, 'history.json'))
  await writeRunFiles(directory, log.reader())
  expect(await allFiles()).toEqual(files)
  expect(await Promise.all(files.map(text))).toEqual(contents)
  expect((await stat(join(directory, 'history.json'))).mtimeMs).toBe(mtimeMs)
})

it('joins the rounds of an accumulated step', async () => {
  const log = new LogBuilder().start()
  const patch = { from: 'failure', tasks: ['a'], reasoning: 'r', patterns: [], edits: [] } as const
  log.add('reflect.finished', {
    epoch: 1,
    step: 1,
    failed: 0,
    patches: [{ ...patch, tasks: ['a'], patterns: [], edits: [] }],
  })
  log.add('reflect.finished', {
    epoch: 1,
    step: 1,
    failed: 0,
    patches: [{ ...patch, tasks: ['b'], patterns: [], edits: [] }],
  })
  await writeRunFiles(directory, log.reader())
  expect(await json('steps/step_0001/patches.json')).toMatchObject([{ tasks: ['a'] }, { tasks: ['b'] }])
})

it('puts a better skill in place at once', async () => {
  await writeBestSkill(directory, 'better')
  expect(await text('best_skill.md')).toBe('better')
})

it('writes the edits of a training by trials with their evidence', async () => {
  await writeRunFiles(directory, trialsLog().reader())
  expect(await json('edits.json')).toMatchObject([
    { id: 's1.f0.0', decision: 'kept', cause: 'digits', effect: { mean: 0.62 }, trials: 9, triedOn: 5 },
    { id: 's1.f0.1', decision: 'dropped', reason: 'Probably does not help.', decidedIn: 2 },
    { decision: 'pruned' },
    { decision: 'taken-back' },
    { decision: 'undecided', trials: 2 },
    { decision: 'dropped' },
  ])
  expect(await allFiles()).toContain('steps/step_0002/final_test.json')
})
