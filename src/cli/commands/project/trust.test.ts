import { existsSync } from 'node:fs'
import { cp, mkdir, mkdtemp, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { parse, stringify } from 'yaml'
import { fakeIo } from '../../../../test/support/fake-io.js'
import { closeModels } from '../../../models/index.js'
import type { Library } from '../../library.js'
import { main } from '../../main.js'

/** A project by somebody else, with code that leaves a marker when it is run. */

const quickstart = fileURLToPath(new URL('../../../../examples/quickstart', import.meta.url))

let root: string
let clone: string
let home: string
let marker: string
beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'skillopt-trust-')))
  clone = join(root, 'clone')
  home = join(root, 'home')
  marker = join(root, 'code-was-run')
  await mkdir(home)
  await cp(quickstart, clone, { recursive: true })
  await writeFile(
    join(clone, 'evil.mjs'),
    `import { writeFileSync } from 'node:fs'\nwriteFileSync(${JSON.stringify(marker)}, '')\nexport default () => {}\n`,
  )
})
afterEach(async () => {
  await closeModels()
  await rm(root, { recursive: true, force: true })
})

async function configure(change: (config: Record<string, unknown>) => void): Promise<void> {
  const file = join(clone, 'skillopt.yaml')
  const config = parse(await readFile(file, 'utf8')) as Record<string, unknown>
  change(config)
  await writeFile(file, stringify(config))
}

const evilGate = () => configure(config => (config.evaluation = { gate: './evil.mjs' }))

async function run(args: readonly string[], options: { readonly env?: Record<string, string> } = {}) {
  const io = fakeIo<Library>({ cwd: clone, env: { HOME: home, PATH: process.env.PATH, ...options.env } })
  const library = () => import('../../../app/index.js')
  const code = await main(args, { ...io, library })
  return { code, said: `${io.out()}${io.err()}` }
}

const wasRun = () => existsSync(marker)

const commands = [
  ['train', '--dry-run'],
  ['train', '--dry-run', '--probe', '--yes'],
  ['train', '--yes'],
  ['eval', '--split', 'test', '--yes'],
  ['eval', '--baselines', '--yes'],
  ['eval', '--skill', 'SKILL.md', '--on', 'simulated/target', '--dry-run'],
  ['try', '--task', 'train-001'],
  ['doctor'],
  ['doctor', '--gate', '--yes'],
  ['doctor', '--judge', 'labels.csv', '--yes'],
  ...['run --dry-run', 'harvest --dry-run', 'schedule --max-calls 1'].map(words => [
    'sleep',
    ...words.split(' '),
    '--config',
    'skillopt.yaml',
  ]),
]

describe('a config that names code', () => {
  it.each(commands.map(args => [args.join(' '), args] as const))(
    'runs nothing before it is trusted: %s',
    async (_name, args) => {
      await evilGate()
      await writeFile(join(clone, 'labels.csv'), 'answer,label\n')
      const { code, said } = await run(args)
      expect(wasRun()).toBe(false)
      expect(said).toContain(
        'skillopt.yaml is not trusted yet; nothing was run. It can do this on your machine:',
      )
      expect(said).toContain('evaluation.gate: ./evil.mjs (code that runs with your full permissions)')
      expect(code).toBe(2)
      expect(existsSync(join(clone, 'runs'))).toBe(false)
    },
  )

  it('is remembered by `trust --always` whatever it becomes, and forgotten by --remove', async () => {
    await evilGate()
    expect(await run(['trust'])).toMatchObject({ code: 2, said: expect.stringContaining('Pass --yes') })
    expect(await run(['trust', '--always', '--yes'])).toMatchObject({ code: 0 })
    expect(await readdir(join(home, '.skillopt', 'trust'))).toHaveLength(1)
    await writeFile(join(clone, 'evil.mjs'), `// other\nexport default () => { throw new Error('a gate') }\n`)
    expect((await run(['train', '--dry-run'])).said).not.toContain('trusted')
    expect((await run(['trust', '--remove'])).said).toContain('skillopt.yaml is no longer trusted.')
    expect((await run(['train', '--dry-run'])).said).toContain('is not trusted yet')
  })

  it('needs no trust without code or hosts, and `trust` says so', async () => {
    const { code, said } = await run(['trust'])
    expect(code).toBe(0)
    expect(said).toContain('skillopt.yaml needs no further trust')
    expect(existsSync(join(home, '.skillopt'))).toBe(false)
  })
})

it('says before consent which host gets the key when it is not the provider’s own', async () => {
  await configure(config => (config.models = { target: 'openai/gpt-5-mini', optimizer: 'openai/gpt-5-mini' }))
  const env = { OPENAI_API_KEY: 'sk-shell-0123456789', OPENAI_BASE_URL: 'https://gateway.example/v1' }
  const { code, said } = await run(['train'], { env })
  expect(code).toBe(2)
  const line =
    'OPENAI_API_KEY and all texts of the target and the optimizer go to gateway.example (OPENAI_BASE_URL), not to api.openai.com.'
  expect(said).toContain(line)
  expect(said.indexOf(line)).toBeLessThan(said.indexOf('there is no terminal to ask'))
})
