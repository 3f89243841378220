import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { play, taskNames, usualSettings } from '../../test/support/gate-play.js'
import { InputError } from '../core/errors/errors.js'
import type { Model } from '../core/ports/model.js'
import type { ResolvedModel } from '../models/index.js'
import { assemble, assembleForEvaluation } from './assemble.js'
import { loadProject } from './load.js'

let folder: string
const made: string[] = []

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'skillopt-assemble-'))
  made.length = 0
})
afterEach(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }))

async function write(files: Record<string, string>): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true })
    await writeFile(join(folder, name), text)
  }
}

async function createModel(config: ResolvedModel): Promise<Model> {
  made.push(config.model)
  return {
    id: config.model,
    parameters: {},
    maxOutputTokens: config.maxOutputTokens,
    price: config.price,
    generate: () => Promise.reject(new Error('not called here')),
  }
}

const lines = (...ids: string[]) =>
  ids.map(id => JSON.stringify({ id, question: `Say ${id}.`, answer: id })).join('\n')

const config = `environment: { train: train.jsonl, val: val.jsonl, test: test.jsonl }
models: { target: a/target, optimizer: a/optimizer }
`

async function writeProject(more: Record<string, string> = {}): Promise<void> {
  await write({
    'skillopt.yaml': config,
    'SKILL.md': '# How to answer\n',
    'train.jsonl': lines('a', 'b', 'c'),
    'val.jsonl': lines('d', 'e', 'f', 'g'),
    'test.jsonl': lines('h', 'i'),
    ...more,
  })
}

const load = (flags: Record<string, unknown> = {}) =>
  loadProject({ project: folder, env: {}, cwd: folder, flags, trust: true })
const build = async (flags: Record<string, unknown> = {}) => assemble(await load(flags), { createModel })

async function refusal(work: Promise<unknown>): Promise<InputError> {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  expect(error).toBeInstanceOf(InputError)
  return error as InputError
}

/** JavaScript source of a custom environment whose tasks are `splits`. */
const ownEnvironment = (splits: string, needs = "['chat']") => `
export default {
  id: 'own', needs: ${needs},
  tasks: async split => (${splits})[split].map(id => ({ id })),
  open: async () => ({ instructions: '', prompt: 'x', skillAt: 'system', tools: [], turnLimit: 1, close: async () => {} }),
  score: async () => ({ hard: 1, soft: 1, feedback: '' }),
}`
const ownConfig = config.replace(/environment: .*/, 'environment: { use: ./own.mjs }')

describe('a valid project', () => {
  it('becomes a setup with everything in it', async () => {
    await writeProject()
    const setup = await build()
    expect(setup.skill).toBe('# How to answer\n')
    expect(setup.tasks.train.map(task => task.id)).toEqual(['a', 'b', 'c'])
    expect(setup.environment.id).toBe('tasks')
    expect(setup.harness.id).toBe('chat')
    expect(setup.models.target.id).toBe('a/target')
    expect(setup.models.optimizer.maxOutputTokens).toBe(16384)
    expect(setup.models).not.toHaveProperty('judge')
    expect(setup.gate({ tasks: [], score: () => 0, settings: usualSettings }).id).toBe('not-worse')
    expect(setup.prompts.merge.text).not.toBe('')
    expect(setup.limit?.objection('- A rule.', '- A rule.\u200B')).toMatch(/U\+200B|zero-width/i)
    expect(setup.limit?.note('- A rule.')).toBe('')
    expect(setup.simulated).toBe(false)
    expect(Object.keys(setup.fingerprints)).toEqual(['skill', 'train', 'val', 'test', 'prompts'])
  })

  it('ignores the mining prompt', async () => {
    await writeProject({ 'own/repair.md': 'Again: {{problem}}' })
    const before = (await build({ prompts: 'own' })).fingerprints
    await write({ 'own/mine.md': 'Mine.' })
    expect((await build({ prompts: 'own' })).fingerprints).toEqual(before)
  })

  it('changes its fingerprints when its inputs change', async () => {
    await writeProject()
    const before = (await build()).fingerprints
    expect((await build()).fingerprints).toEqual(before)
    await writeProject({ 'SKILL.md': '# Other\n', 'val.jsonl': lines('d', 'e', 'f', 'x') })
    const after = (await build()).fingerprints
    expect(Object.keys(after).filter(name => after[name] !== before[name])).toEqual(['skill', 'val'])
  })

  it('samples part of a split by seed, deterministically and in data order', async () => {
    await writeProject()
    const flags = { 'evaluation.validationSize': 2, 'evaluation.testSize': 9 }
    const ids = async (seed: number) =>
      (await build({ ...flags, 'train.seed': seed })).tasks.val.map(task => task.id)
    const first = await ids(1)
    expect(first).toHaveLength(2)
    expect([...first].sort()).toEqual(first)
    expect(await ids(1)).toEqual(first)
    const others = await Promise.all([2, 3, 4, 5, 6].map(ids))
    expect(others.some(other => other.join() !== first.join())).toBe(true)
    expect((await build(flags)).tasks.test).toHaveLength(2)
  })

  it('says so when a model is simulated', async () => {
    await writeProject()
    expect((await build({ 'models.optimizer': 'simulated/optimizer' })).simulated).toBe(true)
  })

  it('needs no optimizer for an evaluation, and takes another skill', async () => {
    await writeProject({ 'SKILL.md': '' })
    const setup = await assembleForEvaluation(await load(), { createModel, skill: '# Given\n' })
    expect(made).toEqual(['a/target'])
    expect(setup.skill).toBe('# Given\n')
    await expect(
      setup.models.optimizer.generate({ messages: [] }, AbortSignal.timeout(1000)),
    ).rejects.toThrow('does not use it')
    await build({ 'models.judge': 'a/judge' })
    expect(made).toEqual(['a/target', 'a/target', 'a/judge', 'a/optimizer'])
  })
})

describe('the optimizer', () => {
  it('gets prompts from the environment, and from the user above them', async () => {
    const own = ownEnvironment("{ train: ['a'], val: ['b'], test: ['c'] }").replace(
      "id: 'own',",
      "id: 'own', prompts: { merge: 'Merge puzzles.', rank: 'Rank puzzles.' },",
    )
    await writeProject({
      'skillopt.yaml': `${ownConfig}prompts: mine\n`,
      'own.mjs': own,
      'mine/rank.md': 'Rank as I say.',
    })
    const { prompts } = await build()
    expect([prompts.merge.text, prompts.rank.text]).toEqual(['Merge puzzles.', 'Rank as I say.'])
  })

  it('can set the effort of one stage, if the model supports it', async () => {
    await writeProject()
    const flags = { 'optimizer.effort.reflect': 'high' }
    expect((await build(flags)).prompts['analyst-failure'].effort).toBe('high')
    const stubborn = async (given: ResolvedModel) => {
      if (given.effort === 'high') throw new InputError('It takes no effort.', { hint: 'Leave it out.' })
      return createModel(given)
    }
    const error = await refusal(assemble(await load(flags), { createModel: stubborn }))
    expect(error.message).toBe('optimizer.effort.reflect: It takes no effort.')
    expect(error.hint).toBe('Leave it out.')
  })

  it('knows how long the skill may get', async () => {
    await writeProject()
    const { limit } = await build({ 'optimizer.tokenLimit': 900 })
    expect(limit?.note('# How to answer\n')).toMatch(/about [4-9] tokens.*at most 900/)
    expect(limit?.objection('', 'word '.repeat(1_000))).toMatch(/the limit is 900/)
  })
})

describe('an environment of one’s own', () => {
  it('is one TypeScript file, which imports this very package', async () => {
    await writeProject({
      'skillopt.yaml': config.replace(/environment: .*/, 'environment: { use: ./own.ts, word: hello }'),
      'own.ts': `
import { defineEnvironment, InputError, type Task } from 'skillopt'
import { z } from 'zod'
interface Word extends Task { word: string }
export default defineEnvironment<Word, { word: string; fail: boolean }>({
  id: 'words',
  options: z.object({ word: z.string(), fail: z.boolean().default(false) }),
  tasks: (split, { options }) => {
    if (options.fail) throw new InputError('As you wish.')
    return [{ id: split, word: options.word }]
  },
  prompt: task => task.word,
  score: (task, answer) => (answer === task.word ? 1 : 0),
})
`,
    })
    const setup = await build()
    expect(setup.environment.id).toBe('words')
    expect(setup.tasks.val).toEqual([{ id: 'val', word: 'hello' }])
    expect(setup.fingerprints).toHaveProperty('environment')
    expect((await refusal(build({ 'environment.fail': true }))).message).toBe('As you wish.')
    expect((await refusal(build({ 'environment.wrod': 'x' }))).message).toBe(
      'environment.wrod is not an option (flag --set environment.wrod); did you mean environment.word?',
    )
    expect((await refusal(build({ 'environment.word': 5 }))).message).toBe(
      'environment.word must be text, but is 5 (flag --set environment.word).',
    )
  })

  it('may be an environment as it is, without options', async () => {
    await writeProject({
      'skillopt.yaml': ownConfig,
      'own.mjs': ownEnvironment("{ train: ['a'], val: ['b'], test: ['c'] }"),
    })
    expect((await build()).environment.id).toBe('own')
    expect((await refusal(build({ 'environment.colour': 'red' }))).message).toBe(
      'environment.colour is not an option (flag --set environment.colour); there are no options here.',
    )
  })

  it('may come with a gate of one’s own', async () => {
    await writeProject({
      'gate.ts': `import type { GateFactory } from 'skillopt'
const gate: GateFactory = ({ score }) => ({ id: 'mine', score, next: () => ({ run: [] }) })
export default gate`,
    })
    const setup = await build({ 'evaluation.gate': './gate.ts' })
    expect(setup.gate({ tasks: [], score: () => 0, settings: usualSettings }).id).toBe('mine')
    expect(setup.fingerprints).toHaveProperty('gate')
  })

  it('adds the no-regression check to the gate when configured', async () => {
    await writeProject()
    // The candidate wins every task except one, which it always breaks.
    const decided = async (flags: Record<string, unknown>) =>
      play((await build(flags)).gate, taskNames(10), {
        current: task => (task === 'task-3' ? 1 : 0),
        candidate: task => (task === 'task-3' ? 0 : 1),
      }).verdict.decision
    expect(await decided({})).toBe('accept')
    expect(await decided({ 'evaluation.noRegression': 'task' })).toBe('reject')
  })

  it('adds floors to the gate when configured', async () => {
    await writeProject()
    const decided = async (flags: Record<string, unknown>) =>
      play((await build(flags)).gate, taskNames(10), {
        current: () => 1,
        candidate: task => (task === 'task-3' ? 0 : 1),
      }).verdict
    const always = { 'evaluation.gate': 'always' }
    expect((await decided(always)).decision).toBe('accept')
    expect((await decided({ ...always, 'evaluation.floors.accuracy': 0.95 })).reason).toContain(
      'its accuracy is 90.0%, and the floor is 95.0%',
    )
  })

  it('refuses no-regression by type for training when no type has enough tasks', async () => {
    const flags = { 'evaluation.noRegression': 'type' }
    const typed = (count: number) =>
      Array.from(
        { length: count },
        (_, index) => `{"id":"v${index}","question":"?","answers":["a"],"type":"sums"}\n`,
      )
    await writeProject({ 'val.jsonl': typed(4).join('') })
    expect((await refusal(build(flags))).message).toBe(
      'evaluation.noRegression is type, but no type has at least 5 validation tasks.',
    )
    await expect(assembleForEvaluation(await load(flags), { createModel })).resolves.toBeDefined()
    await writeProject({ 'val.jsonl': typed(5).join('') })
    expect((await build(flags)).tasks.val).toHaveLength(5)
  })

  it('cannot use the no-regression check as a gate', async () => {
    await writeProject()
    const { message, hint } = await refusal(build({ 'evaluation.gate': 'no-regression' }))
    expect(message).toBe('evaluation.gate: unknown gate "no-regression".')
    expect(hint).toContain('always, better, guarded, not-worse, paired, strict')
  })
})

describe('before any money is spent', () => {
  const own = (splits: string, needs?: string) => ({
    'skillopt.yaml': ownConfig,
    'own.mjs': ownEnvironment(splits, needs),
  })

  it.each<[string, Record<string, string>, Record<string, unknown>, string]>([
    [
      'a skill that is not there',
      {},
      { skill: 'gone.md' },
      'The skill gone.md cannot be read: there is no such file.',
    ],
    [
      'a skill with a marker too many',
      { 'SKILL.md': '<!-- SLOW_UPDATE_START -->\n' },
      {},
      'SKILL.md, line 1: <!-- SLOW_UPDATE_START --> has no end marker after it.',
    ],
    [
      'an unknown environment',
      {},
      { 'environment.use': 'serchqa' },
      'environment.use: unknown environment "serchqa"; did you mean searchqa?',
    ],
    [
      'a helper that is no environment',
      {},
      { 'environment.use': 'scoring' },
      'environment.use: unknown environment "scoring".',
    ],
    [
      'an environment file that is not there',
      {},
      { 'environment.use': './gone.ts' },
      'environment.use: file not found: ./gone.ts.',
    ],
    [
      'a file without an environment',
      { 'own.mjs': 'export default 5' },
      { 'environment.use': './own.mjs' },
      'environment.use: the file ./own.mjs does not default-export an environment.',
    ],
    [
      'an unknown gate',
      {},
      { 'evaluation.gate': 'strickt' },
      'evaluation.gate: unknown gate "strickt"; did you mean strict?',
    ],
    [
      'a file without a gate',
      { 'gate.mjs': 'export default 5' },
      { 'evaluation.gate': './gate.mjs' },
      'evaluation.gate: the file ./gate.mjs does not default-export a function that creates a gate.',
    ],
    [
      'an unknown option of an environment',
      {},
      { 'environment.scoring': 'exact' },
      'environment.scoring is not an option (flag --set environment.scoring); did you mean environment.scorer?',
    ],
    [
      'an empty split',
      own("{ train: ['a'], val: [], test: [] }"),
      {},
      'The val and test splits have no tasks.',
    ],
    [
      'an empty test split',
      own("{ train: ['a'], val: ['b'], test: [] }"),
      {},
      'The test split has no tasks.',
    ],
    [
      'ids in two splits',
      own("{ train: ['a', 'b'], val: ['c', 'b', 'a'], test: ['d'] }"),
      {},
      'The train and val splits share tasks: a, b.',
    ],
    [
      'ids that stand twice',
      own("{ train: ['a', 'a'], val: ['c'], test: ['d'] }"),
      {},
      'The train split has several tasks with the same id: a.',
    ],
    [
      'a task without an id',
      own("{ train: [''], val: ['c'], test: ['d'] }"),
      {},
      'A task of the train split has no id.',
    ],
    [
      'an environment that needs more',
      own("{ train: ['a'], val: ['b'], test: ['c'] }", "['chat', 'workspace']"),
      {},
      'The environment own needs workspace, which the target a/target does not support.',
    ],
    [
      'a cost cap without a price',
      {},
      { 'limits.maxCost': 1 },
      'A cost cap was given, but the price of the target model a/target is not known.',
    ],
  ])('%s is refused', async (_what, files, flags, sentence) => {
    await writeProject(files)
    // Paths are relative to the project, as in a config, not to the shell.
    const loaded = await load(flags)
    const error = await refusal(assemble(loaded, { createModel }))
    expect(error.message.replaceAll(folder, '.')).toBe(sentence)
  })

  it('a file that does not run is refused, with its own words', async () => {
    await writeProject({ 'skillopt.yaml': ownConfig, 'own.mjs': 'throw new Error("boom")' })
    expect((await refusal(build())).message).toBe('environment.use: cannot load ./own.mjs: boom.')
  })

  it('an empty test split is fine when no test is asked for', async () => {
    await writeProject(own("{ train: ['a'], val: ['b'], test: [] }"))
    expect((await build({ 'evaluation.test': [] })).tasks.test).toEqual([])
  })

  it('refuses a train size in a reference YAML that does not match the data', async () => {
    await writeProject()
    const loaded = { ...(await load()), expectedTrainSize: 400 }
    expect((await refusal(assemble(loaded, { createModel }))).message).toBe(
      'train.train_size is 400, but the train split has 3 tasks.',
    )
    expect((await assemble({ ...loaded, expectedTrainSize: 3 }, { createModel })).tasks.train).toHaveLength(3)
  })
})
