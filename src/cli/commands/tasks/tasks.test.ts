import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { fakeIo } from '../../../../test/support/fake-io.js'
import { exitCodes } from '../../../core/errors/errors.js'
import { create, options } from '../../../tasks/own/index.js'
import type { Library } from '../../library.js'
import { main } from '../../main.js'

let cwd = ''
beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'skillopt-tasks-'))
})
afterEach(() => rm(cwd, { recursive: true }))

async function run(...argv: string[]) {
  const io = fakeIo<Library>({ cwd })
  const code = await main(['tasks', ...argv], io)
  return { code, out: io.out(), err: io.err(), json: () => JSON.parse(io.out()) }
}
const put = (name: string, text: string) => writeFile(join(cwd, name), text)
const read = (name: string) => readFile(join(cwd, name), 'utf8')
const linesOf = async (name: string) =>
  (await read(name))
    .trim()
    .split('\n')
    .map(line => JSON.parse(line) as Record<string, unknown>)

const towns = [
  'Aarhus',
  'Bergen',
  'Cork',
  'Dover',
  'Essen',
  'Faro',
  'Ghent',
  'Hull',
  'Izmir',
  'Jena',
  'Kiel',
  'Lodz',
]
const rows = towns.flatMap((town, index) => [
  `${index * 2},Where is the parcel from ${town}?,shipping`,
  `${index * 2 + 1},The invoice for ${town} is wrong; who mends it?,billing`,
])
const table = `No,Message,Team\n${rows.join('\n')}\n`

describe('tasks draft', () => {
  it('writes a tasks file, and says what was taken for what', async () => {
    await put('tickets.csv', table)
    const { code, out } = await run('draft', 'tickets.csv', '--question', 'Message', '--answer', 'Team')
    expect(code).toBe(exitCodes.ok)
    expect(out).toContain('tickets.csv: 24 tasks')
    expect(out).toContain('question: "Message" (as you chose)')
    expect(out).toContain('scorer: exact (there are 2 different answers: "shipping", "billing")')
    expect(out).toContain('path: tasks.jsonl')
    expect((await linesOf('tasks.jsonl'))[0]).toEqual({
      id: 'tickets-02',
      question: 'Where is the parcel from Aarhus?',
      answer: 'shipping',
      No: '0',
    })
  })

  it('writes YAML that the environment reads, and JSON for programs', async () => {
    await put('tickets.csv', table.replace('Message,Team', 'question,answer'))
    const { json } = await run('draft', 'tickets.csv', '--out', 'all.yaml', '--json')
    expect(json()).toMatchObject({ tasks: 24, scorer: 'exact', problems: [], file: join(cwd, 'all.yaml') })
    const environment = await create(options.parse({ path: 'all.yaml' }), { baseDir: cwd })
    expect(await environment.tasks('test')).toHaveLength(17)
  })

  it('never replaces a file unasked, and writes nothing where it cannot tell the columns', async () => {
    await put('tickets.csv', table)
    await put('tasks.jsonl', 'mine')
    const names = ['--question', 'Message', '--answer', 'Team']
    const refused = await run('draft', 'tickets.csv', ...names)
    expect(refused).toMatchObject({ code: exitCodes.badInput })
    expect(refused.err).toContain('tasks.jsonl already exists; nothing was written')
    expect(await read('tasks.jsonl')).toBe('mine')
    const unknown = await run('draft', 'tickets.csv', '--out', 'other.jsonl')
    expect(unknown.err).toContain('Choose one with --answer: "No", "Team"')
    await expect(read('other.jsonl')).rejects.toThrow('ENOENT')
    expect((await run('draft', 'tickets.csv', ...names, '--force')).code).toBe(exitCodes.ok)
    expect(await linesOf('tasks.jsonl')).toHaveLength(24)
  })

  it('says which tasks cannot be used as they are', async () => {
    await put('a.csv', 'question,answer\nOne?,\nTwo?,2\n')
    const { out, code } = await run('draft', 'a.csv')
    expect(code).toBe(exitCodes.ok)
    expect(out).toContain('warn  not usable: 1 task')
    expect(out).toContain('a.csv, line 2 has an empty expected answer')
  })
})

describe('tasks check', () => {
  it('says what so many tasks can show, with the counts of the suggested ratio', async () => {
    await put('tickets.csv', table)
    const { code, out } = await run('check', 'tickets.csv', '--question', 'Message', '--answer', 'Team')
    expect(code).toBe(exitCodes.ok)
    expect(out).toContain('24 tasks (split 2:1:1: 12 train, 6 validation, 6 test)')
    expect(out).toContain('answers: shipping 12, billing 12')
    expect(out).toContain('warn  only 24 tasks: below 30')
    expect(out).toMatch(/with 6 validation tasks the gate accepts a \+10-point edit \d+% of the time/)
    expect(out).toMatch(/6 test tasks can only confirm gains of \d+ points or more/)
  })

  it('ends with 2 and the lines where tasks cannot be used', async () => {
    await put('a.csv', `question,answer\nOne?,\n${rows.join('\n').replace(/^\d+,/gm, '')}\n`)
    const { code, out } = await run('check', 'a.csv')
    expect(code).toBe(exitCodes.badInput)
    expect(out).toContain('fail  not usable: 1 task')
    expect(out).toContain('a.csv, line 2 has an empty expected answer')
  })

  it('reads a project with its own scorer, and finds what stands in two splits', async () => {
    await put(
      'skillopt.yaml',
      'environment: {train: a.jsonl, val: b.jsonl, test: c.jsonl, scorer: numeric}\nmodels: {target: simulated/target, optimizer: simulated/optimizer}\n',
    )
    const line = (id: string, question: string, answer: string) =>
      `${JSON.stringify({ id, question, answer })}\n`
    await put('a.jsonl', line('a', 'How many?', '1') + line('x', 'How much?', 'some'))
    await put('b.jsonl', line('b', 'how  MANY?', '1'))
    await put('c.jsonl', line('c', 'How far?', '3'))
    const { code, json } = await run('check', '--json')
    expect(code).toBe(exitCodes.badInput)
    const report = json()
    expect(report).toMatchObject({ scorer: 'numeric', ratio: null, counts: { train: 1, val: 1, test: 1 } })
    expect(report.findings.map(({ level, tasks }: Record<string, unknown>) => [level, tasks])).toEqual([
      ['problem', ['a.jsonl, line 2 has no number in its expected answer "some".']],
      ['problem', ['a = b']],
      ['warning', []],
    ])
  })

  it('refuses a project whose tasks are not its own to read', async () => {
    const models = 'models: {target: simulated/target, optimizer: simulated/optimizer}\n'
    await put('skillopt.yaml', `environment: {use: searchqa, path: a.json}\n${models}`)
    expect((await run('check')).err).toContain('uses the environment searchqa')
    await put('skillopt.yaml', `environment: {pth: a.json}\n${models}`)
    expect((await run('check')).err).toContain('is not valid')
  })

  it('reads the folder that split wrote', async () => {
    await put('tickets.csv', table)
    await run('split', 'tickets.csv', '--question', 'Message', '--answer', 'Team')
    const { code, out } = await run('check', 'tasks')
    expect(code).toBe(exitCodes.ok)
    expect(out).toContain('24 tasks (12 train, 6 validation, 6 test)')
    expect(out).toContain('scorer: exact (there are 2 different answers')
  })
})

describe('tasks dedupe', () => {
  const withRepeats = `${table}90,where is the  PARCEL from Cork?,shipping\n91,"Where is the parcel, from Cork?!",shipping\n`
  const names = ['--question', 'Message', '--answer', 'Team']

  it('removes repeats, says which, and leaves the source and its columns alone', async () => {
    await put('tickets.csv', withRepeats)
    const { code, out } = await run('dedupe', 'tickets.csv', ...names)
    expect(code).toBe(exitCodes.ok)
    expect(out).toContain('removed tickets-26 (tickets.csv, line 26), which repeats tickets-06')
    expect(out).toContain('kept 1 near-duplicate; --near removes them too')
    expect(out).toContain('Wrote tickets-unique.csv: 25 tasks, 1 removed.')
    expect((await read('tickets-unique.csv')).split('\n').slice(0, 2)).toEqual(table.split('\n').slice(0, 2))
    expect(await read('tickets.csv')).toBe(withRepeats)
  })

  it('removes near repeats when asked, and says so as JSON', async () => {
    await put('tickets.csv', withRepeats)
    const { json } = await run('dedupe', 'tickets.csv', ...names, '--near', '--json', '--out', 'clean.jsonl')
    expect(json()).toEqual({
      file: join(cwd, 'clean.jsonl'),
      kept: 24,
      removed: [
        { id: 'tickets-26', repeats: 'tickets-06' },
        { id: 'tickets-27', repeats: 'tickets-06' },
      ],
    })
  })

  it('keeps questions with different answers, and names them', async () => {
    await put(
      'a.jsonl',
      '{"id":"a","question":"Is it?","answer":"yes"}\n{"id":"b","question":"is it?","answer":"no"}\n',
    )
    const { out } = await run('dedupe', 'a.jsonl')
    expect(out).toContain('kept a, b: same question, different answers')
    expect(await linesOf('a-unique.jsonl')).toHaveLength(2)
  })
})

describe('tasks split', () => {
  const names = ['--question', 'Message', '--answer', 'Team']

  it('writes three files that the environment takes, the same for the same seed', async () => {
    await put('tickets.csv', table)
    const { code, out } = await run('split', 'tickets.csv', ...names, '--ratio', '1:1:1')
    expect(code).toBe(exitCodes.ok)
    expect(out).toContain('Wrote tasks/val.jsonl: 8 tasks')
    expect(out).toContain('    val: tasks/val.jsonl')
    const given = { train: 'tasks/train.jsonl', val: 'tasks/val.jsonl', test: 'tasks/test.jsonl' }
    const environment = await create(options.parse(given), { baseDir: cwd })
    expect(await environment.tasks('val')).toHaveLength(8)
    await run('split', 'tickets.csv', ...names, '--ratio', '1:1:1', '--out', 'again')
    await run('split', 'tickets.csv', ...names, '--ratio', '1:1:1', '--out', 'other', '--seed', '7')
    expect(await read('again/val.jsonl')).toBe(await read('tasks/val.jsonl'))
    expect(await read('other/val.jsonl')).not.toBe(await read('tasks/val.jsonl'))
  })

  it('takes counts, and says what is left out', async () => {
    await put('tickets.csv', table)
    const { json } = await run('split', 'tickets.csv', ...names, '--counts', '6:4:4', '--json')
    expect(json()).toMatchObject({ unused: 10, ratio: '6:4:4', seed: 42 })
    expect(await linesOf('tasks/train.jsonl')).toHaveLength(6)
  })

  it('writes none of the files if one is there', async () => {
    await put('tickets.csv', table)
    await mkdir(join(cwd, 'tasks'))
    await put('tasks/test.jsonl', 'mine')
    const { code, err } = await run('split', 'tickets.csv', ...names)
    expect(code).toBe(exitCodes.badInput)
    expect(err).toContain('tasks/test.jsonl already exists; nothing was written')
    await expect(read('tasks/train.jsonl')).rejects.toThrow('ENOENT')
  })

  it.each([
    [['split', 'gone.csv'], 'gone.csv does not exist'],
    [['split', 'tickets.csv', ...names, '--ratio', '1:1'], 'not a split ratio'],
    [['split', 'tickets.csv', ...names, '--counts', '90:5:5'], 'needs 100 tasks'],
    [['split', 'tickets.csv', ...names, '--ratio', '1:1:1', '--counts', '1:1:1'], 'cannot be used with'],
    [['split', 'tickets.csv', ...names, '--seed', 'x'], 'whole number'],
    [['split'], "missing required argument 'source'"],
    [['frobnicate'], "unknown command 'frobnicate'"],
    [['check', 'tickets.csv', '--scorer', 'exat', ...names], 'Did you mean "exact"?'],
  ])('refuses %j with 2', async (argv, message) => {
    await put('tickets.csv', table)
    const { code, err } = await run(...argv)
    expect(code).toBe(exitCodes.badInput)
    expect(err).toContain(message)
  })

  it.each(['draft', 'check', 'dedupe', 'split'])('has help with examples: %s', async name => {
    const { code, out } = await run(name, '--help')
    expect(code).toBe(exitCodes.ok)
    expect(out).toContain(`skillopt tasks ${name} `)
    expect(out).toMatch(/Examples?:/)
  })
})
