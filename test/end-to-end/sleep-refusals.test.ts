import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { main } from '../../src/cli/main.js'
import { fakeIo } from '../support/fake-io.js'
import { harvestArguments, type Machine, makeMachine, treeOf } from './sleep-support.js'

/** Invalid input is refused in one sentence, before anything is read, paid for or written. */

let machine: Machine
let before: Record<string, string>
beforeAll(async () => {
  machine = await makeMachine({ forms: ['claude-code', 'codex', 'opencode'] })
  await writeFile(join(machine.project, 'there.yaml'), 'mine\n')
  await writeFile(join(machine.project, 'file'), '')
  await mkdir(join(machine.project, 'folder.yaml'))
  const redact = [{ name: 'mine', pattern: '(' }]
  await writeFile(join(machine.project, 'pattern.yaml'), JSON.stringify({ sleep: { redact } }))
  await writeFile(join(machine.project, 'torn.yaml'), 'sleep: {days: 3\n')
  before = await treeOf(machine.root)
})

const library = () => import('../../src/app/index.js')

async function refusedBy(args: readonly string[], env: Readonly<Record<string, string | undefined>>) {
  const io = { ...fakeIo({ cwd: machine.project, env }), library }
  const code = await main(args, io)
  return { code, stdout: io.out(), stderr: io.err() }
}

const cases: readonly (readonly [string, readonly string[], RegExp, Record<string, string>?])[] = [
  [
    'an unknown agent',
    ['--source', 'claud-code'],
    /Unknown transcript source: claud-code\..*Did you mean claude-code/s,
  ],
  ['days that are none', ['--days', 'many'], /--days/],
  ['days below none', ['--days', '-1'], /--days/],
  ['an unknown option', ['--everything'], /unknown option '--everything'/],
  ['a word too much', ['now'], /too many arguments/],
  ['a pattern that is none', ['--config', 'pattern.yaml'], /The pattern to redact "mine" is no regular/],
  ['an unknown setting', ['--set', 'sleep.day=3'], /sleep\.day\b/],
  ['a setting of another kind', ['--set', 'sleep.occasions=1'], /sleep\.occasions/],
  ['a config that is not there', ['--config', 'none.yaml'], /none\.yaml/],
  ['a config that is torn', ['--config', 'torn.yaml'], /torn\.yaml/],
  ['a project that is not there', ['--project', 'nowhere'], /The project nowhere does not exist/],
  ['a project that is a file', ['--project', 'file'], /is a file, not a folder/],
  ['an output that is there', ['--output', 'there.yaml'], /there\.yaml already exists/],
  ['an output that is a folder', ['--output', 'folder.yaml'], /folder\.yaml already exists/],
  ['an output of another form', ['--output', 'tasks.txt'], /ends in \.yaml, \.yml or \.json/],
  ['an embedder that is not there', ['--embedder', './none.mjs'], /none\.mjs/],
  ['a simulated model', ['--optimizer', 'simulated/optimizer', '--yes'], /The optimizer is simulated/],
  ['an unknown provider', ['--optimizer', 'opnai/x', '--yes'], /opnai/],
  ['a cap on a price that nobody knows', ['--max-cost', '1'], /price/],
  ['a home that is a file', [], /ENOTDIR|not a folder/, { SKILLOPT_HOME: 'file' }],
  ['a key that is not set', [], /E2E_KEY/, { E2E_KEY: '' }],
]

const named = cases.map(([name, more, message, env = {}]) => ({ name, more, message, env }))

// The first test compiles the command line.
it.each(named)('$name', async ({ more, message, env }) => {
  // Nothing listens there: an actual call would produce a different message.
  const args = harvestArguments('http://127.0.0.1:9', ...more)
  const refused = await refusedBy(args, { ...machine.env, ...env })
  expect(refused).toMatchObject({ code: 2, stdout: '' })
  expect(refused.stderr).toMatch(message)
  expect(refused.stderr.trimEnd().split('\n').length).toBeLessThanOrEqual(3)
  expect(await treeOf(machine.root)).toEqual(before)
})
