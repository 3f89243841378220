import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeDashboardWorld, openPage, send } from '../../../test/support/dashboard.js'
import { createApp } from './app.js'
import type { Dashboard } from './index.js'
import { createKeys } from './keys.js'
import { createRunLibrary } from './runs/library.js'

/** These tests cover every route registered in the app, so a new route needs no change here. */

let world: Awaited<ReturnType<typeof makeDashboardWorld>>
let dashboard: Dashboard
let page: Awaited<ReturnType<typeof openPage>>
let run = ''
const unexpected: unknown[] = []
beforeAll(async () => {
  world = await makeDashboardWorld()
  dashboard = await world.start({ onUnexpected: error => void unexpected.push(error) })
  page = await openPage(dashboard)
  const [summary] = JSON.parse((await page.get('/api/runs')).body) as readonly { readonly id: string }[]
  run = summary?.id ?? ''
})
afterAll(() => world.end())

const signal = new AbortController().signal
const surroundings = { cwd: '/', folders: [], env: {}, signal }
const app = createApp({
  context: { ...surroundings, runs: createRunLibrary(surroundings) },
  keys: createKeys('token', 1),
  hosts: new Set(),
  files: new Map(),
  shownFolders: [],
  unexpected: () => undefined,
})
const routes = app.routes
  .filter(({ method, path }) => method !== 'ALL' && path.startsWith('/api/'))
  .map(({ method, path }) => ({ method, path }))
const changes = routes.filter(({ method }) => method !== 'GET')
const named = routes.filter(({ path }) => path.includes(':'))

/** Fills in the parameters of a route. `:run` becomes an existing run unless it is the last parameter. */
const addressOf = (path: string, value: string) =>
  path.replaceAll(/\/runs\/:run\b(?=\/.*:)/g, `/runs/${run}`).replaceAll(/:[a-zA-Z]+/g, value)

const bodyOf = (method: string) => (method === 'GET' ? {} : { body: '{}' })

it('has routes to look at', () => {
  expect(routes).toContainEqual({ method: 'GET', path: '/api/runs/:run' })
  expect(changes.length).toBeGreaterThan(3)
  expect(run).not.toBe('')
})

it('knows GET and POST only', () => {
  expect(new Set(routes.map(({ method }) => method))).toEqual(new Set(['GET', 'POST']))
})

describe.each(routes.filter(({ path }) => path !== '/api/about'))('$method $path', ({ method, path }) => {
  it('refuses requests without the cookie', async () => {
    const { cookie: _cookie, ...headers } = page.change
    const answer = await send(dashboard, { method, path: addressOf(path, run), headers, ...bodyOf(method) })
    expect(answer.status).toBe(401)
  })
})

describe.each(changes)('$method $path', ({ path }) => {
  it('refuses requests without the change token', async () => {
    const { 'x-skillopt-change': _change, ...headers } = page.change
    const answer = await send(dashboard, { method: 'POST', path: addressOf(path, run), headers, body: '{}' })
    expect(answer.status).toBe(403)
  })

  it('refuses requests from another site', async () => {
    const headers = { ...page.change, origin: 'http://evil.example', 'sec-fetch-site': 'cross-site' }
    const answer = await send(dashboard, { method: 'POST', path: addressOf(path, run), headers, body: '{}' })
    expect(answer.status).toBe(403)
  })

  it('does nothing for a GET', async () => {
    const isRead = routes.some(route => route.method === 'GET' && route.path === path)
    if (!isRead) expect((await page.get(addressOf(path, run))).status).toBe(404)
  })

  it.each(['', 'no json', 'null', '[]', '{"surprise":1}', '{"__proto__":{"a":1}}'])(
    'refuses the body %j',
    async body => {
      const answer = await send(dashboard, {
        method: 'POST',
        path: addressOf(path, run),
        headers: page.change,
        body,
      })
      expect([400, 404]).toContain(answer.status)
      expect(JSON.parse(answer.body)).toEqual({ error: expect.any(String), ...hint(answer.body) })
    },
  )
})

const hint = (body: string) => ('hint' in JSON.parse(body) ? { hint: expect.any(String) } : {})

const hostile = [
  ['..', '%2e%2e'],
  ['../../secret.txt', '..%2f..%2fsecret.txt'],
  ['../../secret.txt, encoded twice', '..%252f..%252fsecret.txt'],
  ['an absolute path', '%2fetc%2fpasswd'],
  ['backslashes', '..%5c..%5csecret.txt'],
  ['NUL', 'a%00b'],
  ['a line break', 'a%0d%0ax-evil:%201'],
  ['no UTF-8', '%ff%fe'],
  ['half an escape', '%e0%a4%a'],
  ['what objects have', '__proto__'],
  ['what objects can do', 'constructor'],
  ['a drive', 'C:%5cWindows'],
  ['an address', 'http:%2f%2fevil.example'],
  ['markup', '%3Cscript%3Ealert(1)%3C%2Fscript%3E'],
  ['very long', 'x'.repeat(5_000)],
] as const

describe.each(named)('$method $path', ({ method, path }) => {
  it.each(hostile)('finds nothing by %s', async (_name, value) => {
    const sent = { method, path: addressOf(path, value), headers: page.change, ...bodyOf(method) }
    const answer = await send(dashboard, sent)
    expect([400, 404]).toContain(answer.status)
    expect(answer.headers['x-evil']).toBeUndefined()
    expect(answer.body).not.toContain('nobody may read this')
    expect(answer.headers['content-type']).toMatch(/^application\/json/)
  })
})

const parameters = ['token', 'run', 'sort', 'limit', 'offset', 'from', 'task', 'step', 'search', '__proto__']
const answering = routes.filter(({ method, path }) => method === 'GET' && !path.endsWith('/live'))

describe.each(answering)('$method $path', ({ path }) => {
  it.each(hostile)('handles %s as a parameter', async (_name, value) => {
    const short = value.slice(0, 300)
    const query = parameters.map(name => `${name}=${short}&${name}=-1e99`).join('&')
    const { status } = await page.get(`${addressOf(path, run)}?${query}`)
    expect([200, 400, 404]).toContain(status)
  })
})

it('reports no unexpected error in any of these tests', () => {
  expect(unexpected).toEqual([])
})
