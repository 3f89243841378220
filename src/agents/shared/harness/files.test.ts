import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { fakeAgent } from '../../../../test/support/fake-agent.js'
import { copyUserFiles, loginTokens, readReport, writeBackLogin, writeFiles } from './files.js'
import { type AgentPlace, closePlace, openPlace } from './place.js'

let folder: string
let home: string
let place: AgentPlace
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'skillopt-files-'))
  home = join(folder, 'home')
  place = await openPlace(folder)
  await put(join(home, '.fake', 'login.json'), 'token 1')
  await put(join(home, '.fake', 'skills', 'own', 'SKILL.md'), 'own skill')
})
afterEach(async () => {
  await closePlace(place)
  await rm(folder, { recursive: true })
})

async function put(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, text)
}

const lend = (inherit = false) =>
  copyUserFiles(fakeAgent('answers'), { env: { HOME: home }, key: undefined, inherit }, place)
const login = () => readFile(join(home, '.fake', 'login.json'), 'utf8')

it('lends the login, which nobody else may read, and nothing of the set-up', async () => {
  await lend()
  expect(await readdir(place.config, { recursive: true })).toEqual(['login.json'])
  expect((await stat(join(place.config, 'login.json'))).mode & 0o777).toBe(0o600)
})

it('copies the set-up on request', async () => {
  await lend(true)
  expect(await readFile(join(place.config, 'skills', 'own', 'SKILL.md'), 'utf8')).toBe('own skill')
})

it('skips files that the user does not have', async () => {
  await rm(join(home, '.fake'), { recursive: true })
  expect(await lend(true)).toEqual([])
  expect(await readdir(place.config)).toEqual([])
})

it('knows the tokens of a login that is part of a file, and never writes that file back', async () => {
  const token = 'gho_0123456789abcdefghij'
  await put(
    join(home, '.fake', 'login.json'),
    JSON.stringify({ token, folder: '/home/somebody/projects/shop' }),
  )
  const agent = fakeAgent('answers')
  const only = (text: string) => JSON.stringify({ token: (JSON.parse(text) as { token: string }).token })
  const partial = {
    ...agent,
    filesOf: (...given: Parameters<typeof agent.filesOf>) => {
      const { login: files, setup } = agent.filesOf(...given)
      return { login: files.map(file => ({ ...file, only })), setup }
    },
  }
  const lent = await copyUserFiles(partial, { env: { HOME: home }, key: undefined, inherit: false }, place)
  expect(await loginTokens(lent)).toEqual([token])
  const before = await login()
  await writeFile(join(place.config, 'login.json'), JSON.stringify({ token: `${token}2` }))
  expect(await loginTokens(lent)).toEqual([token, `${token}2`])
  await writeBackLogin(lent)
  expect(await login()).toBe(before)
})

it('brings a renewed token back', async () => {
  const lent = await lend()
  await writeFile(join(place.config, 'login.json'), 'token 2')
  await writeBackLogin(lent)
  expect(await login()).toBe('token 2')
})

it.each([
  ['the user has logged in anew meanwhile', 'token 3', 'token 2', 'token 3'],
  ['the agent did not renew it', 'token 3', 'token 1', 'token 3'],
])('leaves the user’s own alone where %s', async (_, own, copy, expected) => {
  const lent = await lend()
  await writeFile(join(home, '.fake', 'login.json'), own)
  await writeFile(join(place.config, 'login.json'), copy)
  await writeBackLogin(lent)
  expect(await login()).toBe(expected)
})

it('creates no login if the user has logged out or the agent has deleted its own', async () => {
  const lent = await lend()
  await rm(join(place.config, 'login.json'))
  await writeBackLogin(lent)
  expect(await login()).toBe('token 1')
  await writeFile(join(place.config, 'login.json'), 'token 2')
  await rm(join(home, '.fake', 'login.json'))
  await writeBackLogin(lent)
  await expect(login()).rejects.toThrow('ENOENT')
})

it('merges settings over those of the user, and keeps the others', async () => {
  const path = join(place.config, 'settings.json')
  await put(path, JSON.stringify({ theme: 'dark', tools: { own: true, shell: true }, list: [1] }))
  await writeFiles([{ path, content: { tools: { shell: false }, list: [2] } }])
  expect(JSON.parse(await readFile(path, 'utf8'))).toEqual({
    theme: 'dark',
    tools: { own: true, shell: false },
    list: [2],
  })
  await writeFiles([{ path: join(place.config, 'new', 'one.json'), content: { a: 1 } }])
  expect(JSON.parse(await readFile(join(place.config, 'new', 'one.json'), 'utf8'))).toEqual({ a: 1 })
})

it('lends no login if a key replaces it', async () => {
  const asked = { env: { HOME: home }, key: 'given-key', inherit: false }
  expect(await copyUserFiles(fakeAgent('answers'), asked, place)).toEqual([])
  expect(await readdir(place.config)).toEqual([])
})

it('says which of the user’s settings cannot be read', async () => {
  const path = join(place.config, 'settings.json')
  await put(path, '{"theme": // dark')
  await expect(writeFiles([{ path, content: {} }])).rejects.toMatchObject({
    message: expect.stringContaining('Your settings.json for the agent is not valid JSON'),
    hint: expect.stringContaining('without your set-up'),
  })
})

it('lends of a file that holds more than the login only that, and brings nothing back', async () => {
  const [from, to] = [join(home, '.fake', 'login.json'), join(place.config, 'login.json')]
  const file = { from, to, only: (content: string) => content.replace('token', 'only token') }
  const partly = (setup: readonly { from: string; to: string }[], inherit: boolean) =>
    copyUserFiles(
      { ...fakeAgent('answers'), filesOf: () => ({ login: [file], setup }) },
      { env: { HOME: home }, key: undefined, inherit },
      place,
    )
  const lent = await partly([], false)
  expect(await readFile(to, 'utf8')).toBe('only token 1')
  await writeFile(to, 'token 2')
  await writeBackLogin(lent)
  expect(await login()).toBe('token 1')
  await rm(to)
  await partly([{ from, to }], true)
  expect(await readFile(to, 'utf8')).toBe('token 1')
})

it('reads the report of an agent, if there is one', async () => {
  const path = join(place.config, 'report.json')
  expect(await readReport(path)).toEqual({})
  await writeFile(path, 'used: 3')
  expect(await readReport(path)).toEqual({ report: 'used: 3' })
})

it('knows the tokens of a login, as it was lent and as it is now', async () => {
  const token = (word: string) => `${word}-${'x'.repeat(20)}`
  await put(
    join(home, '.fake', 'login.json'),
    JSON.stringify({ access: token('old'), expires: '2026-11-16' }),
  )
  const lent = await lend()
  await writeFile(join(place.config, 'login.json'), JSON.stringify({ access: token('new') }))
  expect(await loginTokens(lent)).toEqual([token('old'), token('new')])
})
