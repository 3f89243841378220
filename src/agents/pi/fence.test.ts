import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import fence from './fence.js'

let root: string
let cwd: string
beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'skillopt-fence-')))
  cwd = join(root, 'work')
  await mkdir(cwd)
  await mkdir(join(root, 'config', 'skills'), { recursive: true })
  await writeFile(join(cwd, 'notes.txt'), 'one')
  vi.stubEnv('PI_CODING_AGENT_DIR', join(root, 'config'))
})
afterEach(async () => {
  vi.unstubAllEnvs()
  await rm(root, { recursive: true })
})

type Handler = Parameters<Parameters<typeof fence>[0]['on']>[1]

/** The extension's answer to a call, and the path that the tool gets. */
function call(toolName: string, path?: unknown) {
  const handlers: Handler[] = []
  fence({ on: (_event, handle) => void handlers.push(handle) })
  const input = path === undefined ? {} : { path }
  return { said: handlers[0]?.({ toolName, input }, { cwd }), input }
}

it.each([
  ['read', 'notes.txt'],
  ['write', 'a/new/file.txt'],
  ['edit', './notes.txt'],
  ['ls', '.'],
])('lets %s use %s, at the place that was looked at', (tool, path) => {
  expect(call(tool, path)).toEqual({ said: undefined, input: { path: join(cwd, path) } })
})

it('takes no path for the folder itself, and an @ for nothing', () => {
  expect(call('grep')).toEqual({ said: undefined, input: { path: cwd } })
  expect(call('read', '@notes.txt').input).toEqual({ path: join(cwd, 'notes.txt') })
})

it.each([
  ['write', '../elsewhere.txt'],
  ['write', '/etc/passwd'],
  ['read', '/etc/passwd'],
  ['read', '~/.ssh/id_rsa'],
  ['write', '../config/skills/orders/SKILL.md'],
  ['read', '../config/auth.json'],
  ['ls', '../work-of-another'],
  ['read', '@../config/auth.json'],
])('keeps %s from %s', (tool, path) => {
  expect(call(tool, path).said).toEqual({ block: true, reason: expect.stringContaining('is outside of') })
})

it('lets skills be read', () => {
  expect(call('read', '../config/skills/orders/SKILL.md').said).toBeUndefined()
})

it('follows links', async () => {
  await symlink(root, join(cwd, 'up'))
  expect(call('write', 'up/elsewhere.txt').said).toMatchObject({ block: true })
})

it('refuses unknown tools and invalid paths', () => {
  expect(call('bash').said).toEqual({ block: true, reason: 'bash is not offered here.' })
  expect(call('read', 7).said).toMatchObject({ block: true })
})
