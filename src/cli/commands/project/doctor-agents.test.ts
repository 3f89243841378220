import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { fakeIo } from '../../../../test/support/fake-io.js'
import { exitCodes } from '../../../core/errors/errors.js'
import type { Library } from '../../library.js'
import { main } from '../../main.js'

const project = fileURLToPath(new URL('../../../../examples/quickstart', import.meta.url))

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'skillopt-doctor-agents-'))
})
afterEach(() => rm(folder, { recursive: true }))

async function install(program: string, version: string): Promise<string> {
  const path = join(folder, 'bin', program)
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, `#!/bin/sh\necho "${version}"\n`)
  await chmod(path, 0o755)
  return path
}

async function doctor(model: string, env: Record<string, string> = {}, ...flags: string[]) {
  const path = [join(folder, 'bin'), '/usr/bin', '/bin'].join(delimiter)
  const io = fakeIo<Library>({ cwd: folder, env: { PATH: path, HOME: folder, ...env } })
  const code = await main(['doctor', project, '--set', `models.target.model=${model}`, ...flags], io)
  return { code, lines: io.out().split('\n') }
}

it('finds an installed agent and its login method', async () => {
  const program = await install('codex', 'codex-cli 0.166.0')
  const { code, lines } = await doctor('codex/default', { CODEX_API_KEY: 'sk-doctor-key' })
  expect(lines).toContain(`ok    target codex/default: Codex 0.166.0, ${program}`)
  expect(lines).toContain('ok    target codex/default: logs in by the variable CODEX_API_KEY')
  expect(lines.join('\n')).not.toContain('sk-doctor-key')
  expect(code).toBe(exitCodes.ok)
})

it('finds the file of a subscription', async () => {
  await install('codex', 'codex-cli 0.166.0')
  await mkdir(join(folder, '.codex'))
  await writeFile(join(folder, '.codex', 'auth.json'), '{}')
  const { lines } = await doctor('codex/default')
  const file = join(folder, '.codex', 'auth.json')
  expect(lines).toContain(`ok    target codex/default: logs in by ${file}`)
})

it('explains how to log in when no login found', async () => {
  await install('codex', 'codex-cli 0.166.0')
  const { lines } = await doctor('codex/default')
  const at = lines.indexOf('warn  target codex/default: no login found')
  expect(at).toBeGreaterThan(0)
  expect(lines[at + 1]).toContain('codex login')
})

it('does not count a key that the agent ignores as a login', async () => {
  await install('codex', 'codex-cli 0.166.0')
  const { lines } = await doctor('codex/default', { OPENAI_API_KEY: 'sk-doctor-key' })
  expect(lines).toContain('warn  target codex/default: no login found')
})

it('does not require a login when the user has configured a server', async () => {
  await install('codex', 'codex-cli 0.166.0')
  await mkdir(join(folder, '.codex'))
  await writeFile(join(folder, '.codex', 'auth.json'), '{}')
  const own = ['--set', 'models.target.endpoint=http://127.0.0.1:9/v1']
  const without = await doctor('codex/mine', {}, ...own)
  expect(without.lines).toContain('ok    target codex/mine: no key is set; the endpoint must not require one')
  const withKey = await doctor('codex/mine', { OPENAI_API_KEY: 'sk-doctor-key' }, ...own)
  expect(withKey.lines).toContain('ok    target codex/mine: logs in by the variable OPENAI_API_KEY')
})

it('says which costs will be unknown, and how to set prices', async () => {
  await install('codex', 'codex-cli 0.166.0')
  const { lines } = await doctor('codex/default')
  const at = lines.indexOf(
    'warn  target codex/default: no price known; costs are known only if Codex reports them',
  )
  expect(at).toBeGreaterThan(0)
  expect(lines[at + 1]).toContain('--max-cost is refused')
})

it('reports an agent problem only once', async () => {
  const { lines } = await doctor('codex/default')
  expect(lines.filter(line => line.includes('Codex is not installed'))).toHaveLength(1)
})

it('says how to install what is missing, and how to update what is too old', async () => {
  const missing = await doctor('codex/default')
  expect(missing.lines.join('\n')).toMatch(
    /fail .*Codex is not installed[\s\S]*npm install -g @openai\/codex/,
  )
  expect(missing.code).toBe(exitCodes.badInput)
  await install('codex', 'codex-cli 0.1.0')
  const old = await doctor('codex/default')
  expect(old.lines.join('\n')).toMatch(/fail .*Codex 0\.1\.0 is too old[\s\S]*npm install -g @openai\/codex/)
})

it('warns of an untested version, and of full access', async () => {
  await install('codex', 'codex-cli 99.0.0')
  const { lines } = await doctor('codex/default', {}, '--set', 'harness.access=full')
  const warned = lines.filter(line => line.startsWith('warn'))
  expect(warned.filter(line => line.includes('Codex 99.0.0 has not been tested'))).toHaveLength(1)
  expect(
    warned.filter(line => line.includes('harness.access is full: Codex acts without asking')),
  ).toHaveLength(1)
})
