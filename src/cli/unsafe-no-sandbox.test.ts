import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fakeIo } from '../../test/support/fake-io.js'
import { createProgram } from './command-line.js'
import type { Library } from './library.js'
import { main } from './main.js'

const config = `
skill: SKILL.md
environment:
  use: tasks
  path: tasks.jsonl
  ratio: '1:1:1'
  scorer:
    name: command
    command: [sh, -c, exit 0]
models:
  target: simulated/target
  optimizer: simulated/optimizer
`

let cwd: string
beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'skillopt-unsafe-'))
  const tasks = [1, 2, 3].map(number => JSON.stringify({ id: `t${number}`, question: `Say ${number}.` }))
  await writeFile(join(cwd, 'skillopt.yaml'), config)
  await writeFile(join(cwd, 'SKILL.md'), '# Talking\n')
  await writeFile(join(cwd, 'tasks.jsonl'), tasks.join('\n'))
})
afterAll(() => rm(cwd, { recursive: true }))

async function command(...argv: string[]) {
  const io = fakeIo<Library>({ cwd, library: await import('../app/index.js') })
  const code = await main(argv, io)
  return { code, out: io.out(), err: io.err() }
}

const grants = 'run with your full permissions'

describe('--unsafe-no-sandbox', () => {
  it('is an option of every command that takes a config', () => {
    const program = createProgram(fakeIo<Library>(), () => undefined)
    const takes = (flag: string) =>
      program.commands
        .filter(({ options }) => options.some(({ long }) => long === flag))
        .map(found => found.name())
    expect(takes('--unsafe-no-sandbox')).toEqual(takes('--set'))
    expect(takes('--set')).toEqual(expect.arrayContaining(['train', 'eval', 'try', 'doctor']))
  })

  it('turns the sandbox off, and says what that grants before anything runs', async () => {
    const doctor = await command('doctor', '.', '--unsafe-no-sandbox', '--trust')
    expect(doctor.out).toMatch(new RegExp(`^warn .*sandbox: none.*${grants}`, 'm'))
    const tried = await command('try', '.', '--task', 't1', '--unsafe-no-sandbox', '--trust')
    expect(tried).toMatchObject({ code: 0, err: expect.stringContaining(grants) })
    const dry = await command('train', '.', '--dry-run', '--unsafe-no-sandbox', '--trust')
    expect(dry.err).toContain(grants)
  })

  it('is not what happens by itself', async () => {
    const { out, err } = await command('doctor', '.')
    expect(out + err).not.toContain(grants)
  })
})
