import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { fakeIo } from '../../../../test/support/fake-io.js'
import { exitCodes, InterruptedError } from '../../../core/errors/errors.js'
import { checkAgentSkill } from '../../../core/skill/agent-skill.js'
import type { Library } from '../../library.js'
import { main } from '../../main.js'
import { init } from './init.js'
import type { Questions } from './init-questions.js'

let cwd = ''
beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'skillopt-init-'))
})
afterEach(() => rm(cwd, { recursive: true }))

async function run(argv: readonly string[], env: Record<string, string> = {}) {
  const io = fakeIo<Library>({ cwd, env })
  const code = await main(argv, io)
  return { code, out: io.out(), err: io.err(), json: () => JSON.parse(io.out()) }
}

async function put(files: Record<string, string>): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(cwd, name)), { recursive: true })
    await writeFile(join(cwd, name), text)
  }
}
const read = (name: string) => readFile(join(cwd, name), 'utf8')
const config = async (folder: string) => parse(await read(`${folder}/skillopt.yaml`))

const skill = '---\r\nname: router\r\ndescription: Routes tickets.\r\n---\r\n\r\n# Router\r\n\r\nRoute it.'
const table = `question,answer\n${Array.from({ length: 40 }, (_, n) => `What is ${n} plus ${n * 3}?,${n * 4}`).join('\n')}\n`

describe('init', () => {
  it('makes a project from nothing that doctor passes, and says that its models are simulated', async () => {
    const { code, out, err } = await run(['init', 'my-skill'])
    expect(code).toBe(exitCodes.ok)
    expect(out).toContain('tasks.jsonl holds examples: replace them')
    expect(out).toContain('(simulated; no API key found)')
    expect(out).toContain('50 validation tasks (now 3)')
    expect(out).toContain('  skillopt doctor my-skill')
    expect(err).toContain('The models are simulated')
    expect(checkAgentSkill(await read('my-skill/SKILL.md'), 'my-skill')).toEqual([])
    expect((await run(['doctor', 'my-skill'])).code).toBe(exitCodes.ok)
    expect((await run(['tasks', 'check', 'my-skill'])).code).toBe(exitCodes.ok)
  })

  it('copies a skill byte for byte, divides a table, and picks models by the key that is set', async () => {
    await put({ 'skills/router/SKILL.md': skill, 'skills/router/scripts/run.py': '', 'sums.csv': table })
    const argv = ['init', 'project', '--from', 'skills/router', '--tasks', 'sums.csv']
    const { code, out } = await run(argv, { ANTHROPIC_API_KEY: 'k' })
    expect(code).toBe(exitCodes.ok)
    expect(await read('project/SKILL.md')).toBe(skill)
    expect(out).toContain('copied from skills/router/SKILL.md, without scripts/')
    expect(out).toContain('40 tasks: 20 train, 10 validation, 10 test; scored by numeric')
    expect(out).toContain('(ANTHROPIC_API_KEY is set)')
    expect(await config('project')).toMatchObject({
      environment: {
        train: 'tasks/train.jsonl',
        val: 'tasks/val.jsonl',
        test: 'tasks/test.jsonl',
        scorer: 'numeric',
      },
      models: { target: 'anthropic/claude-haiku-4-5', optimizer: 'anthropic/claude-sonnet-5' },
      train: { epochs: 20 },
    })
    expect((await run(['doctor', 'project'], { ANTHROPIC_API_KEY: 'k' })).code).toBe(exitCodes.ok)
    const without = await run(['doctor', 'project'])
    expect(without.code).toBe(exitCodes.badInput)
    expect(without.out).toContain('ANTHROPIC_API_KEY')
  })

  it('reads keys from a .env file, and takes models that were named', async () => {
    await put({ 'p/.env': 'OPENAI_API_KEY=k\n' })
    await run(['init', 'p', '--target', 'ollama/llama3.2'])
    expect((await config('p')).models).toEqual({ target: 'ollama/llama3.2', optimizer: 'openai/gpt-5.4' })
  })

  it('begins in the folder of a skill, with the tasks that lie there', async () => {
    await put({ 'SKILL.md': skill, 'tickets.csv': table })
    const { code, out, json } = await run(['init', '--json'])
    expect([code, out.includes('\nNext')]).toEqual([exitCodes.ok, false])
    expect(json()).toMatchObject({
      folder: cwd,
      models: { target: 'simulated/target' },
      tasks: { state: 'divided', counts: { train: 20, val: 10, test: 10 }, scorer: 'numeric' },
    })
    expect(json().files).toEqual(
      ['skillopt.yaml', 'tasks/train.jsonl', 'tasks/val.jsonl', 'tasks/test.jsonl'].map(name =>
        join(cwd, name),
      ),
    )
    expect(await read('SKILL.md')).toBe(skill)
  })

  it('uses splits that lie in the project as they are', async () => {
    const line = (number: number) => `${JSON.stringify({ question: `What is ${number}?`, answer: number })}\n`
    await put({
      'SKILL.md': skill,
      'data/train.jsonl': line(1),
      'data/val.jsonl': line(2),
      'data/test.jsonl': line(3),
    })
    const { out } = await run(['init'])
    expect(out).toContain('3 tasks: 1 train, 1 validation, 1 test; scored by numeric')
    expect(parse(await read('skillopt.yaml')).environment).toMatchObject({ train: 'data/train.jsonl' })
    expect((await run(['doctor'])).code).toBe(exitCodes.ok)
  })

  it('takes the evals of a skill, names a judge, and says that they are too few; doctor says so as well', async () => {
    const evals = [
      { id: 1, prompt: 'Route this.', expected_output: 'It says billing.', assertions: ['names it'] },
    ]
    await put({ 'router/SKILL.md': skill, 'router/evals/evals.json': JSON.stringify({ evals }) })
    const { out } = await run(['init', 'project', '--from', 'router/SKILL.md'])
    expect(out).toContain('1 task in tasks.jsonl, too few to split')
    expect(out).not.toContain('skillopt try')
    expect(await config('project')).toMatchObject({
      environment: { scorer: { name: 'rubric', field: 'assertions' } },
      models: { judge: 'simulated/judge' },
    })
    const doctor = await run(['doctor', 'project'])
    expect(doctor.code).toBe(exitCodes.badInput)
    expect(doctor.out).toContain('has 1 tasks: divided 2:1:1')
  })

  it('skips evals whose files would not be copied, and keeps them if the project starts in their folder', async () => {
    const prompts = ['Sort the list.', 'Count the words.', 'Name the author.', 'Find the date.']
    const evals = prompts.map(prompt => ({
      prompt,
      expected_output: `Done: ${prompt}`,
      files: ['evals/files/a.txt'],
    }))
    await put({ 'router/SKILL.md': skill, 'router/evals/evals.json': JSON.stringify({ evals }) })
    await put({ 'router/evals/files/a.txt': 'a list\n' })
    expect((await run(['init', 'project', '--from', 'router'])).out).toContain('holds examples')
    expect((await run(['init', 'router'])).code).toBe(exitCodes.ok)
    expect((await config('router')).environment.train).toBe('train.jsonl')
    expect(await read('router/train.jsonl')).toContain('"files":["evals/files/a.txt"]')
    expect((await run(['doctor', 'router'])).code).toBe(exitCodes.ok)
  })

  it('writes the schema line that the nearest installation has', async () => {
    await put({ 'node_modules/skillopt/dist/config.schema.json': '{}' })
    const { out } = await run(['init', 'deep/project'])
    expect(await read('deep/project/skillopt.yaml')).toMatch(
      /^# yaml-language-server: \$schema=\.\.\/\.\.\/node_modules\/skillopt\/dist\/config\.schema\.json\n/,
    )
    expect(out).not.toContain('editor')
  })

  it('warns of a skill that agents cannot find', async () => {
    await put({ 'plain.md': '# Plain\n' })
    const { code, err } = await run(['init', 'p', '--from', 'plain.md'])
    expect(code).toBe(exitCodes.ok)
    expect(err).toContain('no frontmatter')
  })
})

describe('init refuses', () => {
  it('to replace anything unasked, and then keeps the skill that is there', async () => {
    await run(['init', 'p'])
    await put({ 'p/SKILL.md': skill, 'sums.csv': table })
    const refused = await run(['init', 'p', '--tasks', 'sums.csv'])
    expect(refused.code).toBe(exitCodes.badInput)
    expect(refused.err).toContain('p/skillopt.yaml already exists; nothing was written')
    expect((await run(['init', 'p', '--tasks', 'sums.csv', '--force'])).code).toBe(exitCodes.ok)
    expect(await read('p/SKILL.md')).toBe(skill)
    expect((await config('p')).environment.train).toBe('tasks/train.jsonl')
  })

  it('another skill in place of the one that is there', async () => {
    await put({ 'SKILL.md': 'mine', 'other.md': skill })
    const { code, err } = await run(['init', '--from', 'other.md'])
    expect([code, await read('SKILL.md')]).toEqual([exitCodes.badInput, 'mine'])
    expect(err).toContain('SKILL.md already exists')
    await expect(read('skillopt.yaml')).rejects.toThrow('ENOENT')
  })

  it.each<[string, Record<string, string>, string[], string]>([
    ['a skill that is not there', {}, ['--from', 'gone.md'], 'gone.md does not exist'],
    ['a folder without a skill', { 'x/a.txt': '' }, ['--from', 'x'], 'x has no SKILL.md'],
    ['tasks that are not there', {}, ['--tasks', 'gone.csv'], 'gone.csv does not exist'],
    [
      'tasks without answers',
      { 'a.csv': 'question,answer\nOne?,\n' },
      ['--tasks', 'a.csv'],
      'a.csv, line 2 has an empty',
    ],
    ['columns that it cannot tell', { 'a.csv': 'x,y\n1,2\n' }, ['--tasks', 'a.csv'], '--question: "x", "y"'],
    [
      'to guess between two files',
      { 'p/a.csv': table, 'p/b.csv': table },
      [],
      'Several files could hold the tasks: p/a.csv, p/b.csv',
    ],
    ['a file as a folder', { p: '' }, [], 'p is a file'],
    [
      'broken markers in a skill',
      { 'a.md': '<!-- SLOW_UPDATE_START -->\n' },
      ['--from', 'a.md'],
      'has no end marker',
    ],
  ])('%s', async (_, files, argv, message) => {
    await put(files)
    const { code, err } = await run(['init', 'p', ...argv])
    expect(code).toBe(exitCodes.badInput)
    expect(err).toContain(message)
    await expect(read('p/skillopt.yaml')).rejects.toThrow()
  })
})

describe('init asks', () => {
  const answering = (answers: Record<string, string>) => {
    const asked: string[] = []
    const answer = async (message: string) => {
      asked.push(message)
      return answers[Object.keys(answers).find(start => message.startsWith(start)) ?? ''] ?? ''
    }
    const questions: Questions = { ask: answer, choose: answer }
    return { asked, questions }
  }
  const keys = { OPENAI_API_KEY: 'k', ANTHROPIC_API_KEY: 'k' }

  it('for what was neither given nor found, on a terminal', async () => {
    await put({ 'sums.csv': table })
    const { asked, questions } = answering({
      'What is the skill for': 'Adds numbers.',
      'Where are your tasks': 'sums.csv',
      'Which model': 'anthropic/claude-haiku-4-5',
    })
    const io = fakeIo<Library>({ cwd, env: keys, tty: true })
    expect(await init(io, 'p', { questions })).toBe(exitCodes.ok)
    expect(asked).toHaveLength(4)
    expect(await read('p/SKILL.md')).toContain('description: Adds numbers.')
    expect((await config('p')).models.target).toBe('anthropic/claude-haiku-4-5')
    expect((await config('p')).environment.scorer).toBe('numeric')
  })

  it('which of several files', async () => {
    await put({ 'p/SKILL.md': skill, 'p/a.csv': table, 'p/b.csv': table })
    const { questions } = answering({ 'Which file holds': join('p', 'b.csv') })
    expect(await init(fakeIo<Library>({ cwd, tty: true }), 'p', { questions })).toBe(exitCodes.ok)
    expect(await read('p/tasks/train.jsonl')).toContain('"id":"b-')
  })

  it('nothing with --yes, with --json, or without a terminal', async () => {
    const { asked, questions } = answering({})
    await init(fakeIo<Library>({ cwd, tty: true, env: keys }), 'a', { yes: true, questions })
    await init(fakeIo<Library>({ cwd, tty: true, env: keys }), 'b', { json: true, questions })
    await init(fakeIo<Library>({ cwd, env: keys }), 'c', { questions })
    expect(asked).toEqual([])
  })

  it('and writes nothing when the prompt is cancelled', async () => {
    const leave = async () => {
      throw new InterruptedError('Nothing was written.')
    }
    const io = fakeIo<Library>({ cwd, tty: true })
    await expect(init(io, 'p', { questions: { ask: leave, choose: leave } })).rejects.toThrow(
      'Nothing was written',
    )
    await expect(read('p/skillopt.yaml')).rejects.toThrow('ENOENT')
  })
})
